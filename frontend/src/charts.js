// The chart library with only the parts that the page draws with.
import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  Legend,
  LineController,
  LineElement,
  LinearScale,
  PointElement,
  ScatterController,
  Filler,
  Tooltip,
} from "chart.js";
import annotation from "chartjs-plugin-annotation";
import { element } from "./dom.js";
import { color } from "./theme.js";

Chart.register(
  BarController,
  BarElement,
  CategoryScale,
  Legend,
  LineController,
  LineElement,
  LinearScale,
  PointElement,
  ScatterController,
  Filler,
  Tooltip,
  annotation,
);

/** The colors of the style sheet in the form that charts take. */
export function chartColors() {
  return {
    text: color("text"),
    grid: color("line"),
    edges: color("edges"),
    random: color("random"),
    cut: color("danger"),
    surface: color("surface"),
  };
}

/** A canvas in a box that gives it its height, described in words for those who do not see it. */
export function chartBox(name) {
  const canvas = element("canvas", { role: "img", "aria-label": name });
  return { canvas, box: element("div", { class: "chart" }, canvas) };
}

export function axis(colors, title, more = {}) {
  return { title: { display: true, text: title, color: colors.text }, ticks: { color: colors.text }, grid: { color: colors.grid }, ...more };
}

export { Chart };
