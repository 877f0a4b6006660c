// Search for players by any part of a name, and by FIDE ID.

const FILES_READ_WHOLE = 20;

/** Return a query or a name in lower-case ASCII words, as the index of names has them. */
function fold(letters, text) {
  const ascii = [...text.normalize("NFC")].map((letter) => letters[letter] ?? letter).join("");
  return ascii.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replace(/['`]/g, "").replace(/[^a-z0-9]+/g, " ").trim();
}

async function search(meta, query) {
  const index = await load("s/index");
  if (/^\s*\d+\s*$/.test(query)) {
    const id = Number(query);
    const one = await player(meta, id);
    if (!one) return { rows: [], more: false };
    const last = meta.months.length - 1;
    const now = newest(one);
    const ratings = CONTROLS.map((_, at) => (listed(one, at, last) ?? { rating: null }).rating);
    return { rows: [["", id, now.name, now.federation, now.title, now.birthYear, ...ratings]], more: false };
  }
  const words = fold(index.letters, query).split(" ").filter(Boolean);
  if (!words.length) return { rows: [], more: false };
  // The words in the order typed are the beginning of an entry, or else the longest word is, and the others are looked for.
  const typed = await range(index, words.join(" "), words);
  if (typed.rows.length) return typed;
  const longest = [...words].sort((a, b) => b.length - a.length)[0];
  const found = words.length > 1 ? await range(index, longest, words) : typed;
  return found.rows.length ? found : insideNames(index, words);
}

/** Look for the words inside of names too, in an index that is small enough to be read as a whole. */
async function insideNames(index, words) {
  if (index.keys.length > FILES_READ_WHOLE) return { rows: [], more: false };
  const loaded = await Promise.all(index.keys.map((_, at) => load(`s/${at}`)));
  return bestFirst(loaded.flat().filter((row) => words.every((word) => row[0].includes(word))), false);
}

function bestFirst(rows, more) {
  const once = [...new Map(rows.map((row) => [row[1], row])).values()];
  once.sort((a, b) => best(b) - best(a) || a[1] - b[1]);
  return { rows: once.slice(0, ROWS_SHOWN), more: more || once.length > ROWS_SHOWN };
}

async function range(index, beginning, words) {
  const keys = index.keys;
  let first = keys.findIndex((key) => key >= beginning);
  first = first < 0 ? keys.length - 1 : Math.max(first - 1, 0);
  let last = first;
  while (last + 1 < keys.length && keys[last + 1].slice(0, beginning.length) <= beginning) last += 1;
  if (last - first > 4) {
    const short = beginning.slice(0, index.longest);
    const letter = short.charAt(0);
    const prepared = index.best.includes(letter) ? await load(`s/best-${letter}`) : {};
    if (prepared[short] && short === beginning) return { rows: prepared[short], more: true };
  }
  const loaded = await Promise.all(keys.slice(first, Math.min(last, first + 7) + 1).map((_, at) => load(`s/${first + at}`)));
  const fits = (row) => {
    const inName = row[0].split(" ");
    return row[0].startsWith(beginning) && words.every((word) => inName.some((part) => part.startsWith(word)));
  };
  return bestFirst(loaded.flat().filter(fits), last > first + 7);
}

const best = (row) => Math.max(row[6] ?? 0, row[7] ?? 0, row[8] ?? 0);

/** Return a field for names, with a table of the players found below it. ``pick``: what a click does; default: the page. */
function searchBox(pick = null, start = "") {
  const found = el("div", { class: "found", "aria-live": "polite" });
  const id = `search-${document.querySelectorAll("input[type=search]").length}`;
  let turn = 0;
  const run = async () => {
    const query = field.value;
    const own = (turn += 1);
    if (!query.trim()) return found.replaceChildren();
    try {
      const meta = await loadMeta();
      const { rows, more } = await search(meta, query);
      if (own !== turn) return undefined;
      const lists = CONTROLS.filter((control) => meta.controls.includes(control));
      const open = (row) => (pick ? el("button", { type: "button", class: "link", onclick: () => pick(row) }, row[2] ?? String(row[1])) : playerLink(row[1], row[2]));
      return found.replaceChildren(el("p", {}, rows.length ? T(more ? "found_best" : "found", { count: whole(rows.length) }) : T("found_none", { query })),
        rows.length ? table(T("players_found"), [T("name"), T("federation"), T("title"), [T("birth_year")], [T("fide_id")], ...lists.map((control) => [capital(controlName(control))])],
          rows.map((row) => [open(row), row[3], row[4], row[5], row[1], ...lists.map((control) => row[6 + CONTROLS.indexOf(control)])])) : "");
    } catch (error) {
      if (!(error instanceof FileError)) console.error(error);
      return found.replaceChildren(el("p", { class: "error", role: "alert" }, error instanceof FileError ? error.message : T("page_failed")));
    }
  };
  let timer = 0;
  const field = el("input", { type: "search", id, autocomplete: "off", spellcheck: "false", value: start,
    oninput: () => { clearTimeout(timer); timer = setTimeout(run, 150); },
    onkeydown: (key) => { if (key.key === "Enter") { clearTimeout(timer); run(); } } });
  if (start) run();
  return el("div", { class: "search" }, el("label", { for: id }, T("search_label")), field, found);
}

pages.search = async () => show(searchBox(null, fragment()));
pages.index = async () => show(searchBox());
