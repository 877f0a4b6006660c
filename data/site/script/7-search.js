// Search for players by any part of a name, in another spelling too, or by FIDE ID.

const FOUND_SHOWN = 100;

/** Return the players whom a query fits, the highest ratings first, and whether their names are only like it. */
async function search(query) {
  const digits = query.trim();
  if (/^\d+$/.test(digits)) return { rows: await byNumber(digits) };
  const words = foldName(query).split(" ").filter(Boolean);
  const names = await namesFor(words);
  const isShort = !names.length && meta.beginnings.some((beginning) => beginning.startsWith(words[0]));
  if (isShort) return { rows: [], isShort };
  const fits = (alike) => names.filter((row) => words.every((word) => row.words.some((own) => alike(own, word))));
  const begins = fits((own, word) => own.startsWith(word));
  return begins.length ? { rows: begins } : { rows: fits((own, word) => plain(own).includes(plain(word))), like: true };
}

/** Return the names of a slice, each with its ``words``. */
async function namesOf(number) {
  const slice = await load(`n/${number}`);
  slice.rows ??= rowsOf(slice.names).map((row) => ({ ...row, words: foldName(row.name ?? "").split(" ") }));
  return slice.rows;
}

/** Return the names among which those that have these words are: all, or those of the longest beginning that has a slice. */
async function namesFor(words) {
  if (!words.length) return [];
  if (!meta.beginnings.length) return namesOf(0);
  const fits = words.map((word) => meta.beginnings.findIndex((beginning) => `${word} `.startsWith(beginning)))
    .filter((number) => number >= 0).sort((a, b) => meta.beginnings[b].length - meta.beginnings[a].length);
  return fits.length ? namesOf(fits[0]) : [];
}

/** Return the players whose FIDE ID has these digits; where there are many names, the one whose whole ID it is. */
async function byNumber(digits) {
  if (!meta.beginnings.length) return (await namesOf(0)).filter((row) => String(row.id).includes(digits));
  const person = await player(Number(digits));
  const ratings = CONTROLS.map((name, control) => [name, person && listed(person, control, meta.last)?.rating]);
  return person ? [{ ...person, ...Object.fromEntries(ratings) }] : [];
}

/** Return a word without marks that are written out, and doubled letters: Noerrstroem is Nørrström. */
const plain = (word) => word.replace(/([aou])e/g, "$1").replace(/(.)\1/g, "$1");

/** Return a function that shows in ``place`` whom the text of ``field`` fits. ``pick``: what a click does. */
function searcher(field, place, pick = null, changed = () => {}) {
  let turn = 0;
  let timer = 0;
  const run = async () => {
    const query = field.value.trim();
    const own = (turn += 1);
    clearTimeout(timer);
    changed(query);
    if (!query) return place.replaceChildren();
    try {
      const { rows, like, isShort } = await search(query);
      if (own !== turn) return undefined;
      const few = like ? "found_like" : "found";
      const key = isShort || rows.length > FOUND_SHOWN ? "shown_first" : rows.length ? few : "found_none";
      const values = { query, count: whole(Math.min(rows.length, FOUND_SHOWN)) };
      return place.replaceChildren(note(T(key, values)), rows.length ? foundTable(rows.slice(0, FOUND_SHOWN), pick) : "");
    } catch (error) {
      return place.replaceChildren(says(error));
    }
  };
  field.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(run, 150); });
  return run;
}

function foundTable(rows, pick) {
  const hasYears = rows.some((row) => row.birth_year);
  const button = (row) => el("button", { type: "button", class: "link", onclick: () => pick(row) }, row.name ?? String(row.id));
  const open = (row) => (pick ? button(row) : playerLink(row.id, row.name));
  const under = (row) => joined([row.federation, row.birth_year && `${T("birth_year")} ${row.birth_year}`, unnamed(row.id)]);
  return table(T("players"), ["name", "federation@", ...(hasYears ? ["birth_year#@"] : []), "fide_id#@",
    ...meta.controls.map((control, at) => [controlName(control), at ? "#@" : "#!"]), "change#"],
  rows.map((row) => [titled(row.title, open(row), under(row)), row.federation, ...(hasYears ? [row.birth_year] : []), row.id,
    ...meta.controls.map((control) => dash(row[control])), row.change ? changeText(row.change) : ""]));
}

/** Return a field for names, with a table of the players found below it. */
function searchBox(pick) {
  const place = el("div", { class: "found", "aria-live": "polite" });
  const label = T("name_or_id");
  const field = el("input", { type: "search", autocomplete: "off", spellcheck: "false", placeholder: label, "aria-label": label });
  const run = searcher(field, place, pick);
  return el("form", { class: "search", onsubmit: (event) => { event.preventDefault(); run(); } },
    el("div", { class: "field" }, field), place);
}

/** Let the form of the page search; the query stays in the address, so that Back finds it again. */
pages.search = async () => {
  const field = document.getElementById("search-0");
  const run = searcher(field, result, null, (query) => keepInAddress(encodeURIComponent(query)));
  result.classList.add("found");
  document.getElementById("search-form").addEventListener("submit", (event) => { event.preventDefault(); run(); });
  const start = fragment();
  if (!start || CONTROLS.includes(start)) return undefined;
  field.value = start;
  return run();
};
pages.index = pages.search;
