// The pages of events.

const rankOf = (row) => (row[6] === "rated" ? 0 : row[6] === "refused" ? 2 : 1);

pages.events = async () => {
  const meta = await loadMeta();
  const months = meta.months.filter((of) => of.shown).map((of) => of.month);
  const [month = "", query = ""] = fragment().split("?");
  const chosen = month || months.at(-1);
  if (!months.includes(chosen)) return show(el("p", { role: "alert" }, T("month_unknown", { month: chosen })));
  const [every, index] = await Promise.all([load(`e/${chosen}/all`), load("s/index")]);
  const rows = [...every];
  // Events that count come first, those that are refused last; each in the order of the data.
  rows.sort((a, b) => rankOf(a) - rankOf(b));
  const texts = rows.map((row) => foldName(index.letters, `${row[0]} ${row[1]} ${row[2]}`));
  document.title = T("events_of", { month: monthName(chosen) });
  const holder = el("div", {});
  const why = (row) => (row[7] ? reason(row[7], "event").says : "");
  const draw = (typed) => {
    const words = foldName(index.letters, typed).split(" ").filter(Boolean);
    keepInAddress(`${chosen}${typed.trim() ? `?${encodeURIComponent(typed.trim())}` : ""}`);
    const fit = rows.filter((_, at) => words.every((word) => texts[at].includes(word))).slice(0, 500);
    holder.replaceChildren(el("p", { class: "note", role: "status" }, T("events_found", { count: whole(fit.length), rated: whole(fit.filter((row) => row[6] === "rated").length) })), table(T("events_of", { month: monthName(chosen) }),
      [T("event"), [T("federation"), "wide"], [T("list"), "wide"], [T("dates"), "wide dates"], [T("players"), "number wide"], [T("games")], [T("status"), ""]],
      fit.map((row) => [[eventLink(chosen, row[0], row[1]), [[row[2], row[3] === null ? "" : controlName(CONTROLS[row[3]]), days(row[4], row[5])].filter(Boolean).join(" · "), why(row)].map((text) => el("span", { class: "under" }, text))], row[2],
        row[3] === null ? "" : controlName(CONTROLS[row[3]]), days(row[4], row[5]), row[8] === null ? "" : whole(row[8]), row[9] === null ? "" : whole(row[9]),
        row[6] === "rated" ? el("span", { class: "tag rated" }, T("status_rated")) : [el("span", { class: `tag ${row[6]}` }, T(`status_${row[6]}`)),
          el("span", { class: "soft wide" }, ` ${why(row)}`)]])));
  };
  const field = el("input", { type: "search", id: "event-filter", value: query, placeholder: T("event_filter"), "aria-label": T("event_filter"), oninput: (event) => draw(event.target.value) });
  show(el("h1", {}, T("events_of", { month: monthName(chosen) })),
    el("div", { class: "filters" }, el("select", { id: "month", "aria-label": T("month_choose"), onchange: (event) => { location.hash = `#${event.target.value}`; } },
      [...months].reverse().map((each) => el("option", { value: each, selected: each === chosen }, monthName(each)))), field, monthLinkText(chosen)), holder);
  return draw(query);
};

pages.event = async () => {
  const [month, ...rest] = fragment().split("/");
  const id = rest.join("/");
  busy();
  const meta = await loadMeta();
  const known = meta.months.find((of) => of.month === month && of.shown);
  if (!id) return show(el("p", {}, el("a", { href: "events.html" }, T("events_of", { month: monthName(meta.months.at(-1).month) }))));
  const row = known ? (await load(`e/${month}/all`)).find((one) => one[0] === id) : null;
  if (!row) return show(el("h1", {}, T("event")), el("p", { role: "alert" }, T("event_unknown", { id, month: known ? monthName(month) : month })),
    el("p", {}, el("a", { href: known ? `events.html#${month}` : "events.html" }, T("events_of", { month: monthName(known ? month : meta.months.at(-1).month) })), " · ", el("a", { href: "search.html" }, T("go_search"))));
  const event = (await loadEvents(month, row[10]))[row[11]];
  document.title = event.n || event.id;
  const why = event.re ? reason(event.re, "event") : null;
  const details = [event.f, event.c === null ? "" : capital(controlName(CONTROLS[event.c])), days(event.s, event.e) && `${days(event.s, event.e)} ${(event.e ?? event.s).slice(0, 4)}`,
    T("code_is", { code: event.id })];
  return show(el("p", { class: "over" }, T("event")), el("h1", { tabindex: "-1" }, event.n || event.id),
    el("p", { class: "soft" }, details.filter(Boolean).join(" · "), " · ", monthLinkText(month)),
    why ? notCounted(event, why, month, event.p?.[0]?.[0])
      : event.st ? el("p", {}, T("event_rated", { month: monthName(month) })) : "",
    event.g ? crossTable(event, month) : el("p", { class: "soft" }, T("event_no_games")));
};

function crossTable(event, month) {
  const rounds = [...new Set([...event.g.r, ...(event.u ?? []).map((one) => one[1])])].sort((a, b) => a - b);
  const unplayed = event.u ?? [];
  const rows = event.p.map(([id], seat) => {
    const row = { ...ofEvent(event, id), games: sides(event, id), place: event.o ? event.o[seat] : null, unplayed: unplayed.filter((one) => one[0] === seat) };
    return { ...row, points: row.unplayed.reduce((sum, [, , score]) => sum + score, row.points) };
  });
  rows.sort((a, b) => a.place - b.place || b.points - a.points || (b.performance ?? 0) - (a.performance ?? 0) || a.id - b.id);
  const numbers = new Map(rows.map((row, at) => [row.id, at + 1]));
  const cell = (row, round) => [...row.games.filter((game) => game.round === round)
    .map((game) => `${halves(game.score)}\u00a0${T(game.colour)}${numbers.get(game.opponentId)}${game.change === null ? "*" : ""}`),
    ...row.unplayed.filter((one) => one[1] === round).map(([, , score]) => `(${halves(score)})`)].join(", ");
  const holder = table(T("cross_table"),
    [[T("number"), "number quiet place"], T("name"), [T("federation"), "wide"], [T("rating"), "number wide"], ...rounds.map((round) => [String(round), "round late-column"]),
      [T("points"), "number strong"], [T("performance"), "number wide"], [T("rated_games"), "number wide"], [T("change")]],
    rows.map((row, at) => [at + 1, titled(row.title, playerLink(row.id, row.name, month), [row.rating, row.federation].filter(Boolean).join(" · ")), row.federation, row.rating ?? "–",
      ...rounds.map((round) => cell(row, round)), halves(row.points), row.performance ?? "–", row.rated, row.sum === null ? "–" : exact(row.sum)]));
  holder.classList.add("cross");
  return el("div", {}, holder, el("p", { class: "note" }, T(event.o ? "cross_standings" : "cross_legend"), el("span", { class: "late-column" }, " ", T("cross_cell"))), gamesByRound(event, rounds, month));
}

/** Return the games round by round, which are made when a reader opens them. */
function gamesByRound(event, rounds, month) {
  const g = event.g;
  const side = (seat) => titled("", playerLink(event.p[seat][0], event.p[seat][1], month));
  const place = el("div");
  const games = fold(T("games_by_round"), false, place);
  games.addEventListener("toggle", () => place.replaceChildren(...rounds.flatMap((round) => [el("h3", {}, T("round_number", { round })),
    table(T("round_number", { round }), [T("x_white"), ["", "number strong"], [T("x_black"), ""]],
      g.r.map((_, at) => at).filter((at) => g.r[at] === round).map((at) => [side(g.w[at]), `${halves(g.ws[at])} : ${halves(g.bs[at])}`, side(g.b[at])]))])), { once: true });
  return games;
}
