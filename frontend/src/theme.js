// Light and dark: the system's choice, a button that overrides it, and light on paper.
import { element } from "./dom.js";

const dark = window.matchMedia("(prefers-color-scheme: dark)");
const paper = window.matchMedia("print");

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : dark.matches;
}

/** The value of a color of the style sheet as the canvas libraries need it. */
export function color(name) {
  const probe = element("span");
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

export function themeButton(state) {
  const button = element("button", { type: "button", class: "quiet controls", id: "theme" });
  const label = () => {
    button.textContent = isDark() ? "Light colors" : "Dark colors";
  };
  const changed = () => {
    label();
    state.emit("theme");
  };
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    changed();
  });
  dark.addEventListener("change", changed);
  label();
  return button;
}

/** Calls the function when the page goes to paper (true) and when it comes back (false). */
export function onPaper(listener) {
  paper.addEventListener("change", () => listener(paper.matches));
}
