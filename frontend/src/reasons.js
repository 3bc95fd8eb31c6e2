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

/** The views that can tell pairs apart: one with the same value for all of them says nothing. */
function speaking(views) {
  return views.map((view, index) => ({ ...view, index })).filter(({ links, random }) => {
    const all = [...links, ...random];
    return Math.max(...all) > Math.min(...all);
  });
}

/** Maps the values of a view to 0..1, so that views of different units share an axis. */
function scaleOf(view, value) {
  const all = [...view.links, ...view.random, value];
  const low = Math.min(...all);
  const width = Math.max(...all) - low || 1;
  return (entry) => (entry - low) / width;
}

const LABEL_WIDTH = 26;

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

const middle = (deciles, scale) => (deciles.length ? [scale(deciles[1]), scale(deciles[9])] : null);

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
        x: axis(colors, "less alike → more alike", { min: -0.03, max: 1.03, ticks: { display: false } }),
        y: { type: "category", offset: true, ticks: { color: colors.text, autoSkip: false }, grid: { display: false } },
      },
      plugins: { legend: { labels: { color: colors.text, usePointStyle: true } }, tooltip: { enabled: false } },
    },
  };
}

function valuesTable(views, values) {
  const header = ["View", "This edge", "More alike than … of linked pairs", "… of random pairs", "Weight"];
  const rows = views.map((view, index) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, view.name),
      element("td", {}, significant(values[index])),
      element("td", {}, percent(shareBelow(view.links, values[index]), 0)),
      element("td", {}, view.random.length ? percent(shareBelow(view.random, values[index]), 0) : "–"),
      element("td", {}, percent(view.weight, 0)),
    ),
  );
  return element(
    "table",
    { class: "plain" },
    element("caption", { class: "hidden" }, "Values of the views"),
    element("thead", {}, element("tr", {}, ...header.map((title) => element("th", { scope: "col" }, title)))),
    element("tbody", {}, ...rows),
  );
}

/** The table of numbers behind the bars: folded on the screen, open on paper. */
function numbersDetails(state) {
  const body = element("div", { class: "scrolled", tabindex: 0, role: "group", "aria-label": "Values of the views" });
  const details = element("details", {}, element("summary", {}, "The numbers behind the bars"), body);
  state.on("paper", (printing) => {
    details.open = printing;
  });
  return { details, body };
}

function sentence(reason) {
  return reason ? `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.` : "";
}

/** The reasons for the chosen edge, in words and in bars; `show` fills them in. */
export function reasonsView(state) {
  const words = element("p", { class: "why" });
  const box = element("div", { class: "reasons" });
  const numbers = numbersDetails(state);
  let chart = null;
  const show = () => {
    chart?.destroy();
    chart = null;
    const { edges, views } = state.payload;
    const all = edges.views?.[state.edge] ?? [];
    words.textContent = sentence(edges.whys[edges.why[state.edge]]);
    const shown = all.length ? speaking(views) : [];
    if (!shown.length) return box.replaceChildren();
    const values = shown.map(({ index }) => all[index]);
    const drawn = chartBox("Each view of the edge against linked and random pairs; the numbers are in the table below");
    drawn.box.style.height = `${90 + 54 * shown.length}px`;
    const versus = shown.some(({ name }) => name.includes(" vs. ")) ? " “vs. neighbors” compares one end with the neighbors of the other." : "";
    const note = `The bars hold the middle 80% of the linked and of the random pairs.${versus}`;
    numbers.body.replaceChildren(valuesTable(shown, values));
    box.replaceChildren(element("h3", {}, "How alike the two ends are"), drawn.box, element("p", { class: "note" }, note), numbers.details);
    chart = new Chart(drawn.canvas, configuration(shown, values));
    return null;
  };
  state.on("theme", () => chart && show());
  return { words, box, show };
}
