// The page of a list: filters, sorting.

pages.list = async () => {
  const control = document.body.dataset.control;
  const meta = await loadMeta();
  const parts = meta.lists[control];
  const wanted = new URLSearchParams(location.hash.slice(1));
  const form = el("form", { class: "filters", onsubmit: (event) => event.preventDefault() });
  const field = (name, label, input) => {
    input.id = `filter-${name}`;
    input.name = name;
    form.append(el("span", {}, el("label", { for: input.id }, label), input));
  };
  const select = (name, label, options) => field(name, label, el("select", {}, options.map(([value, text]) => el("option", { value, selected: wanted.get(name) === value }, text))));
  const federations = Object.keys(parts).filter((part) => part !== "all");
  if (federations.length) select("federation", T("federation"), [["", T("all")], ...federations.map((code) => [code, code])]);
  select("sex", T("sex"), [["", T("all")], ["F", T("women")], ["M", T("men")]]);
  for (const [name, label] of [["from", T("born_from")], ["to", T("born_to")]]) {
    field(name, label, el("input", { type: "number", min: "1900", max: "2100", value: wanted.get(name) ?? "" }));
  }
  select("title", T("title"), [["", T("all")], ["any", T("any_title")], ...["GM", "IM", "FM", "CM", "WGM", "WIM", "WFM", "WCM"].map((title) => [title, title])]);
  select("active", T("activity"), [["", T("all")], ["1", T("active_only")]]);
  select("sort", T("sort"), ["rating", "name", "birth", "games", "change"].map((name) => [name === "rating" ? "" : name, T(`sort_${name}`)]));
  const place = el("div", {});
  let turn = 0;
  const run = async () => {
    const own = (turn += 1);
    const values = Object.fromEntries([...new FormData(form)].filter(([, value]) => value));
    history_replace(values);
    try {
      await filtered(meta, control, parts, values, place, () => own === turn);
    } catch (error) {
      if (!(error instanceof FileError)) console.error(error);
      place.replaceChildren(el("p", { class: "error", role: "alert" }, error instanceof FileError ? error.message : T("page_failed")));
    }
  };
  form.addEventListener("input", run);
  show(form, place);
  const plain = document.getElementById("plain");
  if (plain) plain.remove();
  await run();
};

function history_replace(values) {
  const hash = new URLSearchParams(values).toString();
  window.history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
}

async function filtered(meta, control, parts, values, place, isCurrent) {
  const part = values.federation && parts[values.federation] ? values.federation : "all";
  const count = parts[part];
  const fileCount = Math.ceil(count / 1000);
  const column = Object.fromEntries(meta.listColumns.map((name, at) => [name, at]));
  const fits = (row) => (!values.sex || row[column.sex] === values.sex) && (!values.from || (row[column.birth_year] ?? 0) >= Number(values.from))
    && (!values.to || (row[column.birth_year] ?? 9999) <= Number(values.to)) && (!values.active || !(row[column.flag] ?? "").includes("i"))
    && (!values.title || (values.title === "any" ? row[column.title] : row[column.title] === values.title));
  const note = el("p", { role: "status" });
  const holder = el("div", {});
  const more = el("button", { type: "button", hidden: true }, T("show_more"));
  place.replaceChildren(note, holder, more);
  let found = [];
  let read = 0;
  let shown = 0;
  const canSort = count <= SORTED_AT_MOST;
  const readUntil = async (rows) => {
    while (read < fileCount && found.length < rows && isCurrent()) {
      const file = await load(`l/${control}/${part}/${read}`);
      found.push(...file.filter(fits));
      read += 1;
    }
  };
  const draw = async () => {
    shown += ROWS_SHOWN;
    await readUntil(values.sort && canSort ? Infinity : shown + 1);
    if (!isCurrent()) return;
    if (values.sort && canSort) sortRows(found, values.sort, column[values.sort === "birth" ? "birth_year" : values.sort]);
    note.textContent = values.sort && !canSort ? T("sort_too_many", { most: whole(SORTED_AT_MOST) })
      : T("rows_shown", { shown: whole(Math.min(shown, found.length)), looked: whole(Math.min(read * 1000, count)), count: whole(count) });
    holder.replaceChildren(listTable(found.slice(0, shown), meta.listShown, column));
    more.hidden = found.length <= shown && read >= fileCount;
  };
  more.addEventListener("click", () => draw().catch(fail));
  await draw();
}

function sortRows(rows, by, column) {
  rows.sort((a, b) => {
    if (by === "name") return byText(a[column], b[column]) || a[0] - b[0];
    return (b[column] ?? -Infinity) - (a[column] ?? -Infinity) || a[0] - b[0];
  });
}

/** Return the table of a list. In: the heads, those of numbers with "#", and the place of each column in a row. */
function listTable(rows, heads, column) {
  const names = heads.map((head) => head.replace("#", ""));
  const cell = (row, at, name) => {
    if (name === "place") return at + 1;
    if (name === "name") return playerLink(row[column.fide_id], row[column.name]);
    if (name === "change") return row[column.change] === null ? T("new") : signed(row[column.change]);
    return row[column[name]];
  };
  return table(T("list_caption"), heads.map((head, at) => (head.endsWith("#") ? [T(names[at])] : T(names[at]))),
    rows.map((row, at) => names.map((name) => cell(row, at, name))));
}
