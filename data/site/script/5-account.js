// A month of a player explained: tables of the published columns. The same in sentences is `ratinglist explain`.

/** Return the sections of a month: one for each time control in which something happened, or the player has a rating. */
async function account(person, month) {
  const events = await eventsOf(person, person.events.filter((ref) => isIn(ref, month)), month);
  const sections = CONTROLS.map((_, control) => ofControl(person, month, control, events.filter((event) => event.control === control)));
  const known = sections.filter(Boolean);
  return [
    ...(known.length ? known : [soft(T("none"))]),
    events.length ? note(T("account_legend")) : "",
    fold(T("account_in_sentences"), el("pre", { class: "text", tabindex: "0" }, `ratinglist explain ${person.id} ${meta.months[month].month}`)),
  ];
}

function ofControl(person, month, control, events) {
  const ofMonth = (rows) => rows.find((row) => row.month === month && row.control === control);
  const now = listed(person, control, month);
  const [change, entry] = [ofMonth(person.changes), ofMonth(person.entries)];
  const waiting = person.waiting.filter((row) => row.control === control && isIn(row, month));
  if (!now && !change && !entry && !events.length && !waiting.length) return null;
  const step = change && el("span", { class: "quiet" }, `${dash(change.old_rating)} → ${dash(change.new_rating)} `,
    has(change.old_rating) && has(change.change) ? ["(", changeText(change.change), ")"] : "");
  // Events that count come first.
  const rated = (event) => event.own.filter(isRated);
  const ordered = [...events].sort((a, b) => b.own.some(isRated) - a.own.some(isRated) || (a.start_date ?? "").localeCompare(b.start_date ?? ""));
  return el("section", { id: monthOfPlayer(person.id, month, CONTROLS[control]).slice(1) }, el("h3", {}, `${controlName(control)} `, step ?? ""),
    change ? sumSentence(change, ordered.map(rated).filter((games) => games.length)) : "",
    change ? "" : soft(now ? `${now.rating}, ${T("no_games_for", { month: monthAtName(month) })}` : T("unrated")),
    el("div", { class: ordered.length > 1 ? "columns two" : null }, ordered.map((event) => ofEvent(person, event, rated(event)))),
    entry ? entryTable(entry) : "", waiting.length ? waitingTable(waiting) : "");
}

/** Return the change of a list in person sentence: the sums of the events, and what they make. */
function sumSentence(change, games) {
  if (!has(change.change_hundredths) || !games.length) return "";
  const make = T("sum_rounded", { sum: hundredths(change.change_hundredths, true), change: signed(change.change) });
  const parts = games.map((own) => hundredths(sum(own, "change_hundredths"), true)).join(", ");
  return el("p", {}, games.length > 1 ? T("sum_of_events", { games: counted(change.games, "game"), events: whole(games.length), parts, make }) : make);
}

/** Return the games of an event: opponent, rating, score, expected score and change, with their sum and K. */
function ofEvent(person, event, rated) {
  const month = meta.months[event.month].month;
  const hasRatings = event.own.some((game) => game.opponent_rating);
  const hasChanges = rated.length > 0;
  const ks = [...new Set(rated.map((game) => game.k).filter(Boolean))];
  const head = ["col_round#", ["", ""], "opponent", ...(hasRatings ? ["rating#@"] : []), "score#", ...(hasChanges ? ["col_expected#", "change#"] : [])];
  const rating = (game) => `${game.opponent_rating || "–"}${isCut(game) ? "*" : ""}`;
  const rows = event.own.map((game) => [game.round, colourOf(game),
    titled("", playerLink(game.opponent_id, event.players.get(game.opponent_id)?.name, month), hasRatings ? rating(game) : ""),
    ...(hasRatings ? [rating(game)] : []), halves(game.score_halves),
    ...(hasChanges ? [hundredths(game.expected_hundredths), isRated(game) ? exact(game.change_hundredths) : "–"] : [])]);
  const games = rated.length && rated.length < event.own.length
    ? T("some_counted", { rated: rated.length, games: counted(event.own.length, "game") }) : counted(event.own.length, "game");
  const foot = ["", "", `${games}${ks.length === 1 ? `, K ${ks[0]}` : ""}`, ...(hasRatings ? [""] : []), halves(sum(event.own, "score_halves")),
    ...(hasChanges ? ["", exact(sum(rated, "change_hundredths"))] : [])];
  const shown = [table(event.name || event.event_id, head, rows, foot), ...footnotes(event)];
  return el("div", {},
    el("div", { class: "heading" }, el("h4", {}, eventLink(month, event.event_id, event.name)), soft(days(event.start_date, event.end_date))),
    event.reason ? [notCounted(event), fold(counted(event.own.length, "game"), shown)] : shown);
}

const isRated = (game) => has(game.change_hundredths);
const notCounted = (event) => el("p", { class: "notice" }, T("not_counted", { why: reasonText(event.reason) }));
const isCut = (game) => has(game.difference_used);
const colourName = (colour) => T(colour === "w" ? "white" : "black");
const colourOf = ({ colour }) => (colour ? el("span", { class: `colour ${colour}`, title: colourName(colour) }, colourName(colour)[0]) : "");

/** Return why games of an event were not rated, and which differences counted as less. */
function footnotes(event) {
  const reasons = new Map();
  if (!event.reason) {
    for (const { reason, round } of event.own) if (reason) reasons.set(reason, [...(reasons.get(reason) ?? []), round]);
  }
  const cut = event.own.filter(isCut).map((game) => `${game.round}: ${signed(game.difference)} → ${signed(game.difference_used)}`);
  const article = meta.caps[event.rule_set] ? ` (${meta.caps[event.rule_set]})` : "";
  return [...[...reasons].map(([code, rounds]) => note(T("rounds_not_rated", { rounds: rounds.join(", "), why: reasonText(code) }))),
    ...(cut.length ? [note(`* ${T("difference_cut", { rounds: cut.join("; ") })}${article}`)] : [])];
}

/** Return the figures of a first rating, or of why there is none yet. */
function entryTable(entry) {
  const title = T("first_rating");
  return el("div", {}, el("h4", {}, title),
    table(title, ["games#", "points#", "opponents_average#", ["p", "#"], ["dp", "#"], "rating#!"],
      [[entry.games, halves(entry.score_halves), hundredths(entry.average_hundredths), hundredths(entry.p_hundredths),
        has(entry.dp) ? signed(entry.dp) : "", dash(entry.computed_rating)]]),
    entry.reason ? note(T("not_listed_yet", { why: reasonText(entry.reason) })) : "");
}

/** Return the results that wait for a first rating, by event. */
function waitingTable(rows) {
  return el("div", {}, el("h4", {}, T("waiting")), note(T("waiting_why")),
    table(T("waiting"), ["event", "games#", "points#", "opponents_sum#@", "counted_by@", "counts_until"],
      rows.map((row) => [monthAt(row.counted_month) >= 0 ? eventLink(row.counted_month, row.event_id, row.name) : row.name || row.event_id,
        row.games, halves(row.score_halves), row.opponent_rating_sum, row.counted_month ? monthName(row.counted_month) : "",
        row.last_month ? monthName(row.last_month) : ""])));
}
