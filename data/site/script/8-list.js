// The page of a list: filters, all months, and a print of what is shown.

const LONG_LIST = 20000;
const ROWS_SHOWN = 100;

pages.list = async () => {
  const values = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  const place = el("div", { id: "rows" });
  const status = el("p", { class: "status note", role: "status" });
  let turn = 0;
  const set = async (changes) => {
    const own = (turn += 1);
    Object.assign(values, changes);
    for (const name of Object.keys(values)) if (!values[name]) delete values[name];
    keepInAddress(new URLSearchParams(values).toString());
    document.getElementById("list-month").textContent = monthName(partOf(values).month);
    try {
      const list = await listRows(values);
      if (own === turn) drawList(list, values, { place, status, set });
    } catch (error) {
      place.replaceChildren(says(error));
    }
  };
  show(place);
  document.getElementById("filters").replaceChildren(...filters(values, (name, value) => set({ [name]: value, shown: "" })), status);
  await set({});
};

/** Return the month of the list, and the part of it that the filters need: a long list has parts by federation. */
function partOf(values) {
  const month = meta.months[monthAt(values.month)] ?? meta.months[meta.last];
  const parts = month.lists[document.body.dataset.control] ?? {};
  const name = parts[values.federation] ? values.federation : "all";
  return { month: month.month, part: parts[name] ?? { first: 0, slices: 0, players: 0 } };
}

/**
 * Return the rows of a list that fit the filters, each with its place among them. As many slices are loaded as the rows
 * shown need; where a list that is not long is filtered, all.
 */
async function listRows(values) {
  const { month, part } = partOf(values);
  const group = meta.groups[values.group];
  const fits = (row) => (!values.federation || row.federation === values.federation)
    && (!values.sex || row.sex === values.sex) && (!values.active || !(row.flag ?? "").includes("i"))
    && (!group || (row.birth_year >= group[0] && row.birth_year <= group[1]));
  const isFiltered = ["federation", "group", "sex", "active"].some((name) => values[name]);
  const wanted = part.players <= LONG_LIST && isFiltered ? Infinity : Number(values.shown ?? ROWS_SHOWN) + 1;
  const rows = [];
  let read = 0;
  for (; read < part.slices && rows.length < wanted; read += 1) {
    const slice = await load(`l/${month}/${document.body.dataset.control}/${part.first + read}`);
    rows.push(...rowsOf(slice.players).filter(fits));
  }
  rows.forEach((row, at) => { row.place = at && rows[at - 1].rating === row.rating ? rows[at - 1].place : at + 1; });
  // What was not read is counted where nothing is left out of it.
  return { rows, count: read === part.slices ? rows.length : isFiltered ? null : part.players };
}

/** Return the fields of the filters. ``choose``: what is done with the name and the value of the one that was changed. */
function filters(values, choose) {
  const select = (name, options) => (options.length < 2 ? "" : el("select",
    { id: `filter-${name}`, "aria-label": TEXTS[`filter_${name}`] ?? T(name), onchange: (event) => choose(name, event.target.value) },
    options.map(([value, text]) => el("option", { value, selected: (values[name] ?? "") === value }, text))));
  const toggle = (name, value, text) => el("button",
    { type: "button", id: `filter-${name}`, "aria-pressed": String(values[name] === value), onclick: (event) => {
      choose(name, values[name] ? "" : value);
      event.currentTarget.setAttribute("aria-pressed", String(values[name] === value));
    } }, text);
  const months = meta.months.filter((each) => each.lists[document.body.dataset.control]).reverse();
  const codes = meta.federations.map((code) => [code, code]);
  const groups = Object.keys(meta.groups).map((group) =>
    [group, T(group.endsWith("+") ? "group_over" : "group_under", { age: group.replace(/\D/g, "") })]);
  return [
    select("month", months.map((each, at) => [at ? each.month : "", monthName(each.month)])),
    select("federation", [["", T("federation_all")], ...codes].slice(codes.length > 1 ? 0 : 2)),
    select("group", [["", T("group_all")], ...groups]),
    toggle("sex", "F", T("women")), toggle("active", "1", T("active_only"))];
}

/** Show the rows of a list, and the buttons for more rows and a print. */
function drawList({ rows, count }, values, { place, status, set }) {
  const most = Number(values.shown ?? ROWS_SHOWN);
  const hasYears = Object.keys(meta.groups).length > 0;
  const shown = whole(Math.min(most, rows.length));
  status.textContent = count === null ? T("shown_first", { count: shown }) : T("rows_fit", { shown, count: counted(count, "player") });
  const head = [[T("place"), "place number quiet"], [T("name"), "name"], "federation@", ...(hasYears ? ["birth_year#@"] : []), "rating#!", "change#",
    "games#@", "k#@", "flag@"];
  const line = (row) => {
    const isInactive = (row.flag ?? "").includes("i");
    const name = titled(row.title, playerLink(row.fide_id, row.name), joined([row.federation, row.birth_year, isInactive ? T("inactive") : ""]));
    const change = row.is_new ? T("new") : row.change ? changeText(row.change) : row.games ? "0" : "–";
    return [row.place, name, row.federation, ...(hasYears ? [row.birth_year] : []), row.rating, change, row.games || "–", row.k, row.flag];
  };
  const button = (id, text, onclick, more = {}) => el("button", { type: "button", id, onclick, ...more }, text);
  place.replaceChildren(table(T("players"), head, rows.slice(0, most).map(line)),
    el("div", { class: "more" },
      rows.length > most ? button("show-more", T("show_more", { count: Math.min(ROWS_SHOWN, count === null ? ROWS_SHOWN : count - most) }), () => set({ shown: String(most + ROWS_SHOWN) }), { class: "plain" }) : "",
      button("print", T("print_shown"), async () => { await set({ shown: String(LONG_LIST) }); window.print(); })));
}
