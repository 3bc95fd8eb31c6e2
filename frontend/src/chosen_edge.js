// The panel of the chosen edge: what it is, why it is suspicious, and what is around it.
import { element, facts, nameElement, panel } from "./dom.js";
import { markButtons } from "./explore.js";
import { neighborhoodView } from "./neighborhood.js";
import { count, significant } from "./numbers.js";
import { reasonsView } from "./reasons.js";

function groupName(nodes, node) {
  if (!nodes.group || nodes.group[node] < 0) return "";
  const name = nodes.group_names?.[nodes.group[node]] ?? String(nodes.group[node]);
  return `, ${nodes.group_kind} ${name}`;
}

function endText(state, node) {
  const { nodes } = state.payload;
  const degree = `${count(nodes.degree[node])} ${nodes.degree[node] === 1 ? "edge" : "edges"}`;
  const more = `${degree}, ${count(nodes.suspicious[node])} suspicious${groupName(nodes, node)}`;
  return element("span", {}, nameElement(state.name(node)), element("small", {}, more));
}

function edgeFacts(state) {
  const { edges, total_edges: total } = state.payload;
  const at = state.edge;
  const [source, target] = [edges.source[at], edges.target[at]];
  const ends = facts([
    ["Source", endText(state, source)],
    ["Target", endText(state, target)],
  ]);
  ends.classList.add("ends");
  const numbers = facts([
    ["Rank", `${count(edges.rank[at])} of ${count(total)}`],
    ["Score", significant(edges.score[at])],
    ["Cut", state.isRemoved(source, target, edges.rank[at]) ? "✕ removed" : "kept"],
    ["Known", edges.injected ? (edges.injected[at] ? "injected" : "original") : null],
  ]);
  return [ends, numbers];
}

/** What the table of nodes says of both ends, side by side; nothing where there was no table. */
function endsTable(state) {
  const { edges, nodes, table } = state.payload;
  if (!table) return null;
  const places = [edges.source[state.edge], edges.target[state.edge]].map((node) => table.nodes.indexOf(node));
  const rows = table.columns.map((name, column) => {
    const [first, second] = places.map((place) => table.texts[table.cells[column][place]]);
    const differ = first === second ? null : "differ";
    const cells = [first, second].map((text) => element("td", { class: differ }, nameElement(text)));
    return element("tr", {}, element("th", { scope: "row" }, nameElement(name)), ...cells);
  });
  const ends = [edges.source[state.edge], edges.target[state.edge]].map((node) => element("th", { scope: "col" }, nameElement(nodes.name[node], "bdi", 24)));
  const left = table.of - table.columns.length;
  const note = left > 0 ? element("p", { class: "note" }, `The first ${table.columns.length} of ${count(table.of)} columns.`) : null;
  return element(
    "div",
    { class: "scrolled", tabindex: 0, role: "group", "aria-label": "What the table says of both ends" },
    element(
      "table",
      { class: "plain", id: "ends-table" },
      element("caption", { class: "hidden" }, "What the table says of both ends"),
      element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "Column"), ...ends)),
      element("tbody", {}, ...rows),
    ),
    note,
  );
}

export function chosenEdgePanel(state) {
  if (!state.payload.edges.rank.length) return null;
  const neighborhood = neighborhoodView(state);
  const reasons = reasonsView(state);
  const about = element("div", { "aria-live": "polite", id: "chosen-facts" });
  const known = element("div", {});
  const describe = () => state.edge !== null && about.replaceChildren(...edgeFacts(state));
  state.on("cut", describe);
  state.on("marks", describe);
  state.on("edge", () => {
    describe();
    known.replaceChildren(...[endsTable(state)].filter(Boolean));
    neighborhood.show();
    reasons.show();
  });
  const marks = state.payload.mode === "explore" ? markButtons(state) : null;
  return panel("chosen", "Chosen edge", about, marks, reasons.words, known, element("h3", {}, "Neighborhood"), neighborhood.box, reasons.box);
}
