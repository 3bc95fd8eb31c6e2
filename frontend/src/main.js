// Builds the page from the document embedded in it.
import "tabulator-tables/dist/css/tabulator.css";
import "./style.css";
import { chosenEdgePanel } from "./chosen_edge.js";
import { cutPanel } from "./cut.js";
import { element } from "./dom.js";
import { explorePanel, loadMarks } from "./explore.js";
import { hotNodesPanel } from "./hot_nodes.js";
import { State } from "./state.js";
import { accuracyPanel, graphPanel, header, originPanel, verdictPanel } from "./summary.js";
import { tablePanel } from "./table.js";
import { watchMedia } from "./theme.js";

const root = document.getElementById("kces-page");
let current = null;

function start(payload) {
  const state = new State(payload);
  current = state;
  const explores = payload.mode === "explore";
  const panels = [
    verdictPanel(state),
    graphPanel(state),
    accuracyPanel(state),
    explores ? explorePanel(state, start) : null,
    cutPanel(state),
    hotNodesPanel(state),
    tablePanel(state),
    chosenEdgePanel(state),
    originPanel(state),
  ];
  root.replaceChildren(header(state), element("main", {}, ...panels.filter(Boolean)));
  if (payload.edges.rank.length) queueMicrotask(() => state.chooseEdge(0));
  if (explores) loadMarks(state);
}

watchMedia(() => current);
start(JSON.parse(document.getElementById("kces-data").textContent));
