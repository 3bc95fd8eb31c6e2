// Elements made from text only: no name from a graph ever meets an HTML parser.

const LONGEST = 60;

/** An element with attributes and children; strings become text nodes. */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** The text, cut to a readable length. */
export function shortened(text, longest = LONGEST) {
  const characters = Array.from(text.slice(0, 4 * longest));
  return characters.length > longest ? characters.slice(0, longest - 1).join("") + "…" : text;
}

/** A name from the graph: isolated from the direction of the text around it, cut, with the whole of it as title. */
export function nameElement(text, tag = "bdi", longest = LONGEST) {
  const short = shortened(text, longest);
  return element(tag, { dir: "auto", title: short === text ? null : text }, short);
}

/** A section with a heading, which is also its accessible name. */
export function panel(id, title, ...children) {
  const heading = element("h2", { id: `${id}-title` }, title);
  return element("section", { id, class: "panel", "aria-labelledby": `${id}-title` }, heading, ...children);
}

/** Terms, values and, as a title, what a term means; entries without a value are left out. */
export function facts(entries) {
  const list = element("dl", { class: "facts" });
  for (const [term, value, title] of entries) {
    if (value === null || value === undefined || value === "") continue;
    list.append(element("div", { title }, element("dt", {}, term), element("dd", {}, value)));
  }
  return list;
}
