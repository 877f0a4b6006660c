// The pages of events.

pages.events = async () => {
  busy();
  const meta = await loadMeta();
  const month = location.hash.slice(1) || meta.months[meta.months.length - 1].month;
  if (!meta.months.some((of) => of.month === month && of.shown)) return show(el("p", { role: "alert" }, T("month_unknown", { month })));
  const rows = await load(`e/${month}/all`);
  document.title = T("events_of", { month });
  const holder = el("div", {});
  const draw = (query) => {
    const wanted = query.toLowerCase();
    const fit = rows.filter((row) => `${row[0]} ${row[1]} ${row[2]}`.toLowerCase().includes(wanted)).slice(0, 500);
    holder.replaceChildren(table(T("events_of", { month }), [T("event"), T("code"), T("federation"), T("list"), T("start"), T("end"), T("status"), [T("players")], [T("games")]],
      fit.map((row) => [eventLink(month, row[0], row[1]), row[0], row[2], row[3] === null ? "" : controlName(CONTROLS[row[3]]), row[4], row[5],
        row[7] ? `${T(`status_${row[6]}`)}: ${reason(row[7], "event").says}` : T(`status_${row[6]}`), row[8], row[9]])));
  };
  show(el("h1", {}, T("events_of", { month })), el("p", {}, monthLinkText(month)),
    el("p", {}, el("label", { for: "event-filter" }, T("event_filter")), " ", el("input", { type: "search", id: "event-filter", oninput: (event) => draw(event.target.value) })), holder);
  return draw("");
};

pages.event = async () => {
  busy();
  const meta = await loadMeta();
  const [month, ...rest] = fragment().split("/");
  const id = rest.join("/");
  const known = meta.months.find((of) => of.month === month && of.shown);
  if (!id) return show(el("p", {}, el("a", { href: "events.html" }, T("events_of", { month: meta.months.at(-1).month }))));
  const row = known ? (await load(`e/${month}/all`)).find((one) => one[0] === id) : null;
  if (!row) return show(el("p", { role: "alert" }, T("event_unknown", { id, month })));
  const event = (await load(`g/${month}/${row[10]}`))[row[11]];
  document.title = event.n || event.id;
  const days = [...new Set([event.s, event.e].filter(Boolean))].join(" – ");
  const why = event.re ? reason(event.re, "event") : null;
  return show(el("h1", { tabindex: "-1" }, event.n || event.id),
    el("p", {}, [event.id, event.f, event.c === null ? "" : capital(controlName(CONTROLS[event.c])), days].filter(Boolean).join(", ")),
    el("p", {}, monthLinkText(month)),
    el("p", {}, why ? T("event_not_rated", { status: T(`status_${event.st}`), why: why.says, article: article(why.article) }) : event.st ? T("event_rated", { month }) : ""),
    event.g ? crossTable(event, month) : el("p", {}, T("event_no_games")));
};

function crossTable(event, month) {
  const rounds = [...new Set(event.g.r)].sort((a, b) => a - b);
  const rows = event.p.map(([id]) => ({ ...ofEvent(event, id), games: sides(event, id) }));
  rows.sort((a, b) => b.points - a.points || (b.performance ?? 0) - (a.performance ?? 0) || a.id - b.id);
  const places = new Map(rows.map((row, at) => [row.id, at + 1]));
  const cell = (row, round) => row.games.filter((game) => game.round === round)
    .map((game) => `${halves(game.score)}\u00a0${T(game.colour === "w" ? "w" : "b")}${places.get(game.opponentId)}${game.change === null ? "*" : ""}`).join(", ");
  return el("div", {}, el("p", {}, T("cross_legend")), table(T("cross_table"),
    [[T("place")], T("name"), T("federation"), T("title"), [T("rating")], ...rounds.map(String), [T("points")], [T("performance")], [T("rated_games")], [T("change")]],
    rows.map((row, at) => [at + 1, playerLinkOfMonth(row, month), row.federation, row.title, row.rating, ...rounds.map((round) => cell(row, round)),
      halves(row.points), row.performance, row.rated, hundredths(row.sum, true)])));
}

const playerLinkOfMonth = (row, month) => el("a", { href: `player.html#${row.id}/${month}` }, row.name || String(row.id));
