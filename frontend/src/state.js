// What the reader has chosen: the cut, an edge, a node and marks. Panels listen and redraw.

/** The place in a sorted list that is nearest to the value. */
function nearest(sorted, value) {
  let best = 0;
  sorted.forEach((entry, index) => {
    if (Math.abs(entry - value) < Math.abs(sorted[best] - value)) best = index;
  });
  return best;
}

export class State {
  constructor(payload) {
    this.payload = payload;
    this.marks = new Map();
    this.edge = null;
    this.listeners = { cut: [], edge: [], node: [], marks: [], marking: [], theme: [], paper: [] };
    this.chosenStep = nearest(payload.alphas.alpha, payload.cut.alpha);
    this.resetCut();
  }

  on(event, listener) {
    this.listeners[event].push(listener);
  }

  emit(event, detail) {
    for (const listener of this.listeners[event]) listener(detail);
  }

  /** The cut that the run chose; its alpha need not be a step of the slider. */
  resetCut() {
    this.step = this.chosenStep;
    this.alpha = this.payload.cut.alpha;
    this.removed = this.payload.cut.removed;
    this.emit("cut");
  }

  setStep(step) {
    if (step === this.chosenStep) return this.resetCut();
    this.step = step;
    this.alpha = this.payload.alphas.alpha[step];
    this.removed = this.payload.alphas.removed[step];
    return this.emit("cut");
  }

  get isChosenCut() {
    return this.step === this.chosenStep;
  }

  chooseEdge(index) {
    this.edge = index;
    this.emit("edge");
  }

  filterNode(name) {
    this.emit("node", name);
  }

  name(node) {
    return this.payload.nodes.name[node];
  }

  /** Marks belong to a pair of names, in either order. */
  markKey(source, target) {
    return JSON.stringify([source, target].sort());
  }

  mark(source, target) {
    return this.marks.get(this.markKey(source, target)) ?? null;
  }

  setMark(source, target, mark) {
    if (mark) this.marks.set(this.markKey(source, target), mark);
    else this.marks.delete(this.markKey(source, target));
  }

  /** Whether the cut removes an edge; a mark wins over its rank. */
  isRemoved(source, target, rank) {
    const mark = this.marks.size ? this.mark(this.name(source), this.name(target)) : null;
    return mark ? mark === "harmful" : rank <= this.removed;
  }
}
