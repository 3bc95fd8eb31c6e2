// Why an edge is suspicious: words, and each view of the edge against linked and random pairs.
import { Chart, axis, chartBox, chartColors } from "./charts.js";
import { element } from "./dom.js";
import { percent, significant } from "./numbers.js";

/** The share of pairs below a value, from their deciles. */
export function shareBelow(deciles, value) {
  const last = deciles.length - 1;
  if (value <= deciles[0]) return 0;
  if (value >= deciles[last]) return 1;
  let place = 0;
  while (deciles[place + 1] < value) place += 1;
  const width = deciles[place + 1] - deciles[place];
  return (place + (width > 0 ? (value - deciles[place]) / width : 0)) / last;
}

/** Maps the values of a view to 0..1, so that views of different units share an axis. */
function scaleOf(view, value) {
  const all = [...view.links, ...view.random, value];
  const low = Math.min(...all);
  const width = Math.max(...all) - low || 1;
  return (entry) => (entry - low) / width;
}

const LABEL_WIDTH = 24;

/** The words of a name on lines that fit beside the chart. */
function wrapped(name) {
  const lines = [""];
  for (const word of name.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (longer.length > LABEL_WIDTH && lines.at(-1)) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

const middle = (deciles, scale) => [scale(deciles[1]), scale(deciles[9])];

function configuration(views, values) {
  const colors = chartColors();
  const scales = views.map((view, index) => scaleOf(view, values[index]));
  const bars = (label, key, fill) => ({
    label,
    data: views.map((view, index) => middle(view[key], scales[index])),
    backgroundColor: fill,
    barPercentage: 0.8,
    categoryPercentage: 0.7,
  });
  const marks = {
    type: "scatter",
    label: "this edge",
    data: views.map((view, index) => ({ x: scales[index](values[index]), y: index })),
    pointStyle: "rectRot",
    radius: 8,
    backgroundColor: colors.cut,
    borderColor: colors.surface,
    borderWidth: 2,
    order: -1,
  };
  return {
    type: "bar",
    data: {
      labels: views.map((view) => wrapped(view.name)),
      datasets: [marks, bars("linked pairs", "links", colors.edges), bars("random pairs", "random", colors.random)],
    },
    options: {
      indexAxis: "y",
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      events: [],
      scales: {
        x: axis(colors, "lowest to highest value of the view", { min: -0.03, max: 1.03, ticks: { display: false } }),
        y: { type: "category", offset: true, ticks: { color: colors.text, autoSkip: false }, grid: { display: false } },
      },
      plugins: { legend: { labels: { color: colors.text, usePointStyle: true } }, tooltip: { enabled: false } },
    },
  };
}

function valuesTable(views, values) {
  const header = ["View", "This edge", "Above this share of linked pairs", "… of random pairs", "Weight"];
  const rows = views.map((view, index) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, view.name),
      element("td", {}, significant(values[index])),
      element("td", {}, percent(shareBelow(view.links, values[index]), 0)),
      element("td", {}, percent(shareBelow(view.random, values[index]), 0)),
      element("td", {}, significant(view.weight)),
    ),
  );
  return element(
    "table",
    { class: "plain" },
    element("caption", {}, "The bars hold the middle 80 % of linked and of random pairs."),
    element("thead", {}, element("tr", {}, ...header.map((title) => element("th", { scope: "col" }, title)))),
    element("tbody", {}, ...rows),
  );
}

/** The reasons for the chosen edge; `show` fills them in. */
export function reasonsView(state) {
  const box = element("div", { class: "reasons" });
  let chart = null;
  const show = () => {
    chart?.destroy();
    chart = null;
    const { edges, views } = state.payload;
    const values = edges.views?.[state.edge] ?? [];
    const words = element("p", { class: "why" }, edges.whys[edges.why[state.edge]] ?? "");
    if (!views.length || !values.length) return box.replaceChildren(words);
    const drawn = chartBox("Each view of the edge against linked and random pairs; the numbers are in the table below");
    drawn.box.style.height = `${90 + 62 * views.length}px`;
    box.replaceChildren(words, drawn.box, element("div", { class: "scrolled", tabindex: 0, role: "group", "aria-label": "Values of the views" }, valuesTable(views, values)));
    chart = new Chart(drawn.canvas, configuration(views, values));
    return null;
  };
  state.on("theme", () => chart && show());
  return { box, show };
}
