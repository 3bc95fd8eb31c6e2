// Nodes at which suspicious edges gather; choosing one filters the table.
import { element, nameElement, panel } from "./dom.js";
import { count } from "./numbers.js";

export function hotNodesPanel(state) {
  const { hot_nodes: hot } = state.payload;
  if (!hot.length) return null;
  const items = hot.map(({ node, suspicious, degree }) => {
    const choose = element("button", { type: "button", class: "link", onclick: () => state.filterNode(state.name(node)) }, nameElement(state.name(node)));
    return element("li", {}, choose, element("span", {}, `${count(suspicious)} of ${count(degree)} edges`));
  });
  const clear = element("button", { type: "button", class: "quiet controls", onclick: () => state.filterNode("") }, "Show all nodes");
  return panel(
    "hot-nodes",
    "Nodes where suspicious edges gather",
    element("p", { class: "note controls" }, "Choose a node to filter the table by it."),
    element("div", { class: "scrolled tall", tabindex: 0, role: "group", "aria-label": "List of nodes" }, element("ol", { class: "hot" }, ...items)),
    clear,
  );
}
