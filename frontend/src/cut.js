// The slider for alpha and what the cut does to the graph.
import { element, facts, panel } from "./dom.js";
import { count, decimal, percent } from "./numbers.js";
import { distributionChart } from "./distribution.js";

const known = (value) => (value === null ? "–" : decimal(value));

/** The numbers of a step of the slider, as terms and values. */
function effects(state) {
  const { alphas } = state.payload;
  const at = (series, write) => (series ? write(series[state.step]) : null);
  return facts([
    ["Removed", count(state.removed)],
    ["Isolated nodes", at(alphas.isolated, count)],
    ["Components", at(alphas.components, count)],
    ["Homophily", at(alphas.homophily, known), "Share of the remaining edges within a class"],
    ["Precision", at(alphas.precision, known), "Share of the removed edges that are known to be harmful"],
    ["Recall", at(alphas.recall, known), "Share of the edges known to be harmful that are removed"],
  ]);
}

function sentence(state) {
  const { total_edges: total } = state.payload;
  const share = total ? ` (${percent(state.removed / total)})` : "";
  const chosen = state.isChosenCut ? ", the cut of this run" : "";
  return `α = ${decimal(state.alpha)} removes ${count(state.removed)} of ${count(total)} edges${share}${chosen}.`;
}

export function cutPanel(state) {
  const { alphas } = state.payload;
  const slider = element("input", { type: "range", id: "alpha", min: 0, max: alphas.alpha.length - 1, step: 1 });
  const live = element("output", { for: "alpha", "aria-live": "polite", id: "cut-sentence" });
  const numbers = element("div", { id: "cut-numbers" });
  const back = element("button", { type: "button", class: "quiet", onclick: () => state.resetCut() }, "Back to the cut of this run");
  slider.addEventListener("input", () => state.setStep(Number(slider.value)));
  const update = () => {
    slider.value = state.step;
    slider.setAttribute("aria-valuetext", sentence(state));
    live.textContent = sentence(state);
    back.disabled = state.isChosenCut;
    numbers.replaceChildren(effects(state));
  };
  state.on("cut", update);
  update();
  const controls = element(
    "div",
    { class: "slider controls" },
    element("label", { for: "alpha" }, "Share of the edges to remove, α"),
    slider,
    back,
  );
  const { label } = state.payload.distribution;
  const text = "Random pairs of nodes show what agreement looks like without a reason for a link. Edges that lie among them are suspicious.";
  const note = label === "agreement" ? element("p", { class: "note" }, text) : null;
  return panel("cut", "How much to cut", controls, live, numbers, distributionChart(state), note);
}
