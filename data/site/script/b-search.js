// Search for players by any part of a name, by another spelling or with a typing error, and by part of a FIDE ID.

const WORDS_TRIED = 12;
const IDS_SHOWN = 20;

/** Return a query or a name in lower-case ASCII words, as the index of names has them. */
function foldName(letters, text) {
  const ascii = [...text.normalize("NFC")].map((letter) => letters[letter] ?? letter).join("");
  return ascii.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replace(/['`]/g, "").replace(/[^a-z0-9]+/g, " ").trim();
}

async function search(meta, query) {
  const index = await load("s/index");
  const digits = query.trim();
  if (/^\d+$/.test(digits)) return byNumber(meta, index, digits);
  const words = foldName(index.letters, query).split(" ").filter(Boolean);
  if (!words.length) return { rows: [], more: false };
  // The words in the order typed are the beginning of an entry, or else the longest word is, and the others are looked for.
  const typed = await range(index, words.join(" "), words.map((word) => [word]));
  if (typed.rows.length) return typed;
  const longest = [...words].sort((a, b) => b.length - a.length)[0];
  const found = words.length > 1 ? await range(index, longest, words.map((word) => [word])) : typed;
  return found.rows.length ? found : likeNames(index, words);
}

/** Return the players whose FIDE ID is the one typed, or begins with it; of a small federation also those that have it. */
async function byNumber(meta, index, digits) {
  const few = index.ids.length <= 20;
  // A number that IDs begin with: those of the same length follow each other, so the files between hold them all.
  const first = Math.max(index.ids.filter((id) => id <= digits).length - 1, 0);
  const files = few ? index.ids.map((_, at) => at) : [first, first + 1].filter((at) => at < index.ids.length);
  const ids = (await Promise.all(files.map((at) => load(`i/${at}`)))).flat().map(String);
  const fits = ids.filter((id) => id.startsWith(digits));
  const inside = digits.length > 2 && few ? ids.filter((id) => id.includes(digits) && !id.startsWith(digits)) : [];
  const all = [...fits.filter((id) => id === digits), ...fits.filter((id) => id !== digits), ...inside];
  const found = await Promise.all(all.slice(0, IDS_SHOWN).map((id) => player(meta, Number(id))));
  const last = meta.months.length - 1;
  const rows = found.filter(Boolean).map((one) => {
    const now = newest(one);
    const change = one.c.find((row) => row[0] === last && CONTROLS[row[1]] === meta.controls[0]);
    return ["", one.id, now.name, now.federation, now.title, now.birthYear, ...CONTROLS.map((_, at) => (listed(one, at, last) ?? { rating: null }).rating), change?.[6] || null];
  });
  return { rows, more: all.length > IDS_SHOWN };
}

/** Look for names with words that have the words typed inside of them, sound alike, or differ by a typing error. */
async function likeNames(index, words) {
  const spell = spelling(index.spellings);
  const candidates = await Promise.all(words.map((word) => wordsLike(index, spell, word)));
  const fewest = candidates.reduce((best, each) => (each.length && (!best || each.length < best.length) ? each : best), null);
  if (!fewest || candidates.some((each) => !each.length)) return { rows: [], more: false };
  const found = await Promise.all(fewest.slice(0, WORDS_TRIED).map((word) => range(index, word, candidates)));
  const rank = new Map(fewest.map((word, at) => [word, at]));
  const rows = found.flatMap((each) => each.rows);
  const all = bestFirst(rows, found.some((each) => each.more) || fewest.length > WORDS_TRIED);
  all.rows.sort((a, b) => (rank.get(a[0].split(" ")[0]) ?? 0) - (rank.get(b[0].split(" ")[0]) ?? 0));
  return { ...all, like: true };
}

/** Return a function that writes a word with one spelling for sounds that are transliterated in several ways. */
function spelling(spellings) {
  const either = new RegExp(Object.keys(spellings).join("|"), "g");
  return (word) => word.replace(either, (found) => spellings[found]);
}

const threes = (word) => [...new Set([...word].map((_, at) => word.slice(at, at + 3)).filter((three) => three.length === 3))];

/** Return the words of names that a word typed stands for, the most alike first; the word itself where it is short. */
async function wordsLike(index, spell, typed) {
  const sound = spell(typed);
  const wanted = new Set([...threes(typed), ...threes(sound)]);
  if (!wanted.size) return [typed];
  const numbers = new Set([...wanted].flatMap((three) => filesOf(index.words, three)));
  const loaded = await Promise.all([...numbers].map((at) => load(`w/${at}`)));
  const errors = typed.length <= 3 ? 0 : typed.length <= 6 ? 1 : 2;
  const scores = new Map();
  for (const [three, word] of loaded.flat()) {
    if (!wanted.has(three) || scores.has(word)) continue;
    const sounds = spell(word);
    const score = word.startsWith(typed) ? 100 : sounds === sound ? 90 : sounds.startsWith(sound) ? 85 : word.includes(typed) || sounds.includes(sound) ? 70
      : Math.abs(sounds.length - sound.length) <= errors ? 60 - 10 * distance(sounds, sound) : 0;
    if (score >= 60 - 10 * errors) scores.set(word, score);
  }
  return [...scores].sort((a, b) => b[1] - a[1] || byText(a[0], b[0])).map(([word]) => word);
}

/** Return the files of an index of words that have three letters; its keys are the first of each. */
function filesOf(keys, three) {
  const numbers = [];
  for (let at = 0; at < keys.length && keys[at] <= three; at += 1) if (at + 1 === keys.length || keys[at + 1] >= three) numbers.push(at);
  return numbers.slice(0, 4);
}

/** Return how many letters have to be changed, added, left out or exchanged to make a word of another. */
function distance(a, b) {
  const rows = [...Array(a.length + 1)].map((_, at) => [at]);
  for (let column = 0; column <= b.length; column += 1) rows[0][column] = column;
  for (let row = 1; row <= a.length; row += 1) {
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1];
      rows[row][column] = Math.min(rows[row - 1][column] + 1, rows[row][column - 1] + 1, rows[row - 1][column - 1] + (isSame ? 0 : 1));
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) rows[row][column] = Math.min(rows[row][column], rows[row - 2][column - 2] + 1);
    }
  }
  return rows[a.length][b.length];
}

function bestFirst(rows, more) {
  const once = [...new Map(rows.map((row) => [row[1], row])).values()];
  once.sort((a, b) => best(b) - best(a) || a[1] - b[1]);
  return { rows: once.slice(0, ROWS_SHOWN), more: more || once.length > ROWS_SHOWN };
}

/** Return the entries that begin with a text, and have for each word typed one that begins with one of its ``words``. */
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
    return row[0].startsWith(beginning) && words.every((any) => inName.some((part) => any.some((word) => part.startsWith(word))));
  };
  return bestFirst(loaded.flatMap((file) => rowsOf(file.rows)).filter(fits), last > first + 7);
}

/** Return what stands under a name on a phone, each part of it on one line. */
const below = (row) => [row[3], row[5] && T("born", { year: row[5] }), T("id_is", { id: row[1] })].filter(Boolean)
  .flatMap((text, at) => [at ? " · " : "", el("span", { class: "unbroken" }, text)]);

const best = (row) => Math.max(row[6] ?? 0, row[7] ?? 0, row[8] ?? 0);

/** Show the players that a query fits in ``place``. ``pick``: what a click does; default: the page of the player. */
function searcher(field, place, pick = null, changed = () => {}) {
  let turn = 0;
  const run = async () => {
    const query = field.value;
    const own = (turn += 1);
    changed(query.trim());
    if (!query.trim()) return place.replaceChildren();
    try {
      const meta = await loadMeta();
      const { rows, more, like } = await search(meta, query);
      if (own !== turn) return undefined;
      const lists = CONTROLS.filter((control) => meta.controls.includes(control));
      const hasYears = rows.some((row) => row[5]);
      const open = (row) => (pick ? el("button", { type: "button", class: "link", onclick: () => pick(row) }, row[2] ?? String(row[1])) : playerLink(row[1], row[2]));
      const count = T(more ? "found_best" : like ? "found_like" : "found", { count: whole(rows.length) });
      return place.replaceChildren(el("p", { class: "note" }, rows.length ? count : T("found_none", { query })),
        rows.length ? table(T("players_found"), [T("name"), [T("federation"), "wide"], ...(hasYears ? [[T("birth_year"), "number wide"]] : []), [T("fide_id"), "number wide"],
          ...lists.flatMap((control, at) => (at ? [[capital(controlName(control)), "number wide"]] : [[capital(controlName(control)), "number strong"], [T("change")]]))],
        rows.map((row) => [titled(row[4], open(row), below(row)), row[3], ...(hasYears ? [row[5]] : []), row[1],
          ...lists.flatMap((control, at) => [row[6 + CONTROLS.indexOf(control)] ?? "–", ...(at ? [] : [row[9] ? changeText(row[9]) : ""])])])) : "");
    } catch (error) {
      return place.replaceChildren(says(error));
    }
  };
  let timer = 0;
  field.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(run, 150); });
  return () => { clearTimeout(timer); return run(); };
}

/** Return a field for names, with a table of the players found below it. */
function searchBox(pick) {
  const found = el("div", { class: "found", "aria-live": "polite" });
  const id = `search-${document.querySelectorAll("input[type=search]").length + 1}`;
  const field = el("input", { type: "search", id, autocomplete: "off", spellcheck: "false", placeholder: T("search_label") });
  const run = searcher(field, found, pick);
  return el("form", { class: "search", onsubmit: (event) => { event.preventDefault(); run(); } }, el("label", { for: id }, T("search_label")),
    el("div", { class: "field" }, field), found);
}

/** Let the form of the page search; the query stays in the address, so that Back finds it again. */
function pageSearch() {
  const field = document.getElementById("search-0");
  const run = searcher(field, result, null, keepInAddress);
  result.classList.add("found");
  document.getElementById("search-form").addEventListener("submit", (event) => { event.preventDefault(); run(); });
  const start = fragment();
  if (start && !CONTROLS.includes(start)) {
    field.value = start;
    return run();
  }
  return undefined;
}

pages.search = async () => pageSearch();
pages.index = async () => pageSearch();
