// The pages of events, the page that compares two players, and the start of a page.

pages.event = async () => {
  const [month, ...rest] = fragment().split("/");
  const id = rest.join("/");
  const at = monthAt(month);
  const [place] = at < 0 ? [] : rowsOf((await load("e/index", meta.months[at].key)).events, "event_id", id);
  if (!place) {
    return show(el("h1", {}, T("event")), alertText(T("event_unknown", { id, month: at < 0 ? month : monthName(month) })));
  }
  const event = await eventAt(place, at);
  document.title = event.name || id;
  return show(el("p", { class: "over" }, T("event")), el("h1", { tabindex: "-1" }, event.name || id),
    soft(joined([event.federation, event.control >= 0 ? controlName(event.control) : "",
      `${days(event.start_date, event.end_date)} ${(event.end_date ?? month).slice(0, 4)}`, id]), " · ", monthPageLink(month)),
    event.reason ? notCounted(event) : "",
    event.sides.length ? crossTable(event, month) : soft(T("none")));
};

/** Return the players of an event in the order of points, then Sonneborn-Berger, with their results round by round. */
function crossTable(event, month) {
  const rounds = [...new Set(event.sides.map((side) => side.round))].sort((a, b) => a - b);
  const rows = [...new Set(event.sides.map((side) => side.id))].map((id) => {
    const games = event.sides.filter((side) => side.id === id);
    return { id, games, rated: games.filter(isRated), points: sum(games, "score_halves"), rating: games[0].rating };
  });
  const pointsOf = new Map(rows.map((row) => [row.id, row.points]));
  const berger = (row) => row.games.reduce((total, game) => total + game.score_halves * (pointsOf.get(game.opponent_id) ?? 0), 0);
  rows.sort((a, b) => b.points - a.points || berger(b) - berger(a) || (b.rating ?? 0) - (a.rating ?? 0) || a.id - b.id);
  const numbers = new Map(rows.map((row, at) => [row.id, at + 1]));
  const opponent = (game) => `${game.colour ? colourName(game.colour)[0] : ""}${numbers.get(game.opponent_id) ?? ""}${game.reason ? "*" : ""}`;
  const cell = (game) => `${halves(game.score_halves)}\u00a0${opponent(game)}`;
  const line = (row, at) => {
    const { name, title, federation } = event.players.get(row.id) ?? {};
    const results = rounds.map((round) => row.games.filter((game) => game.round === round).map(cell).join(", "));
    return [at + 1, titled(title, playerLink(row.id, name, month), joined([row.rating, federation])), federation, dash(row.rating),
      ...results, halves(row.points), dash(row.games[0].performance), row.rated.length, row.rated.length ? exact(sum(row.rated, "change_hundredths")) : "–"];
  };
  const cross = table(T("cross_table"), [[T("number"), "number quiet place"], "name", "federation%", "rating#@",
    ...rounds.map((round) => [String(round), "round wide"]), "points#!", "performance#%", "status_rated#%", "change#"], rows.map(line));
  cross.classList.add("cross");
  return el("div", {}, heading(T("cross_table")), cross, note(T("cross_legend")), gamesByRound(event, rounds, month));
}

/** Return the games round by round. */
function gamesByRound(event, rounds, month) {
  const link = (id) => playerLink(id, event.players.get(id)?.name, month);
  const isFirst = (side) => (side.colour ? side.colour === "w" : side.id < side.opponent_id);
  const isOther = (side, other) => other.round === side.round && other.id === side.opponent_id && other.opponent_id === side.id;
  const scores = (side) => [side, event.sides.find((other) => isOther(side, other))].map((each) => halves(each?.score_halves)).join(" : ");
  const ofRound = (round) => event.sides.filter((side) => side.round === round && isFirst(side))
    .map((side) => [link(side.id), scores(side), link(side.opponent_id)]);
  return lateFold(T("games_by_round"), async () => rounds.flatMap((round) => {
    const title = `${T("round")} ${round}`;
    return [el("h3", {}, title), table(title, ["white", ["", "#!"], "black"], ofRound(round))];
  }));
}

pages.compare = async () => {
  const ids = location.hash.slice(1).split(",").filter((id) => /^[1-9]\d{0,10}$/.test(id)).map(Number);
  const choose = searchBox((row) => { location.hash = `#${[...ids.slice(0, 1), row.id].join(",")}`; });
  if (!ids.length) return show(el("h1", {}, T("compare")), el("p", {}, T("find_player")), choose);
  const both = await Promise.all(ids.slice(0, 2).map(player));
  const missing = both.findIndex((person) => person === null);
  if (missing >= 0) return show(el("h1", {}, T("compare")), alertText(T("player_unknown", { id: ids[missing] })), choose);
  const names = both.map((person) => person.name ?? String(person.id));
  const [a, b] = both;
  if (!b) return show(el("h1", {}, T("compare")), el("p", {}, T("compare_second", { name: names[0] })), choose, opponentsFold(a));
  const charts = CONTROLS.map((_, at) => {
    const own = (person, number) => linesOf(person).filter((line) => line.at === at)
      .map((line) => ({ ...line, at: number, games: [], name: names[number].split(",")[0] }));
    const lines = both.flatMap(own);
    const title = `${T("rating_history")}: ${controlName(at)}, ${names.join(" – ")}`;
    return lines.length ? el("section", {}, el("h2", {}, controlName(at)), chart(title, lines)) : "";
  });
  const isSame = (ref, other) => other.first === ref.first && other.file === ref.file && other.event === ref.event;
  const shared = a.events.filter((ref) => b.events.some((other) => isSame(ref, other)));
  const games = (await gamesOf(a, shared)).filter((game) => game.opponent_id === b.id);
  const day = ({ date, of }) => (date ?? of.end_date ? dayName(date ?? of.end_date) : monthAtName(of.month));
  const link = ({ of }) => eventLink(meta.months[of.month].month, of.event_id, of.name);
  const head = ["event", "dates@", "round#", ["", ""], "score#"];
  const rows = games.map((game) => [titled("", link(game), day(game)), day(game), game.round, colourOf(game), halves(game.score_halves)]);
  const score = { name: names[0], points: halves(sum(games, "score_halves")), games: counted(games.length, "game") };
  return show(el("h1", { tabindex: "-1" }, playerLink(a.id, names[0]), " – ", playerLink(b.id, names[1])), el("h2", {}, T("games")),
    el("p", {}, games.length ? T("compare_score", score) : T("none")), games.length ? table(T("games"), head, rows) : "",
    el("div", { class: "columns two" }, charts), el("p", {}, T("compare_second", { name: names[0] })), choose);
};

// Where the reader is on a page is kept in the history of the browser: Back comes back to it.
let isDrawing = true;
let drawn = null;
const keepPlace = () => { if (!isDrawing) window.history.replaceState({ place: window.scrollY }, ""); };

/** Draw what the address names. Another player, event or comparison begins at its top, also for a screen reader. */
async function draw(page) {
  isDrawing = true;
  const waits = result.innerText.trim() === "";
  result.setAttribute("aria-busy", "true");
  if (waits) result.replaceChildren(soft(T("loading")));
  const place = window.history.state?.place;
  const subject = document.body.dataset.page === "player" ? location.hash.split("/")[0] : location.hash;
  const isOther = drawn !== null && drawn !== subject;
  drawn = subject;
  try {
    await loadMeta();
    if (waits) result.replaceChildren();
    await page();
  } catch (error) {
    show(says(error));
  }
  result.removeAttribute("aria-busy");
  if (place !== undefined) window.scrollTo(0, place);
  else if (isOther) {
    window.scrollTo(0, 0);
    document.querySelector("h1[tabindex]")?.focus({ preventScroll: true });
  }
  isDrawing = false;
}

const page = pages[document.body.dataset.page];
if (!("DecompressionStream" in window)) show(alertText(T("browser_old")));
else if (page) {
  const isOwn = () => location.hash !== "#content" && !["index", "search", "list"].includes(document.body.dataset.page);
  window.addEventListener("hashchange", () => { if (isOwn()) draw(page); });
  window.addEventListener("click", keepPlace, true);
  draw(page);
}
main.classList.add("ready");
