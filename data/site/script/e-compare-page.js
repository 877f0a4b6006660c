// The page that compares two players.

pages.compare = async () => {
  const ids = location.hash.slice(1).split(",").filter((id) => /^[1-9]\d{0,10}$/.test(id)).map(Number);
  const choose = searchBox((row) => { location.hash = `#${[...ids.slice(0, 1), row[1]].join(",")}`; });
  if (!ids.length) return show(el("h1", {}, T("compare_heading")), el("p", {}, T("compare_first")), choose);
  busy();
  const meta = await loadMeta();
  const found = await Promise.all(ids.slice(0, 2).map((id) => player(meta, id)));
  const missing = found.findIndex((one) => one === null);
  if (missing >= 0) return show(el("p", { role: "alert" }, T("player_unknown", { id: ids[missing] })), choose);
  const names = found.map((one) => newest(one).name ?? String(one.id));
  if (found.length === 1) return show(el("h1", {}, T("compare_heading")), el("p", {}, T("compare_second", { name: names[0] })), choose, opponentsFold(meta, found[0]));
  const [a, b] = found;
  const parts = CONTROLS.map((control, at) => {
    const lines = found.map((one, number) => ({ name: names[number].split(",")[0], points: history(meta, one, at), at: number }))
      .filter((line) => line.points.some((point) => point[1] !== null));
    const drawn = lines.length && chart(meta.months, T("compare_chart", { control: controlName(control), a: names[0], b: names[1] }), fromFirst(lines));
    return drawn ? el("section", {}, el("h2", {}, capital(controlName(control))), drawn) : "";
  });
  const both = a.e.filter((ref) => b.e.some((other) => other.every((value, at) => value === ref[at])));
  const once = everyGame(await everyEvent(meta, both), a.id).filter(({ game }) => game.opponentId === b.id)
    .map(({ event, game, month }) => ({ event, game, month: meta.months[month].month }));
  const points = once.reduce((sum, { game }) => sum + game.score, 0);
  const list = (event) => (event.c === null ? "" : capital(controlName(CONTROLS[event.c])));
  const when = (event, game, month) => (game.date || event.e ? dayName(game.date || event.e) : monthName(month));
  return show(el("h1", { tabindex: "-1" }, T("compare_title", { a: names[0], b: names[1] })), el("p", {}, playerLink(a.id, names[0]), " – ", playerLink(b.id, names[1])),
    el("h2", {}, T("compare_games")), once.length ? [el("p", {}, T("compare_score", { name: names[0], points: halves(points), games: counted(once.length, "game") })),
      table(T("compare_games"), [T("event"), [T("list"), "wide"], [capital(T("x_col_date")), "wide"], [T("round")], [capital(T("x_col_colour")), ""], [T("score")]], once.map(({ event, game, month }) =>
        [titled("", eventLink(month, event.id, event.n), [list(event), when(event, game, month)].filter(Boolean).join(" · ")), list(event), when(event, game, month),
          game.round, T(game.colour === "w" ? "x_white" : "x_black"), halves(game.score)]))] : el("p", {}, T("compare_no_games")),
    el("div", { class: "columns two" }, parts),
    el("p", {}, T("compare_other", { name: names[0] })), choose);
};
