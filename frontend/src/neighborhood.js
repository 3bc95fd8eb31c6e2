// The nodes around a chosen edge, drawn with the edge in red and removed edges dashed.
import cytoscape from "cytoscape";
import { element, nameElement, shortened } from "./dom.js";
import { groupLook } from "./groups.js";
import { count } from "./numbers.js";
import { color } from "./theme.js";

const MOST_NODES = 150;
const MOST_LABELS = 40;

// Cytoscape adds a style element unless one with this id exists, which the page's policy would refuse.
// Its only rule, a position for the container, is in the style sheet of the page.
function announceStyles() {
  const id = "__________cytoscape_stylesheet";
  if (!document.getElementById(id)) document.head.append(element("meta", { id }));
}

/** For every node the edges of the payload at it, as [other node, rank]. */
export function adjacency({ neighborhood, edges }) {
  const around = new Map();
  const add = (from, to, rank) => {
    if (!around.has(from)) around.set(from, new Map());
    around.get(from).set(to, rank);
  };
  for (const list of [neighborhood, edges]) {
    list.source.forEach((source, index) => {
      add(source, list.target[index], list.rank[index]);
      add(list.target[index], source, list.rank[index]);
    });
  }
  return around;
}

/** Nodes within some hops of both ends with their distance, at most MOST_NODES of them. */
export function within(around, ends, hops) {
  const distance = new Map(ends.map((end) => [end, 0]));
  let front = ends;
  let cut = false;
  for (let hop = 1; hop <= hops; hop += 1) {
    const next = [];
    for (const node of front) {
      for (const other of around.get(node)?.keys() ?? []) {
        if (distance.has(other)) continue;
        if (distance.size >= MOST_NODES) {
          cut = true;
          continue;
        }
        distance.set(other, hop);
        next.push(other);
      }
    }
    front = next;
  }
  return { distance, cut };
}

function nodeElements(state, distance) {
  const { nodes } = state.payload;
  const labeled = distance.size <= MOST_LABELS;
  return [...distance].map(([node, hop]) => {
    const look = groupLook(nodes.group?.[node]);
    const label = hop === 0 || labeled ? shortened(nodes.name[node], 24) : "";
    return { data: { id: `n${node}`, node, label, fill: look.fill, shape: look.shape, size: hop === 0 ? 26 : 15 } };
  });
}

function edgeElements(state, around, distance, [source, target]) {
  const drawn = [];
  for (const node of distance.keys()) {
    for (const [other, rank] of around.get(node) ?? []) {
      if (other <= node || !distance.has(other)) continue;
      const chosen = (node === source && other === target) || (node === target && other === source);
      const kind = [chosen ? "chosen" : "", state.isRemoved(node, other, rank) ? "removed" : ""].join(" ");
      drawn.push({ data: { source: `n${node}`, target: `n${other}` }, classes: kind });
    }
  }
  return drawn;
}

/** Both ends side by side and the others on circles: the layout starts there, so that it is the same every time. */
function startPositions(elements) {
  elements.forEach((entry, index) => {
    const angle = 2.4 * index;
    const radius = index < 2 ? 60 : 60 + 12 * Math.sqrt(index) * 3;
    entry.position = index < 2 ? { x: index === 0 ? -60 : 60, y: 0 } : { x: radius * Math.cos(angle), y: radius * Math.sin(angle) };
  });
}

function looks() {
  const text = color("text");
  const surface = color("surface");
  const danger = color("danger");
  return [
    {
      selector: "node",
      style: {
        "background-color": "data(fill)",
        shape: "data(shape)",
        width: "data(size)",
        height: "data(size)",
        label: "data(label)",
        color: text,
        "font-size": 11,
        "text-outline-color": surface,
        "text-outline-width": 2,
        "text-valign": "bottom",
        "text-margin-y": 3,
      },
    },
    { selector: "edge", style: { width: 1.2, "line-color": color("faint"), "curve-style": "straight" } },
    { selector: "edge.removed", style: { "line-style": "dashed", "line-dash-pattern": [5, 4] } },
    { selector: "edge.chosen", style: { width: 4, "line-color": danger, "z-index": 10 } },
  ];
}

function legend(state, distance) {
  const { group, group_names: names, group_kind: kind } = state.payload.nodes;
  const entries = [
    element("li", {}, element("span", { class: "key chosen", "aria-hidden": true }), " the chosen edge"),
    element("li", {}, element("span", { class: "key removed", "aria-hidden": true }), " removed"),
    element("li", {}, element("span", { class: "key", "aria-hidden": true }), " kept"),
  ];
  const present = group ? [...new Set([...distance.keys()].map((node) => group[node]))].sort((a, b) => a - b) : [];
  for (const number of present) {
    const look = groupLook(number);
    const sign = element("span", { "aria-hidden": true, class: "sign" }, look.sign);
    sign.style.color = look.fill;
    const name = nameElement(names?.[number] ?? String(number));
    entries.push(element("li", {}, sign, ...(number < 0 ? [` no ${kind}`] : [` ${kind} `, name])));
  }
  return element("ul", { class: "legend", "aria-label": "Legend" }, ...entries);
}

function hopSwitch(redraw) {
  const option = (hops, text) => {
    const input = element("input", { type: "radio", name: "hops", value: hops, checked: hops === 1 });
    input.addEventListener("change", () => redraw(hops));
    return element("label", {}, input, ` ${text}`);
  };
  return element("fieldset", { class: "hops controls" }, element("legend", {}, "Around both ends"), option(1, "one hop"), option(2, "two hops"));
}

/** A sentence about an end with more edges than the page carries. */
function hubNote(state, around, end) {
  const degree = state.payload.nodes.degree[end];
  const carried = around.get(end)?.size ?? 0;
  if (carried >= degree) return null;
  return element("span", {}, ` The page carries ${count(carried)} of the ${count(degree)} edges at `, nameElement(state.name(end)), ".");
}

/** The drawing with its switch and legend; `show` draws the neighborhood of the chosen edge. */
export function neighborhoodView(state) {
  announceStyles();
  const around = adjacency(state.payload);
  const canvas = element("div", { class: "neighborhood", role: "img" });
  const note = element("p", { class: "note" });
  const keys = element("div");
  let hops = 1;
  let drawing = null;

  const show = () => {
    const { edges } = state.payload;
    const ends = [edges.source[state.edge], edges.target[state.edge]];
    const { distance, cut } = within(around, ends, hops);
    const nodes = nodeElements(state, distance);
    startPositions(nodes);
    const lines = edgeElements(state, around, distance, ends);
    const layout = { name: "cose", animate: false, randomize: false, fit: true, padding: 24, nodeRepulsion: () => 9000, idealEdgeLength: () => 55 };
    drawing?.destroy();
    drawing = cytoscape({ container: canvas, elements: [...nodes, ...lines], style: looks(), layout, maxZoom: 2.5, userZoomingEnabled: false });
    drawing.on("tap", "node", (event) => state.filterNode(state.name(event.target.data("node"))));
    const removed = lines.filter((line) => line.classes.includes("removed")).length;
    const words = `${count(nodes.length)} nodes, ${count(lines.length)} edges, ${count(removed)} of them removed.`;
    canvas.setAttribute("aria-label", `Neighborhood of ${shortened(state.name(ends[0]))} and ${shortened(state.name(ends[1]))}: ${words}`);
    note.textContent = words + (cut ? ` Only the nearest ${MOST_NODES} nodes are drawn.` : "");
    note.append(...ends.map((end) => hubNote(state, around, end)).filter(Boolean));
    keys.replaceChildren(legend(state, distance));
  };
  const recolor = () => {
    if (!drawing) return;
    drawing.edges().forEach((line) => {
      const [source, target] = [line.source().data("node"), line.target().data("node")];
      line.toggleClass("removed", state.isRemoved(source, target, around.get(source).get(target)));
    });
    drawing.style(looks());
    note.firstChild.textContent = note.firstChild.textContent.replace(/[\d,]+ of them/, `${count(drawing.edges(".removed").length)} of them`);
  };
  state.on("cut", recolor);
  state.on("marks", recolor);
  state.on("theme", recolor);
  const redraw = (chosen) => {
    hops = chosen;
    show();
  };
  return { box: element("div", {}, hopSwitch(redraw), canvas, note, keys), show };
}
