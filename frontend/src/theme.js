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
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    state.emit("theme");
  });
  state.on("theme", label);
  label();
  return button;
}

/** Tells the state that `current` gives about changes of the system's colors and about paper: true when it goes there. */
export function watchMedia(current) {
  dark.addEventListener("change", () => current().emit("theme"));
  paper.addEventListener("change", () => {
    current().emit("theme");
    current().emit("paper", paper.matches);
  });
}
