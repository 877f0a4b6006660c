// Elements of a page. A text of the data is only ever put into a text node: no name, event or reason becomes markup.

/** Make an element; children are elements or texts, and a text becomes a text node. */
function el(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG_TAGS.has(tag) ? SVG : HTML, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

const HTML = "http://www.w3.org/1999/xhtml";
const SVG = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set(["svg", "path", "circle", "text", "g", "desc", "line"]);

/** Make a table in a box that scrolls by itself. ``head``: text, or [text, "number"]; cells: texts or elements. */
function table(caption, head, rows) {
  const numbers = head.map((name) => Array.isArray(name));
  const cell = (tag, value, column, more = {}) =>
    el(tag, { ...more, class: numbers[column] ? "number" : null }, value === null || value === undefined ? "" : value);
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    el("table", {},
      el("caption", {}, caption),
      el("thead", {}, el("tr", {}, head.map((name, column) =>
        cell("th", Array.isArray(name) ? name[0] : name, column, { scope: "col" })))),
      el("tbody", {}, rows.map((row) => el("tr", {}, row.map((value, column) => cell("td", value, column)))))));
}

/** Return the part of the address behind #, decoded; as it is where it cannot be decoded. */
function fragment() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return location.hash.slice(1);
  }
}

const main = document.querySelector("main");
const result = document.getElementById("result");
const playerLink = (id, name) => el("a", { href: `player.html#${id}` }, name || String(id));
const eventLink = (month, id, name) => el("a", { href: `event.html#${month}/${encodeURIComponent(id)}` }, name || id);
const monthLink = (month) => el("a", { href: `month-${month}.html` }, month);

function show(...parts) {
  result.replaceChildren(...parts.flat());
  result.removeAttribute("aria-busy");
}

function fail(error) {
  if (!(error instanceof FileError)) console.error(error);
  show(el("p", { class: "error", role: "alert" }, error instanceof FileError ? error.message : T("page_failed")));
}

const busy = () => {
  result.setAttribute("aria-busy", "true");
  result.replaceChildren(el("p", {}, T("loading")));
};
