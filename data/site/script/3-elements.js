// Elements of a page. A text of the data is only ever put into a text node: no name, event or reason becomes markup.

/** Make an element; children are elements or texts, and a text becomes a text node. */
function el(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG_TAGS.has(tag) ? SVG : HTML, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return made;
}

const HTML = "http://www.w3.org/1999/xhtml";
const SVG = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set(["svg", "path", "circle", "text", "g", "desc", "line", "rect", "tspan"]);

/**
 * Make a table in a box that scrolls by itself. ``head``: text, or [text, classes, element or null]; cells: texts or
 * elements. ``foot``: cells of a last row.
 */
function table(caption, head, rows, foot = null) {
  const classes = head.map((name) => (Array.isArray(name) ? name[1] ?? "number" : null));
  const cell = (tag, value, column, more = {}) =>
    el(tag, { ...more, class: classes[column] || null }, value === null || value === undefined ? "" : value);
  const line = (row) => {
    const made = el("tr", {}, row.map((value, column) => cell("td", value, column)));
    if (made.querySelectorAll("a, button").length === 1) made.className = "whole";
    return made;
  };
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    el("table", {},
      el("caption", {}, caption),
      el("thead", {}, el("tr", {}, head.map((name, column) =>
        cell("th", Array.isArray(name) ? name[0] : name, column, { scope: "col", ...(Array.isArray(name) ? name[2] : {}) })))),
      el("tbody", {}, rows.map(line)),
      foot ? el("tfoot", {}, line(foot)) : ""));
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
const playerAddress = (id, month = "") => `player.html#${id}${month ? `/${month}` : ""}`;
const eventAddress = (month, id) => `event.html#${month}/${encodeURIComponent(id)}`;
const playerLink = (id, name, month = "") => el("a", { href: playerAddress(id, month) }, name || String(id));
const titled = (title, link, under = "") => [title ? el("b", { class: "badge" }, title) : "", title ? " " : "", link, under ? el("span", { class: "under" }, under) : ""];
const fold = (summary, open, ...content) => el("details", { class: "plain", open }, el("summary", {}, summary), ...content);
const eventLink = (month, id, name) => el("a", { href: eventAddress(month, id) }, name || id);
const monthLink = (month) => el("a", { href: `month-${month}.html` }, monthName(month));
const says = (error) => {
  if (!(error instanceof FileError)) console.error(error);
  return el("p", { class: "error", role: "alert" }, error instanceof FileError ? error.message : T("page_failed"));
};

function show(...parts) {
  result.replaceChildren(...parts.flat(Infinity));
  result.removeAttribute("aria-busy");
}

const fail = (error) => show(says(error));

const busy = () => {
  result.setAttribute("aria-busy", "true");
  result.replaceChildren(el("p", { class: "soft" }, T("loading")));
};

/** Put what a reader chose behind the address, without a step back to it. */
function keepInAddress(text) {
  window.history.replaceState(window.history.state, "", text ? `#${text}` : location.pathname + location.search);
}
