// The page of a list: filters, sorting by a click, all months, and a file of what is shown.

pages.list = async () => {
  const control = document.body.dataset.control;
  const meta = await loadMeta();
  const clubs = meta.hasClubs ? await load("c/all") : [];
  const { letters } = await load("s/index");
  const values = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  const bar = document.getElementById("filters");
  const place = el("div", { id: "rows" });
  const status = el("p", { class: "status note", role: "status" });
  let turn = 0;
  const set = (changes) => {
    for (const [name, value] of Object.entries(changes)) if (value) values[name] = value; else delete values[name];
    delete values.shown;
    return run();
  };
  const run = async () => {
    const own = (turn += 1);
    keepInAddress(new URLSearchParams(values).toString());
    drawFilters();
    try {
      await filtered(meta, control, { clubs, letters }, values, { place, status, set, isCurrent: () => own === turn });
    } catch (error) {
      place.replaceChildren(says(error));
    }
  };
  const select = (name, options) => el("select", { id: `filter-${name}`, "aria-label": T(`filter_${name}`), onchange: (event) => set({ [name]: event.target.value }) },
    options.map(([value, text]) => el("option", { value, selected: (values[name] ?? "") === value }, text)));
  const toggle = (name, value, text) => el("button", { type: "button", id: `filter-${name}`, "aria-pressed": String(values[name] === value), onclick: () => set({ [name]: values[name] === value ? "" : value }) }, text);
  let typing = 0;
  const name = el("input", { type: "search", id: "filter-name", autocomplete: "off", spellcheck: "false", placeholder: T("search_label"), "aria-label": T("search_label"),
    oninput: (event) => { clearTimeout(typing); typing = setTimeout(() => set({ name: event.target.value.trim() }), 200); } });
  name.value = values.name ?? "";
  const drawFilters = () => {
    const had = document.activeElement && document.activeElement.id;
    const months = meta.months.filter((of) => of.shown && (meta.lists[of.month] ?? {})[control]).map((of) => [of.month, monthName(of.month)]).reverse();
    const newestMonth = months[0] ? months[0][0] : "";
    const parts = partsOf(meta, control, values);
    const federations = Object.keys(parts).filter((part) => part !== "all");
    const groups = Object.keys(meta.groups);
    bar.replaceChildren(
      months.length > 1 ? select("month", months.map(([month, name]) => [month === newestMonth ? "" : month, name])) : "",
      federations.length ? select("federation", [["", T("federation_all")], ...federations.map((code) => [code, code])]) : "",
      groups.length ? select("group", [["", T("group_all")], ...groups.map((group) => [group, T(group.endsWith("+") ? "group_over" : "group_under", { age: group.replace(/\D/g, "") })])]) : "",
      clubs.length ? select("club", [["", T("club_all")], ...clubs.map(([name]) => [name, name])]) : "",
      select("title", [["", T("title_all")], ["any", T("any_title")], ...["GM", "IM", "FM", "CM", "WGM", "WIM", "WFM", "WCM"].map((title) => [title, title])]),
      toggle("sex", "F", T("women")), toggle("active", "1", T("active_only")), parts.all <= SORTED_AT_MOST ? name : "", status);
    if (had && had.startsWith("filter-")) document.getElementById(had)?.focus();
    const month = monthName(monthOf(meta, values));
    document.getElementById("list-month").textContent = month;
    document.querySelector("h1").textContent = T("list_title", { control: capital(controlName(control)), month });
  };
  show(place);
  await run();
};

const monthOf = (meta, values) => ((meta.lists[values.month] ? values.month : null) ?? meta.months.filter((of) => of.shown).at(-1).month);
const partsOf = (meta, control, values) => (meta.lists[monthOf(meta, values)] ?? {})[control] ?? { all: 0 };

async function filtered(meta, control, { clubs, letters }, values, { place, status, set, isCurrent }) {
  const month = monthOf(meta, values);
  const parts = partsOf(meta, control, values);
  const part = values.federation && parts[values.federation] ? values.federation : "all";
  const count = parts[part];
  const fileCount = Math.ceil(count / 1000);
  const column = Object.fromEntries(meta.listColumns.map((name, at) => [name, at]));
  const born = meta.groups[values.group];
  const year = (row) => row[column.birth_year];
  const club = clubs.find(([name]) => name === values.club);
  const members = club ? new Set(await load(`c/${club[1]}`)) : null;
  const words = foldName(letters, values.name ?? "").split(" ").filter(Boolean);
  const named = (row) => {
    const name = foldName(letters, `${row[column.name] ?? ""} ${row[column.fide_id]}`);
    return words.every((word) => name.includes(word));
  };
  const fits = (row) => (!members || members.has(row[column.fide_id])) && (!values.sex || row[column.sex] === values.sex) && (!born || (year(row) && year(row) >= born[0] && year(row) <= born[1]))
    && (!values.active || !(row[column.flag] ?? "").includes("i"))
    && (!values.title || (values.title === "any" ? row[column.title] : row[column.title] === values.title));
  let found = [];
  let read = 0;
  const [by, direction] = (values.sort ?? "").split("-");
  const canSort = count <= SORTED_AT_MOST;
  const shown = Math.max(Number(values.shown) || 0, ROWS_SHOWN);
  const isSorted = Boolean(by) && canSort;
  const readUntil = async (rows) => {
    while (read < fileCount && found.length < rows && isCurrent()) {
      const file = await load(`l/${month}/${control}/${part}/${read}`);
      if (!isCurrent()) return;
      found.push(...rowsOf(file.rows).filter(fits));
      read += 1;
    }
  };
  // The count is that of the rows that fit, wherever a reader waits for it no longer than for a list that is sorted.
  const isFiltered = Boolean((canSort && words.length) || members || values.sex || born || values.active || values.title);
  await readUntil(isSorted || (isFiltered && canSort) ? Infinity : shown + 1);
  if (!isCurrent()) return;
  // A name is looked for among the rows that fit, and keeps its place among them.
  const places = placesOf(found, column.rating);
  if (words.length) found = found.filter(named);
  if (isSorted) sortRows(found, column[by], direction === "up");
  const hasMore = found.length > shown || read < fileCount;
  status.textContent = by && !canSort ? T("sort_too_many", { most: whole(SORTED_AT_MOST) })
    : isFiltered && read < fileCount ? T("rows_shown", { shown: whole(Math.min(shown, found.length)), count: whole(count) })
      : T("rows_fit", { shown: whole(Math.min(shown, found.length)), count: isFiltered ? found.length : count });
  const choices = [...document.querySelectorAll("#filters select")].filter((one) => one.value).map((one) => one.selectedOptions[0].textContent);
  const pressed = [...document.querySelectorAll("#filters [aria-pressed=true]")].map((one) => one.textContent);
  const sort = (name) => set({ sort: by === name && direction !== "up" ? `${name}-up` : by === name ? "" : name });
  place.replaceChildren(el("p", { class: "on-paper" }, [...choices, ...pressed, status.textContent].join(" · ")), listTable(found.slice(0, shown), places, meta.listShown, column, { by: by || "rating", isUp: direction === "up", sort, canSort }),
    el("div", { class: "more" },
      hasMore ? el("button", { type: "button", class: "plain", id: "show-more", onclick: () => {
        values.shown = String(shown + ROWS_SHOWN);
        keepInAddress(new URLSearchParams(values).toString());
        filtered(meta, control, { clubs, letters }, values, { place, status, set, isCurrent }).then(() => document.getElementById("show-more")?.focus({ preventScroll: true })).catch(fail);
      } }, T("show_more")) : "",
      el("button", { type: "button", id: "download", onclick: async () => { await readUntil(Infinity); if (words.length) found = found.filter(named); download(`${control}-${month}.csv`, found, meta.listColumns); } }, T("download_shown")),
      el("button", { type: "button", id: "print", onclick: async () => {
        values.shown = String(SORTED_AT_MOST);
        await filtered(meta, control, { clubs, letters }, values, { place, status, set, isCurrent }).catch(fail);
        window.print();
      } }, T("print_shown"))));
}

function sortRows(rows, column, isUp) {
  const order = new Intl.Collator(document.documentElement.lang).compare;
  rows.sort((a, b) => {
    const [left, right] = [a[column], b[column]];
    if (left === null || right === null) return (left === null) - (right === null);
    const sign = typeof left === "string" ? order(left, right) : right - left;
    return (isUp ? -sign : sign) || a[0] - b[0];
  });
}

/** Offer rows as a CSV file; a text that a spreadsheet would calculate gets an apostrophe before it. */
function download(name, rows, columns) {
  const cell = (value) => {
    const text = value === null || value === undefined ? "" : String(value);
    const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  const lines = [columns, ...rows].map((row) => row.map(cell).join(","));
  const address = URL.createObjectURL(new Blob([`\ufeff${lines.join("\r\n")}\r\n`], { type: "text/csv" }));
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

const SIGNS = { "#": "number", "@": "wide", "!": "strong", "~": "quiet", "%": "late-column" };

/** Return the places of rows that are in the order of their list; rows of equal rating share one. */
function placesOf(rows, rating) {
  const places = new Map();
  rows.forEach((row, at) => places.set(row, at && rows[at - 1][rating] === row[rating] ? places.get(rows[at - 1]) : at + 1));
  return places;
}

/** Return the table of a list. In: the places of the rows, the heads with the signs of their columns, and the column of each name in a row. */
function listTable(rows, places, heads, column, { by, isUp, sort, canSort }) {
  const parsed = heads.map((head) => ({ name: head.replace(/[#@!~%]/g, ""), signs: [...head].filter((sign) => SIGNS[sign]) }));
  const cell = (row, name) => {
    if (name === "place") return places.get(row);
    if (name === "name") return titled(row[column.title], playerLink(row[column.fide_id], row[column.name]), [row[column.federation], row[column.birth_year], (row[column.flag] ?? "").includes("i") ? T("inactive") : ""].filter(Boolean).join(" · "));
    if (name === "change") return row[column.change] === null ? T("new") : row[column.change] || row[column.games] ? changeText(row[column.change]) : "–";
    return name === "games" ? row[column.games] || "–" : row[column[name]];
  };
  const head = ({ name, signs }) => {
    const classes = [...(["name", "place"].includes(name) ? [name] : []), ...signs.map((sign) => SIGNS[sign])].join(" ");
    if (name === "place" || name === "flag" || !canSort) return [T(name), classes];
    const isBy = by === name;
    return [el("button", { type: "button", onclick: () => sort(name) }, T(name), isBy ? (isUp ? " ▴" : " ▾") : ""), classes, isBy ? { "aria-sort": isUp ? "ascending" : "descending" } : {}];
  };
  return table(T("list_caption"), parsed.map(head), rows.map((row) => parsed.map(({ name }) => cell(row, name))));
}
