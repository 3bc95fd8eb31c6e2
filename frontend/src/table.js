// The ranked table of suspicious edges: search, sort, filter, pages, export.
import {
  AccessorModule,
  DownloadModule,
  ExportModule,
  FilterModule,
  FormatModule,
  PageModule,
  ResizeColumnsModule,
  ResizeTableModule,
  SortModule,
  Tabulator,
} from "tabulator-tables";
import { element, nameElement, panel } from "./dom.js";
import { aligned, count } from "./numbers.js";
import { safeCell } from "./csv.js";
import { paperTable } from "./paper_table.js";

Tabulator.registerModule([
  AccessorModule,
  DownloadModule,
  ExportModule,
  FilterModule,
  FormatModule,
  PageModule,
  ResizeColumnsModule,
  ResizeTableModule,
  SortModule,
]);

const ROWS_ON_SCREEN = 20;
const MARK_KEYS = { f: "fine", h: "harmful", c: null };

function tableRows({ payload }) {
  const { edges, nodes } = payload;
  return edges.rank.map((rank, index) => ({
    id: index,
    rank,
    source: nodes.name[edges.source[index]],
    target: nodes.name[edges.target[index]],
    score: edges.score[index],
    why: edges.whys[edges.why[index]] ?? "",
    cut: "",
    mark: "",
    injected: edges.injected ? (edges.injected[index] ? "injected" : "original") : "",
    row: edges.row?.[index] ?? "",
  }));
}

/** What the cut and the marks say about the rows, for the rows where it changed. */
function refreshedRows(state, rows) {
  const { edges } = state.payload;
  const changed = [];
  for (const row of rows) {
    const [source, target] = [edges.source[row.id], edges.target[row.id]];
    const cut = state.isRemoved(source, target, row.rank) ? "✕ removed" : "kept";
    const mark = state.marks.size ? (state.mark(row.source, row.target) ?? "") : "";
    if (cut !== row.cut || mark !== row.mark) changed.push({ id: row.id, cut, mark });
  }
  return changed;
}

/** A text that the column may cut further than its own length does: the whole of it is always in the title. */
function asName(cell) {
  const text = String(cell.getValue());
  const shown = nameElement(text, "span");
  shown.title = text;
  return shown;
}

/** The last part of a reason is the one that tells edges apart: it comes first where there is little room. */
function asReason(cell) {
  const whole = cell.getValue();
  return element("span", { class: "clamped", title: whole }, whole.split("; ").reverse().join("; "));
}
const asText = (cell) => document.createTextNode(String(cell.getValue()));
const asNumber = (cell) => document.createTextNode(aligned(cell.getValue()));

function columns({ payload }) {
  const column = (field, title, more = {}) => ({ field, title, formatter: asName, accessorDownload: safeCell, headerWordWrap: true, ...more });
  // Marks beside known edges leave little room: columns of a word are narrow then, and the reason keeps its place.
  const crowded = payload.mode === "explore" && Boolean(payload.edges.injected);
  const width = (roomy, narrow) => (crowded ? narrow : roomy);
  const shown = [
    column("rank", "Rank", { formatter: asText, sorter: "number", width: width(72, 68), hozAlign: "right", headerHozAlign: "right" }),
    column("source", "Source", { minWidth: width(84, 76), widthGrow: 2 }),
    column("target", "Target", { minWidth: width(84, 76), widthGrow: 2 }),
    column("score", "Score", { formatter: asNumber, sorter: "number", width: width(80, 74), hozAlign: "right", headerHozAlign: "right" }),
    column("cut", "Cut", { formatter: asText, width: width(100, 94) }),
  ];
  if (payload.mode === "explore") shown.push(column("mark", "Mark", { formatter: asText, width: width(88, 72) }));
  if (payload.edges.injected) shown.push(column("injected", "Known", { formatter: asText, width: width(94, 84) }));
  shown.push(column("why", "Why", { formatter: asReason, minWidth: width(170, 132), widthGrow: 6 }));
  if (payload.edges.row) shown.push(column("row", "Record", { minWidth: 160, widthGrow: 2 }));
  return shown;
}

/** A click chooses a row. One row can be reached with Tab, the others with the arrow keys; Enter and Space choose. */
function choosing(state, holder) {
  const rows = () => [...holder.querySelectorAll(".tabulator-row")];
  holder.addEventListener("click", (event) => {
    const row = event.target.closest(".tabulator-row");
    if (row) state.chooseEdge(Number(row.dataset.edge));
  });
  holder.addEventListener("focusin", (event) => {
    const row = event.target.closest(".tabulator-row");
    if (row) rows().forEach((other) => other.setAttribute("tabindex", other === row ? 0 : -1));
  });
  holder.addEventListener("keydown", (event) => {
    const row = event.target.closest(".tabulator-row");
    if (!row) return;
    const all = rows();
    const place = all.indexOf(row);
    const goal = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: all.length - 1 }[event.key];
    if (goal !== undefined) all[Math.min(Math.max(goal, 0), all.length - 1)].focus();
    else if (event.key === "Enter" || event.key === " ") state.chooseEdge(Number(row.dataset.edge));
    else if (event.key in MARK_KEYS && state.payload.mode === "explore" && !event.ctrlKey && !event.metaKey) {
      state.chooseEdge(Number(row.dataset.edge));
      state.emit("marking", MARK_KEYS[event.key]);
    }
    else return;
    event.preventDefault();
  });
}

/** Whatever rows are on the page, one of them can be reached. */
function keepReachable(holder) {
  const rows = holder.querySelectorAll(".tabulator-row");
  if (rows.length && !holder.querySelector(".tabulator-row[tabindex='0']")) rows[0].setAttribute("tabindex", 0);
}

/** Headers sort with Enter and Space as they do with a click. */
function headerKeys(holder) {
  for (const header of holder.querySelectorAll(".tabulator-col.tabulator-sortable")) {
    header.setAttribute("tabindex", 0);
    header.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      header.querySelector(".tabulator-col-content").click();
    });
  }
}

function filters(state) {
  const search = element("input", { type: "search", id: "search", autocomplete: "off", placeholder: "name or reason" });
  const node = element("input", { type: "search", id: "node-filter", list: "hot-names", autocomplete: "off", placeholder: "whole name" });
  const names = element("datalist", { id: "hot-names" });
  for (const { node: hot } of state.payload.hot_nodes) names.append(element("option", { value: state.name(hot) }));
  const removed = element("input", { type: "checkbox", id: "only-removed" });
  const keeps = (row) => {
    const wanted = search.value.trim().toLowerCase();
    const named = node.value.trim();
    if (removed.checked && row.cut === "kept") return false;
    if (named && row.source !== named && row.target !== named) return false;
    return !wanted || [row.source, row.target, row.why, row.row].some((text) => text.toLowerCase().includes(wanted));
  };
  const bar = element(
    "div",
    { class: "filters controls", role: "search", "aria-label": "Filter the table" },
    element("label", {}, "Search ", search),
    element("label", {}, "Node ", node, names),
    element("label", { class: "check" }, removed, " only removed edges"),
  );
  return { bar, keeps, node, removed, inputs: [search, node, removed] };
}

function carriedNote({ shown_edges: shown, total_edges: total }) {
  if (shown >= total) return null;
  const text = `The table carries the ${count(shown)} most suspicious of ${count(total)} edges; the other numbers cover all of them.`;
  return element("p", { class: "note", id: "carried" }, text);
}

function rowFormatter(state) {
  return (row) => {
    const { id, cut } = row.getData();
    const line = row.getElement();
    line.dataset.edge = id;
    line.classList.toggle("removed", cut !== "kept");
    line.classList.toggle("chosen", state.edge === id);
    line.setAttribute("aria-selected", state.edge === id);
    if (!line.hasAttribute("tabindex")) line.setAttribute("tabindex", -1);
  };
}

function makeTable(state, holder, pages, rows) {
  return new Tabulator(holder, {
    data: rows,
    columns: columns(state),
    layout: "fitColumns",
    pagination: true,
    paginationSize: ROWS_ON_SCREEN,
    paginationElement: pages,
    renderVertical: "basic",
    placeholder: "No edge matches.",
    rowFormatter: rowFormatter(state),
    columnDefaults: { resizable: "header", vertAlign: "middle" },
  });
}

/** Joins the calls of one frame: a slider moves faster than thousands of rows are updated. */
function oncePerFrame(action) {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      action();
    });
  };
}

function connect(state, table, holder, chosen, status) {
  const rows = table.getData();
  const report = () => {
    status.textContent = `${count(table.getDataCount("active"))} of ${count(rows.length)} edges listed.`;
  };
  const refilter = () => {
    table.setFilter(chosen.keeps);
    report();
  };
  const reformat = () => table.getRows("visible").forEach((row) => row.reformat());
  const refresh = oncePerFrame(async () => {
    const changed = refreshedRows(state, table.getData());
    if (!changed.length) return;
    await table.updateData(changed);
    reformat();
    if (chosen.removed.checked) refilter();
  });
  chosen.inputs.forEach((input) => input.addEventListener("input", refilter));
  state.on("cut", refresh);
  state.on("marks", refresh);
  state.on("edge", reformat);
  state.on("node", (name) => {
    chosen.node.value = name;
    refilter();
    holder.scrollIntoView({ block: "nearest" });
  });
  state.on("paper", (printing) => {
    document.getElementById("paper-table")?.remove();
    if (printing) holder.after(paperTable(columns(state), table.getData("active")));
  });
  table.on("renderComplete", () => keepReachable(holder));
  keepReachable(holder);
  headerKeys(holder);
  // The rows take the focus; a grid may hold nothing else that does.
  holder.querySelector(".tabulator-tableholder").removeAttribute("tabindex");
  report();
  // Marks may have come from the server before the table was ready.
  refresh();
}

export function tablePanel(state) {
  const rows = tableRows(state);
  for (const changed of refreshedRows(state, rows)) Object.assign(rows[changed.id], changed);
  const holder = element("div", { id: "edge-table", "aria-labelledby": "edges-title" });
  // Outside the grid, which may hold rows only.
  const pages = element("nav", { class: "pages controls", "aria-label": "Pages of the table" });
  const chosen = filters(state);
  const status = element("p", { role: "status", class: "note", id: "listed" });
  const exporting = element("button", { type: "button", id: "export" }, "Export CSV");
  chosen.bar.append(exporting);
  choosing(state, holder);
  queueMicrotask(() => {
    const table = makeTable(state, holder, pages, rows);
    table.on("tableBuilt", () => connect(state, table, holder, chosen, status));
    exporting.addEventListener("click", () => table.download("csv", "suspicious-edges.csv", { bom: true }));
  });
  const marking = state.payload.mode === "explore" ? " Mark the edge in focus with F (fine), H (harmful) or C (clear)." : "";
  const help = element("p", { class: "note controls" }, `Choose an edge with a click, or with the arrow keys and Enter.${marking}`);
  return panel("edges", "Edges, most suspicious first", carriedNote(state.payload), chosen.bar, status, holder, pages, help);
}
