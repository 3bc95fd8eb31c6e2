// Spreadsheets run cells that look like formulas; an apostrophe in front keeps them text.

const FORMULA = /^[=+\-@\t\r]/;

export function safeCell(value) {
  return typeof value === "string" && FORMULA.test(value) ? `'${value}` : value;
}
