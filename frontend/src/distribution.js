// The distribution of edges and of random pairs, with the cut as a line.
import { Chart, axis, chartBox, chartColors } from "./charts.js";
import { significant } from "./numbers.js";

const AXES = { agreement: "agreement of the two ends (1: alike, 0: unrelated)", score: "score (high: suspicious)" };

const sum = (values) => values.reduce((total, value) => total + value, 0);

/** Whether the suspicious edges lie on the low side: agreement is low for them, a score is read off the ranking. */
function suspiciousAreLow({ distribution, edges }) {
  if (distribution.label === "agreement") return true;
  const first = edges.score[0];
  const last = edges.score[edges.score.length - 1];
  return first < last;
}

/** The value below (or above) which the histogram holds as many edges as the cut removes. */
export function thresholdOf(payload, removed) {
  const { bins, edges } = payload.distribution;
  const low = suspiciousAreLow(payload);
  let left = removed;
  for (let step = 0; step < edges.length; step += 1) {
    const bin = low ? step : edges.length - 1 - step;
    if (left <= edges[bin] && edges[bin] > 0) {
      const share = left / edges[bin];
      return bins[bin] + (low ? share : 1 - share) * (bins[bin + 1] - bins[bin]);
    }
    left -= edges[bin];
  }
  return low ? bins[bins.length - 1] : bins[0];
}

/** Where the cut lies; null where nothing goes. */
function currentThreshold(state) {
  if (state.removed === 0) return null;
  const { threshold } = state.payload.distribution;
  return state.isChosenCut && threshold !== null ? threshold : thresholdOf(state.payload, state.removed);
}

/** A histogram as the corners of its steps, in percent of its total. */
function steps(bins, counts) {
  const total = sum(counts) || 1;
  const points = [{ x: bins[0], y: 0 }];
  counts.forEach((value, bin) => {
    const y = (100 * value) / total;
    points.push({ x: bins[bin], y }, { x: bins[bin + 1], y });
  });
  points.push({ x: bins[bins.length - 1], y: 0 });
  return points;
}

function series(label, points, border, dashed) {
  return {
    label,
    data: points,
    borderColor: border,
    backgroundColor: border.replace("rgb(", "rgba(").replace(")", ", 0.18)"),
    borderDash: dashed ? [6, 4] : [],
    borderWidth: 2,
    pointRadius: 0,
    fill: true,
  };
}

function cutLine(state, colors) {
  const value = currentThreshold(state);
  if (value === null) return { type: "line", display: false };
  return {
    type: "line",
    scaleID: "x",
    value,
    borderColor: colors.cut,
    borderWidth: 2,
    label: { display: true, content: suspiciousAreLow(state.payload) ? "← removed" : "removed →", position: "start", backgroundColor: colors.cut, color: colors.surface },
  };
}

function configuration(state) {
  const { bins, edges, random, label } = state.payload.distribution;
  const colors = chartColors();
  const datasets = [series("edges", steps(bins, edges), colors.edges, false)];
  if (random && sum(random) > 0) datasets.push(series("random pairs", steps(bins, random), colors.random, true));
  return {
    type: "line",
    data: { datasets },
    options: {
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      parsing: false,
      events: [],
      scales: {
        x: axis(colors, AXES[label], { type: "linear", min: bins[0], max: bins[bins.length - 1] }),
        y: axis(colors, "share of the pairs, %", { beginAtZero: true }),
      },
      plugins: {
        legend: { labels: { color: colors.text } },
        tooltip: { enabled: false },
        annotation: { animations: false, annotations: { cut: cutLine(state, colors) } },
      },
    },
  };
}

export function distributionChart(state) {
  const label = AXES[state.payload.distribution.label];
  const { canvas, box } = chartBox("");
  let chart = null;
  const describe = () => {
    const value = currentThreshold(state);
    const cut = value === null ? "nothing is removed" : `the cut is at ${significant(value)}`;
    canvas.setAttribute("aria-label", `Distribution of edges and of random pairs by ${label}; ${cut}`);
  };
  const draw = () => {
    chart?.destroy();
    chart = new Chart(canvas, configuration(state));
    describe();
  };
  state.on("theme", draw);
  state.on("cut", () => {
    chart.options.plugins.annotation.annotations.cut = cutLine(state, chartColors());
    chart.update("none");
    describe();
  });
  queueMicrotask(draw);
  return box;
}
