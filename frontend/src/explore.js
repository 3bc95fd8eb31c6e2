// What only the explorer can do: marks, a new score with the marks held, and saving the sanitized graph.
import { element, panel } from "./dom.js";
import { count } from "./numbers.js";

function token() {
  const fragment = new URLSearchParams(window.location.hash.slice(1));
  return fragment.get("token") ?? new URLSearchParams(window.location.search).get("token") ?? "";
}

/** Calls the server and returns its answer; an error carries the server's own line. */
async function call(path, body) {
  const headers = { "X-KCES-Token": token() };
  const request = body === undefined ? { headers } : { method: "POST", headers: { ...headers, "Content-Type": "application/json" }, body: JSON.stringify(body) };
  let answer;
  try {
    answer = await fetch(path, request);
  } catch {
    throw new Error("The explorer does not answer; is it still running?");
  }
  const content = await answer.json().catch(() => ({}));
  if (!answer.ok || content.error) throw new Error(content.error ?? `The explorer answered ${answer.status}.`);
  return content;
}

const status = element("p", { role: "status", id: "explore-status" });

/** Runs an action and shows what came of it, or its error, as text. */
async function reported(action) {
  status.classList.remove("error");
  try {
    const outcome = await action();
    if (outcome) status.textContent = outcome;
  } catch (error) {
    status.classList.add("error");
    status.textContent = `Error: ${error.message}`;
  }
}

export function loadMarks(state) {
  return reported(async () => {
    const { marks } = await call("/api/marks");
    for (const { source, target, mark } of marks) state.setMark(source, target, mark);
    state.emit("marks");
    return state.marks.size && !status.textContent ? marksLine(state) : null;
  });
}

function marksLine(state) {
  const all = [...state.marks.values()];
  const harmful = all.filter((mark) => mark === "harmful").length;
  return `Marked: ${count(all.length - harmful)} fine, ${count(harmful)} harmful.`;
}

export function markButtons(state) {
  const { edges } = state.payload;
  const put = (mark) =>
    reported(async () => {
      if (state.edge === null) throw new Error("Choose an edge first.");
      const source = state.name(edges.source[state.edge]);
      const target = state.name(edges.target[state.edge]);
      await call("/api/marks", { source, target, mark });
      state.setMark(source, target, mark);
      state.emit("marks");
      return marksLine(state);
    });
  state.on("marking", put);
  const button = (text, mark) => element("button", { type: "button", onclick: () => put(mark) }, text);
  return element(
    "div",
    { class: "marks controls", role: "group", "aria-label": "Mark the chosen edge" },
    element("span", {}, "Mark as"),
    button("Fine", "fine"),
    button("Harmful", "harmful"),
    button("Clear", null),
  );
}

export function explorePanel(state, restart) {
  const name = element("input", { type: "text", id: "save-name", value: state.payload.save_name ?? "clean.csv", required: true, autocomplete: "off" });
  const rescore = () =>
    reported(async () => {
      status.textContent = "Scoring …";
      restart(await call("/api/rescore", {}));
      return "Scored again with the marks held.";
    });
  const save = (event) => {
    event.preventDefault();
    return reported(async () => {
      status.textContent = "Saving …";
      const { path, removed } = await call("/api/save", { name: name.value, alpha: state.alpha });
      return `Saved ${path} without ${count(removed)} ${removed === 1 ? "edge" : "edges"}.`;
    });
  };
  const form = element(
    "form",
    { class: "save", onsubmit: save },
    element("label", {}, "File name ", name),
    element("button", { type: "submit" }, "Save sanitized graph"),
  );
  const buttons = element("div", { class: "marks" }, element("button", { type: "button", onclick: rescore }, "Rescore"), form);
  const made = panel("explore", "Decide", element("p", { class: "note" }, "Mark edges below as fine or harmful, score again with the marks held, and save the graph without the edges that the slider and the marks remove."), buttons, status);
  made.classList.add("controls");
  return made;
}
