// The table as it goes to paper: plain rows that a printer can break, since a grid made for a screen cannot be.
import { element, nameElement } from "./dom.js";
import { aligned, count } from "./numbers.js";

const MOST_ROWS = 100;

/** A plain table of the first rows, and a line about those that it leaves out. */
export function paperTable(columns, rows) {
  const shown = rows.slice(0, MOST_ROWS);
  const cell = (row, { field }) => (field === "score" ? aligned(row[field]) : nameElement(String(row[field]), "span", 240));
  const head = element("tr", {}, ...columns.map(({ title }) => element("th", { scope: "col" }, title)));
  const lines = shown.map((row) => element("tr", {}, ...columns.map((column) => element("td", {}, cell(row, column)))));
  const left = rows.length - shown.length;
  return element(
    "div",
    { class: "paper-only", id: "paper-table" },
    element("table", { class: "plain" }, element("thead", {}, head), element("tbody", {}, ...lines)),
    left ? element("p", { class: "note" }, `${count(left)} more edges are in the file of this report.`) : null,
  );
}
