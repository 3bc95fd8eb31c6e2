// The header, the verdict, the accuracy and how the report was made.
import { element, facts, nameElement, panel } from "./dom.js";
import { count, decimal, percent, significant } from "./numbers.js";
import { themeButton } from "./theme.js";

export function header(state) {
  const { about, mode } = state.payload;
  const kind = mode === "explore" ? "KCES explorer" : "KCES report";
  document.title = `${kind}: ${about.graph}`.slice(0, 200);
  const features = about.features ? `${count(about.features)} features` : "no features";
  const sizes = `${count(about.nodes)} nodes · ${count(about.edges)} edges · ${features}`;
  return element(
    "header",
    { class: "page-header" },
    element("div", {}, element("p", { class: "kind" }, kind), nameElement(about.graph, "h1"), element("p", {}, sizes)),
    themeButton(state),
  );
}

const VERDICTS = {
  clean: ["✓", "Clean: the edges look as links should"],
  noisy: ["✕", "Noisy: some edges look like random pairs"],
  "cannot judge": ["?", "Cannot judge this graph by itself; no edge is removed"],
};

const countOf = (edges) => (edges === 0 ? "No edge is" : edges === 1 ? "1 edge is" : `${count(edges)} edges are`);

function verdictLine({ verdict, removed }) {
  const [sign, text] = VERDICTS[verdict] ?? ["✂", verdict ?? `${countOf(removed)} removed, as asked`];
  const kind = verdict === null ? "asked" : verdict.replace(" ", "-");
  return element("p", { class: `verdict ${kind}` }, element("span", { class: "sign", "aria-hidden": true }, sign), element("span", {}, text));
}

function noiseText({ noise, interval }) {
  if (noise === null) return null;
  const range = interval ? element("small", {}, ` (${percent(interval[0])} to ${percent(interval[1])})`) : null;
  return element("span", {}, `${percent(noise)} of the edges`, range);
}

/** The reason of the cut as a sentence. */
function sentence(reason) {
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}${/[.!?]$/.test(reason) ? "" : "."}`;
}

export function verdictPanel(state) {
  const { cut, about } = state.payload;
  const parts = [
    verdictLine(cut),
    facts([
      ["Estimated noise", noiseText(cut)],
      ["Share to remove, α", decimal(cut.alpha)],
      ["Removed edges", `${count(cut.removed)} of ${count(about.edges)}`],
    ]),
    cut.reason && cut.verdict !== null ? element("p", { class: "note" }, sentence(cut.reason)) : null,
    cut.warning ? element("p", { class: "warning", role: "note" }, "⚠ Warning: ", cut.warning) : null,
  ];
  return panel("verdict", "Verdict", ...parts);
}

export function graphPanel(state) {
  const { about } = state.payload;
  const entries = [
    ["Nodes", count(about.nodes)],
    ["Edges", count(about.edges)],
    ["Features", about.features ? count(about.features) : "none"],
    ["Classes", about.classes === null ? "not known" : count(about.classes)],
    ["Mean degree", significant(about.mean_degree)],
    ["Components", count(about.components)],
    ["Nodes with one edge", count(about.leaves)],
    ["Isolated nodes", count(about.isolated)],
  ];
  const reading = (about.reading ?? []).map((line) => element("li", {}, line));
  return panel(
    "graph",
    "Graph",
    facts(entries),
    about.repairs || reading.length ? element("h3", {}, "How it was read") : null,
    about.repairs || reading.length
      ? element("ul", { class: "reading" }, about.repairs ? element("li", {}, about.repairs) : null, ...reading)
      : null,
  );
}

export function accuracyPanel(state) {
  const { accuracy } = state.payload;
  if (!accuracy) return null;
  const rows = [
    ["Clean", accuracy.clean],
    [accuracy.clean === null ? "As given" : "Attacked", accuracy.attacked],
    ["Sanitized", accuracy.sanitized],
  ];
  const bars = rows
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) =>
      element(
        "div",
        {},
        element("dt", {}, name),
        element("dd", {}, element("meter", { min: 0, max: 1, value, "aria-label": `Accuracy, ${name.toLowerCase()}` }), ` ${percent(value)}`),
      ),
    );
  return panel("accuracy", "Accuracy", element("dl", { class: "meters" }, ...bars), element("p", { class: "note" }, sentence(accuracy.how)));
}

export function originPanel(state) {
  const { about } = state.payload;
  const parameters = Object.entries(about.parameters).map(([name, value]) =>
    element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, String(value))),
  );
  const details = element(
    "details",
    {},
    element("summary", {}, "Parameters"),
    element("table", { class: "plain" }, element("caption", { class: "hidden" }, "Parameters"), element("tbody", {}, ...parameters)),
  );
  state.on("paper", (printing) => {
    details.open = printing;
  });
  return panel(
    "origin",
    "How this was made",
    facts([
      ["Version", `kces ${about.version}`],
      ["Made", element("time", { datetime: about.made }, about.made.replace("T", " ").replace(/(:\d\d):\d\d\+00:00$/, "$1 UTC"))],
      ["Reading and scoring", `${decimal(about.seconds, 1)} s`],
      ["Preset", about.preset],
      ["Engine", about.engine],
      ["Seed", String(about.seed)],
    ]),
    about.engine_reason ? element("p", { class: "note" }, about.engine_reason) : null,
    about.command ? element("pre", { tabindex: 0, "aria-label": "Command" }, element("code", {}, about.command)) : null,
    details,
  );
}
