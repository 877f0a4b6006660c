// The page of a list: filters, sorting by a click, all months, and a print of what is shown.

const LONG_LIST = 20000;
const ROWS_SHOWN = 100;
const COLUMNS = ["place#~", "name", "federation@", "birth_year#@", "rating#!", "change#", "games#@", "k#@", "flag@"];
const TITLES = ["GM", "IM", "FM", "CM", "WGM", "WIM", "WFM", "WCM"];

pages.list = async () => {
  const values = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  const place = el("div", { id: "rows" });
  const status = el("p", { class: "status note", role: "status" });
  let [turn, typing] = [0, 0];
  const name = searchField("filter-name", "name_or_id", { value: values.name ?? "", oninput: () => {
    clearTimeout(typing);
    typing = setTimeout(() => set({ name: name.value.trim(), shown: "" }), 200);
  } });
  const set = async (changes) => {
    const own = (turn += 1);
    Object.assign(values, changes);
    for (const name of Object.keys(values)) if (!values[name]) delete values[name];
    keepInAddress(new URLSearchParams(values).toString());
    drawFilters(values, [name, status], set);
    try {
      const rows = await listRows(values);
      if (own === turn) drawList(rows, values, { place, status, set });
    } catch (error) {
      place.replaceChildren(says(error));
    }
  };
  show(place);
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
 * shown need; where a list that is not long is filtered or sorted, all.
 */
async function listRows(values) {
  const { month, part } = partOf(values);
  const isLong = part.players > LONG_LIST;
  const group = meta.groups[values.group];
  const [, page] = meta.clubs.find(([name]) => name === values.club) ?? [];
  const members = page ? new Set((await load(`c/${page}`)).members) : null;
  const words = foldName(values.name ?? "").split(" ").filter(Boolean);
  const fits = (row) => (!values.federation || row.federation === values.federation) && (!members || members.has(row.fide_id))
    && (!values.sex || row.sex === values.sex) && (!values.active || !(row.flag ?? "").includes("i"))
    && (!group || (row.birth_year >= group[0] && row.birth_year <= group[1]))
    && (!values.title || (values.title === "any" ? row.title : row.title === values.title));
  const isFiltered = ["federation", "group", "club", "sex", "active", "title", "name"].some((name) => values[name]);
  const wanted = !isLong && (isFiltered || values.sort) ? Infinity : Number(values.shown ?? ROWS_SHOWN) + 1;
  const rows = [];
  let read = 0;
  for (; read < part.slices && rows.length < wanted; read += 1) {
    const slice = await load(`l/${month}/${document.body.dataset.control}/${part.first + read}`);
    rows.push(...rowsOf(slice.players).filter(fits));
  }
  rows.forEach((row, at) => { row.place = at && rows[at - 1].rating === row.rating ? rows[at - 1].place : at + 1; });
  const isNamed = (row) => words.every((word) => foldName(`${row.name ?? ""} ${row.fide_id}`).includes(word));
  const named = words.length ? rows.filter(isNamed) : rows;
  return { isLong, isWhole: read === part.slices, isFiltered, players: part.players, rows: sorted(named, values.sort, isLong) };
}

function sorted(rows, sort, isLong) {
  const [column, direction] = (sort ?? "").split("-");
  if (!column || isLong) return rows;
  const order = new Intl.Collator(document.documentElement.lang).compare;
  const sign = direction === "up" ? -1 : 1;
  const compare = (a, b) => (typeof a === "string" ? order(a, b) : b - a);
  return [...rows].sort((a, b) => (a[column] == null) - (b[column] == null) || sign * compare(a[column], b[column]) || a.place - b.place);
}

function drawFilters(values, more, set) {
  const had = document.activeElement?.id;
  const control = document.body.dataset.control;
  const { month } = partOf(values);
  const choose = (name, value) => set({ [name]: value, shown: "" });
  const select = (name, options) => (options.length < 2 ? "" : el("select",
    { id: `filter-${name}`, "aria-label": TEXTS[`filter_${name}`] ?? T(name), onchange: (event) => choose(name, event.target.value) },
    options.map(([value, text]) => el("option", { value, selected: (values[name] ?? "") === value }, text))));
  const toggle = (name, value, text) => el("button", { type: "button", id: `filter-${name}`,
    "aria-pressed": String(values[name] === value), onclick: () => choose(name, values[name] ? "" : value) }, text);
  const months = meta.months.filter((each) => each.lists[control]).map((each) => [each.month, monthName(each.month)]).reverse();
  const codes = meta.federations.map((code) => [code, code]);
  const groups = Object.keys(meta.groups).map((group) =>
    [group, T(group.endsWith("+") ? "group_over" : "group_under", { age: group.replace(/\D/g, "") })]);
  document.getElementById("filters").replaceChildren(
    select("month", months.map(([each, text], at) => [at ? each : "", text])),
    select("federation", [["", T("federation_all")], ...codes].slice(codes.length > 1 ? 0 : 2)),
    select("group", [["", T("group_all")], ...groups]), select("club", [["", T("club_all")], ...meta.clubs.map(([club]) => [club, club])]),
    select("title", [["", T("title_all")], ["any", T("any_title")], ...TITLES.map((title) => [title, title])]),
    toggle("sex", "F", T("women")), toggle("active", "1", T("active_only")), ...more);
  if (had?.startsWith("filter-")) document.getElementById(had)?.focus();
  document.getElementById("list-month").textContent = monthName(month);
}

/** Show the rows of a list, what was chosen on paper, and the buttons for more rows and a print. */
function drawList({ isLong, isWhole, isFiltered, players, rows }, values, { place, status, set }) {
  const most = Number(values.shown ?? ROWS_SHOWN);
  const [by, direction] = (values.sort ?? "rating").split("-");
  const columns = COLUMNS.filter((column) => Object.keys(meta.groups).length || !column.startsWith("birth_year"));
  const head = columns.map((column) => {
    const name = column.replace(/[#@!~]/g, "");
    const signs = column.slice(name.length);
    const own = `${["name", "place"].includes(name) ? `${name} ` : ""}${[...signs].map((sign) => SIGNS[sign]).join(" ")}`;
    if (isLong || ["place", "flag"].includes(name)) return [T(name), own];
    const sort = () => set({ sort: by !== name || !values.sort ? name : direction === "up" ? "" : `${name}-up` });
    return [el("button", { type: "button", onclick: sort }, T(name), by === name ? (direction === "up" ? " ▴" : " ▾") : ""), own,
      by === name ? { "aria-sort": direction === "up" ? "ascending" : "descending" } : {}];
  });
  const cells = (row) => columns.map((column) => cellOf(row, column.replace(/[#@!~]/g, "")));
  const all = isWhole ? rows.length : players;
  const isCounted = isWhole || !isFiltered;
  status.textContent = T(isCounted ? "rows_fit" : "rows_shown",
    { shown: whole(Math.min(most, rows.length)), count: isCounted ? counted(all, "player") : whole(all) });
  const choices = [...document.querySelectorAll("#filters select")].filter((select) => select.value)
    .map((select) => select.selectedOptions[0].textContent);
  const pressed = [...document.querySelectorAll("#filters [aria-pressed=true]")].map((button) => button.textContent);
  const button = (id, text, onclick, more = {}) => el("button", { type: "button", id, onclick, ...more }, text);
  place.replaceChildren(el("p", { class: "on-paper" }, joined([...choices, ...pressed, status.textContent])),
    table(T("players"), head, rows.slice(0, most).map(cells)),
    el("div", { class: "more" },
      rows.length > most ? button("show-more", T("show_more"), () => set({ shown: String(most + ROWS_SHOWN) }), { class: "plain" }) : "",
      button("print", T("print_shown"), async () => { await set({ shown: String(LONG_LIST) }); window.print(); })));
}

function cellOf(row, name) {
  if (name === "name") {
    const under = [row.federation, row.birth_year, (row.flag ?? "").includes("i") ? T("inactive") : ""];
    return titled(row.title, playerLink(row.fide_id, row.name), joined(under));
  }
  if (name === "change") return row.is_new ? T("new") : row.change ? changeText(row.change) : row.games ? "0" : "–";
  return name === "games" ? row.games || "–" : row[name];
}
