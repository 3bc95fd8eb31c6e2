// How numbers are written on the page.

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

export function count(value) {
  return whole.format(value);
}

export function percent(share, digits = 1) {
  return `${(100 * share).toFixed(digits)}%`;
}

export function decimal(value, digits = 3) {
  return value === null || value === undefined ? "" : Number(value).toFixed(digits);
}

/** Four digits with their zeros, so that a column of them is easy to compare. */
export function aligned(value) {
  return value === null || value === undefined ? "" : Number(value).toPrecision(4);
}

/** Four significant digits, for values whose scale is not known. */
export function significant(value) {
  return value === null || value === undefined ? "" : String(Number(Number(value).toPrecision(4)));
}
