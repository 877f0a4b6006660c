// The page of a player.

const pages = {};
let shown = null;

pages.player = async () => {
  const [idText, monthText] = fragment().split("/");
  if (!/^[1-9]\d{0,10}$/.test(idText)) return show(el("p", {}, T("player_none")), searchBox((row) => { location.hash = `#${row.id}`; }));
  const id = Number(idText);
  const chosen = () => (monthAt(monthText) >= 0 ? monthAt(monthText) : shown.months.at(-1) ?? meta.last);
  // Another month of the same player: only the account changes, and the reader stays where they are.
  if (shown?.person.id === id && document.getElementById("account")) return showAccount(chosen());
  const person = await player(id);
  if (!person) {
    return show(el("h1", {}, T("player_unnamed", { id })), alertText(T("player_unknown", { id })),
      el("p", {}, el("a", { href: "search.html" }, T("go_search"))));
  }
  const months = [...new Set([...person.changes, ...person.entries, ...person.events].map((row) => row.month))].sort((a, b) => a - b);
  shown = { person, months };
  document.title = `${person.name ?? T("player_title")} (${id})`;
  const lines = linesOf(person);
  const title = T("chart_title", { name: person.name ?? id });
  const drawn = lines.length ? chart(title, lines, (month) => tipOf(person, lines, month)) : [soft(T("unrated"))];
  show(personHead(person),
    person.corrections.length || person.rollbacks.length ? changedNotice() : "",
    lines.length ? el("div", { class: "cards" }, lines.map((line) => card(person, line)))
      : el("p", {}, T("unrated")),
    el("div", { class: "columns main" },
      el("section", {}, heading(T("rating_history")), drawn, historyTable(lines)), recordSection(person)),
    el("div", { class: "heading choose", id: "months" }),
    el("section", { id: "account", "aria-live": "polite" }),
    correctionSection(person));
  return showAccount(chosen());
};

/** Return what scrolls to a part of the page: the address of the page is that of the player. */
const scrollTo = (id) => (event) => {
  event.preventDefault();
  document.getElementById(id).scrollIntoView();
};

const changedNotice = () => el("p", { class: "notice" }, T("changed_player"), " ",
  el("a", { href: "#corrections", onclick: scrollTo("corrections") }, T("corrections")));

/** Return what shows the newest month's account of a time control. */
const explainNewest = (person, control) => async (event) => {
  event.preventDefault();
  window.history.pushState(null, "", `#${person.id}/${meta.months[meta.last].month}`);
  await showAccount(meta.last);
  document.getElementById(`account-${CONTROLS[control]}`)?.scrollIntoView();
};

function personHead(person) {
  const titles = [person.title, person.women_title !== person.title ? person.women_title : "", person.other_titles].filter(Boolean);
  const club = person.club ? soft(T("member_of"), " ", el("a", { href: `club-${person.club_page}.html` }, person.club)) : "";
  return el("div", { class: "between" },
    el("div", {}, el("p", { class: "over title" }, titles.map((title) => TEXTS[`title_${title}`] ?? title).join(", ")),
      el("h1", { tabindex: "-1" }, person.name ?? T("player_unnamed", { id: person.id })),
      soft(joined([person.federation, person.birth_year ? T("born", { year: person.birth_year }) : "", T("id_is", { id: person.id })])), club),
    el("p", {}, el("a", { class: "button", href: `compare.html#${person.id}` }, T("compare"))));
}

/** Return the card of a time control: rating, change, places, peak. */
function card(person, { at, runs, name }) {
  const now = listed(person, at, meta.last);
  const peak = runs.reduce((best, run) => (run.rating > best.rating ? run : best));
  const place = person.places.find((row) => row.control === at);
  const change = person.changes.find((row) => row.month === meta.last && row.control === at);
  const status = place ? T("place_of", { place: place.place, players: whole(place.players), federation: person.federation })
    : now?.flag?.includes("i") ? T("inactive") : "";
  const moved = change
    ? el("a", { href: `#${person.id}/${meta.months[meta.last].month}`, onclick: explainNewest(person, at) },
      change.status === "entered" ? el("small", { class: "gain" }, T("new")) : el("small", {}, changeText(change.change)))
    : el("small", { class: "quiet" }, T("no_games_for", { month: monthAtName(meta.last) }));
  const filters = new URLSearchParams({ group: place?.age_group ?? "", active: "1", federation: person.federation ?? "" });
  const group = place?.age_group ? el("a", { href: `list-${CONTROLS[at]}.html#${filters}` },
    T("place_in_group", { place: place.place_of_group, players: whole(place.players_of_group), group: place.age_group })) : "";
  return el("div", { class: `card rating ${CONTROLS[at]}` },
    el("div", { class: "between" }, el("strong", {}, name), el("span", { class: "soft" }, status)),
    el("p", { class: "big" }, now ? String(now.rating) : "–", " ", now ? moved : ""),
    el("div", { class: "soft" }, el("p", {}, group), el("p", {}, T("peak", { rating: peak.rating, month: monthAtName(peak.first) }))));
}

/** Return what the tooltip of a month says: the ratings, and the events with their points and changes. */
async function tipOf(person, lines, month) {
  const ratings = lines.map((line) => {
    const now = listed(person, line.at, month);
    const change = person.changes.find((row) => row.month === month && row.control === line.at);
    return now ? el("span", {}, `${line.name} ${now.rating} `, has(change?.change) ? ["(", changeText(change.change), ") "] : "") : "";
  });
  const events = await eventsOf(person, person.events.filter((ref) => ref.month === month)).catch(() => []);
  return [el("p", {}, el("strong", {}, monthAtName(month))), el("p", {}, ratings), ...events.map((event) => {
    const change = event.own.some((game) => game.change_hundredths) ? [": ", exact(sum(event.own, "change_hundredths"))] : "";
    return soft(eventLink(meta.months[month].month, event.event_id, event.name),
      ` ${T("points_of_games", { points: halves(sum(event.own, "score_halves")), games: event.own.length })}`, event.reason ? `: ${T("counts_not")}` : change);
  })];
}

function historyTable(lines) {
  const rows = meta.months.map((of, month) => [monthLink(of.month),
    ...lines.map((line) => line.runs.find((run) => run.first <= month && month <= run.last)?.rating)]);
  return fold(T("as_a_table"), table(T("rating_history"), ["month", ...lines.map((line) => [line.name, "#"])],
    rows.filter((row) => row.slice(1).some(Boolean)).reverse()));
}

/** Return the results of all rated games, by colour, the best wins, and the opponents. */
function recordSection(person) {
  const colours = { w: T("white"), b: T("black") };
  const line = (name, won, drawn, lost) => [name, won, drawn, lost,
    T("percent", { share: Math.round((100 * (2 * won + drawn)) / (2 * (won + drawn + lost))) })];
  const parts = CONTROLS.map((_, control) => {
    const records = person.records.filter((row) => row.control === control);
    if (!records.length) return "";
    const all = [sum(records, "won"), sum(records, "drawn"), sum(records, "lost")];
    const wins = person.wins.filter((row) => row.control === control);
    const name = controlName(control);
    return [el("div", { class: "heading" }, el("h3", {}, name), soft(counted(all[0] + all[1] + all[2], "game"))), sharesBar(...all),
      table(`${T("record")}: ${name}`, [["", ""], "won#", "drawn#", "lost#", "score#"],
        [...records.map((row) => line(colours[row.colour] ?? T("colour_unknown"), row.won, row.drawn, row.lost)),
          ...(records.length > 1 ? [line(T("all_games"), ...all)] : [])]),
      wins.length ? [el("h4", {}, T("best_wins")), table(`${T("best_wins")}: ${name}`, ["opponent", "rating#!"],
        wins.map((row) => [[titled(row.title, playerLink(row.opponent_id, row.name)), el("span", { class: "soft" }, ` ${monthAtName(row.month)}`)],
          dash(row.opponent_rating)]))] : ""];
  });
  return el("section", {}, heading(T("record")), parts, opponentsFold(person));
}

const OPPONENTS_SHOWN = 100;

/** Return the opponents of all events of the site, with the results against each; loaded when the reader opens it. */
function opponentsFold(person) {
  const place = el("div", {}, soft(T("loading")));
  const opened = fold(T("opponents"), place);
  opened.addEventListener("toggle", async () => {
    try {
      const by = new Map();
      for (const game of await gamesOf(person, person.events)) {
        const row = by.get(game.opponent_id) ?? { id: game.opponent_id, name: game.of.players.get(game.opponent_id)?.name, games: 0, points: 0 };
        by.set(game.opponent_id, { ...row, games: row.games + 1, points: row.points + game.score_halves });
      }
      const rows = [...by.values()].sort((a, b) => b.games - a.games || a.id - b.id).slice(0, OPPONENTS_SHOWN);
      place.replaceChildren(table(T("opponents"), ["opponent", "games#", "points#"],
        rows.map((row) => [el("a", { href: `compare.html#${person.id},${row.id}` }, row.name || String(row.id)), row.games, halves(row.points)])));
    } catch (error) {
      place.replaceChildren(says(error));
    }
  }, { once: true });
  return opened;
}

async function showAccount(month) {
  const { person, months } = shown;
  const all = [...new Set([month, ...months])].sort((a, b) => a - b);
  const at = all.indexOf(month);
  const address = (number) => `#${person.id}/${meta.months[number].month}`;
  const link = (number, text) => (number === undefined ? "" : el("a", { href: address(number) }, text(monthAtName(number))));
  const select = el("select", { id: "month", "aria-label": T("month"), onchange: () => { location.hash = `#${person.id}/${select.value}`; } },
    [...all].reverse().map((number) => el("option", { value: meta.months[number].month, selected: number === month }, monthAtName(number))));
  const hadFocus = document.activeElement?.id === "month";
  document.getElementById("months").replaceChildren(el("h2", {}, T("account_of", { month: monthAtName(month) })),
    el("p", {}, link(all[at - 1], (name) => `‹ ${name}`), " ", select, " ", link(all[at + 1], (name) => `${name} ›`)));
  if (hadFocus) select.focus();
  const content = await account(person, month).catch((error) => [says(error)]);
  document.getElementById("account").replaceChildren(...content, note(monthPageLink(meta.months[month].month)));
}

const monthPageLink = (month) => el("a", { href: `month-${month}.html` }, T("month_title", { month: monthName(month) }));

/** Return what corrections and rollbacks changed of a player's ratings, and why. */
function correctionSection(person) {
  const step = (row) => [controlName(row.control), ` ${row.old_rating ?? T("not_listed")} → ${row.new_rating ?? T("not_listed")}`];
  const why = (row) => [T(`cause_${row.cause}`), el("span", { class: "soft" }, `: ${row.because}`)];
  const rows = [
    ...person.rollbacks.map((row) => [row, row.reason, T("rolled_back", { day: dayName(row.day), before: `r${row.from_revision}`, after: `r${row.to_revision}` })]),
    ...person.corrections.map((row) => [row, why(row), el("a", { href: `corrections.html#${meta.months[row.month].month}` }, `r${row.revision}`)]),
  ];
  if (!rows.length) return "";
  return el("section", { id: "corrections" }, heading(T("corrections")),
    table(T("corrections"), ["month", "rating", "because", "revision@"],
      rows.map(([row, reason, made]) => [monthLink(meta.months[row.month].month), step(row), reason, made])));
}
