// The page of a player.

const pages = {};
let shown = null;

pages.player = async () => {
  const [idText, monthText] = fragment().split("/");
  if (!/^[1-9]\d{0,10}$/.test(idText)) return location.replace("search.html");
  const id = Number(idText);
  const chosen = () => (monthAt(monthText) >= 0 ? monthAt(monthText) : shown.months.at(-1) ?? meta.last);
  // Another month of the same player: only the account changes, and the reader stays where they are.
  if (shown?.person.id === id && document.getElementById("account")) return showAccount(chosen());
  const person = await player(id);
  if (!person) return show(el("h1", {}, unnamed(id)), alertText(T("player_unknown", { id })));
  const months = meta.months.map((_, month) => month).filter((month) => person.events.some((run) => isIn(run, month))
    || [...person.changes, ...person.entries].some((row) => row.month === month));
  shown = { person, months };
  document.title = `${person.name ?? ""} (${id})`;
  const lines = linesOf(person);
  const hasHistory = lines.some((line) => line.runs[0].first < meta.last);
  const title = `${T("rating_history")}: ${person.name ?? id}`;
  const goTo = (month) => { location.hash = monthOfPlayer(id, month, "chosen"); };
  show(personHead(person),
    lines.length ? el("div", { class: "cards" }, lines.map((line) => card(person, line))) : el("p", {}, T("unrated")),
    el("div", { class: "columns main" },
      hasHistory ? el("section", {}, heading(T("rating_history")), chart(title, lines, goTo), historyTable(lines)) : "",
      person.events.length ? recordSection(person) : ""),
    correctionSection(person),
    el("div", { class: "heading choose", id: "months" }),
    el("section", { id: "account", "aria-live": "polite" }));
  return showAccount(chosen());
};

function personHead(person) {
  const titles = [person.title, person.women_title !== person.title ? person.women_title : "", person.other_titles].filter(Boolean);
  const club = person.club ? soft(T("club"), ": ", el("a", { href: `club-${person.club_page}.html` }, person.club)) : "";
  return el("div", { class: "between" },
    el("div", {}, el("p", { class: "over title" }, titles.join(", ")),
      el("h1", { tabindex: "-1" }, person.name ?? unnamed(person.id)),
      soft(joined([person.federation, person.birth_year ? `${T("birth_year")} ${person.birth_year}` : "", unnamed(person.id)])), club),
    el("p", {}, el("a", { class: "button", href: `compare.html#${person.id}` }, T("compare"))));
}

/** Return the card of a time control: rating, change, places, peak. */
function card(person, { at, runs, name }) {
  const now = listed(person, at, meta.last);
  const peak = runs.reduce((best, run) => (run.rating > best.rating ? run : best));
  const place = person.places.find((row) => row.control === at);
  const change = person.changes.find((row) => row.month === meta.last && row.control === at);
  const status = place ? T("place_of", { place: place.place, players: whole(place.players), among: person.federation })
    : now?.flag?.includes("i") ? T("inactive") : "";
  const moved = change
    ? el("a", { href: monthOfPlayer(person.id, meta.last, CONTROLS[at]) },
      change.status === "entered" ? el("small", { class: "gain" }, T("new")) : el("small", {}, changeText(change.change)))
    : el("small", { class: "quiet" }, T("no_games_for", { month: monthAtName(meta.last) }));
  const filters = new URLSearchParams({ group: place?.age_group ?? "", active: "1", federation: person.federation ?? "" });
  const group = place?.age_group ? el("a", { href: `list-${CONTROLS[at]}.html#${filters}` },
    T("place_of", { place: place.place_of_group, players: whole(place.players_of_group), among: place.age_group })) : "";
  return el("div", { class: `card rating ${CONTROLS[at]}` },
    el("div", { class: "between" }, el("strong", {}, name), el("span", { class: "soft" }, status)),
    el("p", { class: "big" }, now ? String(now.rating) : "–", " ", now ? moved : ""),
    el("div", { class: "soft" }, el("p", {}, group), el("p", {}, T("peak", { rating: peak.rating, month: monthAtName(peak.first) }))));
}

function historyTable(lines) {
  const rows = meta.months.map((of, month) => [monthLink(of.month),
    ...lines.map((line) => runAt(line.runs, month)?.rating)]);
  return fold(T("as_a_table"), table(T("rating_history"), ["month", ...lines.map((line) => [line.name, "#"])],
    rows.filter((row) => row.slice(1).some(Boolean)).reverse()));
}

/** Return the results of all rated games, by colour, the best wins, and the opponents. */
function recordSection(person) {
  const colours = { w: T("white"), b: T("black") };
  const line = (name, won, drawn, lost) => [name, won, drawn, lost,
    `${Math.round((100 * (2 * won + drawn)) / (2 * (won + drawn + lost)))}%`];
  const parts = CONTROLS.map((_, control) => {
    const records = person.records.filter((row) => row.control === control);
    if (!records.length) return "";
    const all = [sum(records, "won"), sum(records, "drawn"), sum(records, "lost")];
    const wins = person.wins.filter((row) => row.control === control);
    const name = controlName(control);
    return [el("div", { class: "heading" }, el("h3", {}, name), soft(counted(all[0] + all[1] + all[2], "game"))), sharesBar(...all),
      table(`${T("record")}: ${name}`, [["", ""], "won#", "drawn#", "lost#", "score#"],
        [...records.map((row) => line(colours[row.colour] ?? "–", row.won, row.drawn, row.lost)),
          ...(records.length > 1 ? [line(T("all_games"), ...all)] : [])]),
      wins.length ? [el("h4", {}, T("best_wins")), table(`${T("best_wins")}: ${name}`, ["opponent", "rating#!"],
        wins.map((row) => [[titled(row.title, playerLink(row.opponent_id, row.name)), el("span", { class: "soft" }, ` ${monthAtName(row.month)}`)],
          dash(row.opponent_rating)]))] : ""];
  });
  return el("section", {}, heading(T("record")), parts, opponentsFold(person));
}

const OPPONENTS_SHOWN = 100;

/** Return the opponents of all events of the site, with the results against each. */
const opponentsFold = (person) => lateFold(T("opponents"), async () => {
  const by = new Map();
  for (const game of await gamesOf(person, person.events)) {
    const row = by.get(game.opponent_id) ?? { id: game.opponent_id, name: game.of.players.get(game.opponent_id)?.name, games: 0, points: 0 };
    by.set(game.opponent_id, { ...row, games: row.games + 1, points: row.points + game.score_halves });
  }
  const rows = [...by.values()].sort((a, b) => b.games - a.games || a.id - b.id).slice(0, OPPONENTS_SHOWN);
  return [table(T("opponents"), ["opponent", "games#", "points#"],
    rows.map((row) => [el("a", { href: `compare.html#${person.id},${row.id}` }, row.name || String(row.id)), row.games, halves(row.points)]))];
});

async function showAccount(month) {
  const { person, months } = shown;
  const all = [...new Set([month, ...months])].sort((a, b) => a - b);
  const at = all.indexOf(month);
  const address = (number) => monthOfPlayer(person.id, number);
  const link = (number, text) => (number === undefined ? "" : el("a", { href: address(number) }, text(monthAtName(number))));
  const select = el("select", { id: "month", "aria-label": T("month"), onchange: () => { location.hash = address(select.value); } },
    [...all].reverse().map((number) => el("option", { value: number, selected: number === month }, monthAtName(number))));
  const hadFocus = document.activeElement?.id === "month";
  document.getElementById("months").replaceChildren(el("h2", { id: monthOfPlayer(person.id, month, "chosen").slice(1) }, T("account_of", { month: monthAtName(month) })),
    el("p", {}, link(all[at - 1], (name) => `‹ ${name}`), " ", select, " ", link(all[at + 1], (name) => `${name} ›`)));
  if (hadFocus) select.focus();
  const content = await account(person, month).catch((error) => [says(error)]);
  document.getElementById("account").replaceChildren(...content, note(monthPageLink(meta.months[month].month)));
  document.getElementById(fragment())?.scrollIntoView();
}

const monthPageLink = (month) => el("a", { href: `month-${month}.html` }, T("month_title", { month: monthName(month) }));

/** Return what corrections and rollbacks changed of a player's ratings, and why. */
function correctionSection(person) {
  const step = (row) => [controlName(row.control), ` ${dash(row.old_rating)} → ${row.new_rating ?? T("off_the_list")}`];
  const why = (row) => [T(`cause_${row.cause}`), el("span", { class: "soft" }, `: ${row.because}`)];
  const rows = [
    ...person.rollbacks.map((row) => [row, row.reason, T("rolled_back", { day: dayName(row.day), before: `r${row.from_revision}`, after: `r${row.to_revision}` })]),
    ...person.corrections.map((row) => [row, why(row), el("a", { href: `corrections.html#${meta.months[row.month].month}` }, `r${row.revision}`)]),
  ];
  if (!rows.length) return "";
  return el("section", {}, heading(T("corrections")),
    table(T("corrections"), ["month", "rating", "because", "revision@"],
      rows.map(([row, reason, made]) => [monthLink(meta.months[row.month].month), step(row), reason, made])));
}
