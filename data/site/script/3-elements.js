// Elements of a page. A text of the data is only ever put into a text node: no name, event or reason becomes markup.

const HTML = "http://www.w3.org/1999/xhtml";
const SVG = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set(["svg", "path", "circle", "text", "rect", "title"]);

/** Make an element; children are elements or texts, and a text becomes a text node. */
function el(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG_TAGS.has(tag) ? SVG : HTML, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter(has));
  return element;
}

const SIGNS = { "#": "number", "@": "wide", "!": "strong", "~": "quiet", "%": "late-column" };

/**
 * Make a table in a box that scrolls by itself. ``head``: for each column the name of its text with signs (SIGNS), such
 * as rating#!, or a text and its signs or classes; cells: texts or elements. ``foot``: cells of a last row.
 */
function table(caption, head, rows, foot = null) {
  const named = (column) => [T(column.replace(/[#@!~%]/g, "")), column.replace(/\w/g, "")];
  const columns = head.map((column) => (Array.isArray(column) ? column : named(column)));
  const classOf = (signs) => ([...signs].every((sign) => SIGNS[sign]) ? [...signs].map((sign) => SIGNS[sign]).join(" ") : signs);
  const classes = columns.map(([, signs]) => classOf(signs) || null);
  const line = (row) => {
    const cells = el("tr", {}, row.map((value, at) => el("td", { class: classes[at] }, value ?? "")));
    if (cells.querySelectorAll("a, button").length === 1) cells.className = "whole";
    return cells;
  };
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    el("table", {},
      el("caption", {}, caption),
      el("thead", {}, el("tr", {}, columns.map(([text], at) => el(text ? "th" : "td", { scope: text ? "col" : null, class: classes[at] }, text)))),
      el("tbody", {}, rows.map(line)),
      foot ? el("tfoot", {}, line(foot)) : ""));
}

/** Return the part of the address behind #, decoded. */
const fragment = () => decodeURIComponent(location.hash.slice(1));

const main = document.querySelector("main");
const result = document.getElementById("result");
const note = (...content) => el("p", { class: "note" }, ...content);
const soft = (...content) => el("p", { class: "soft" }, ...content);
const heading = (text, ...more) => el("div", { class: "heading" }, el("h2", {}, text), ...more);
const fold = (summary, ...content) => el("details", { class: "plain" }, el("summary", {}, summary), ...content);
/** Return the address of a player's month; ``part``: what is scrolled to, whose id is the whole fragment. */
const monthOfPlayer = (id, month, part = "") => `#${id}/${meta.months[month].month}${part && `/${part}`}`;
const unnamed = (id) => `${T("fide_id")} ${id}`.replaceAll(" ", "\u00a0");
const playerLink = (id, name, month = "") => el("a", { href: `player.html#${id}${month ? `/${month}` : ""}` }, name || String(id));
const eventLink = (month, id, name) => el("a", { href: `event.html#${month}/${encodeURIComponent(id)}` }, name || id);
const monthLink = (month) => el("a", { href: `month-${month}.html` }, monthName(month));
const titled = (title, link, under = "") =>
  [title ? [el("b", { class: "badge" }, title), " "] : "", link, under ? el("span", { class: "under" }, under) : ""];
const joined = (texts) => texts.filter(Boolean).join(" · ");

/** Return a fold whose content is made when a reader opens it. */
function lateFold(summary, make) {
  const place = el("div", {}, soft(T("loading")));
  const folded = fold(summary, place);
  const fill = async () => place.replaceChildren(...(await make().catch((error) => [says(error)])));
  folded.addEventListener("toggle", fill, { once: true });
  return folded;
}

/** Return what a reader reads of an error. */
function says(error) {
  if (!(error instanceof DataError)) console.error(error);
  const text = location.protocol === "file:" ? T("needs_server") : error instanceof DataError ? error.message : T("page_failed");
  return el("p", { class: "error", role: "alert" }, text);
}

function show(...parts) {
  result.replaceChildren(...parts.flat(Infinity));
}

const alertText = (text) => el("p", { role: "alert" }, text);

/** Put what a reader chose behind the address, without a step back to it. */
function keepInAddress(text) {
  window.history.replaceState(window.history.state, "", text ? `#${text}` : location.pathname + location.search);
}
