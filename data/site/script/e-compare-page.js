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
  if (found.length === 1) return show(el("h1", {}, T("compare_heading")), el("p", {}, T("compare_second", { name: names[0] })), choose);
  const [a, b] = found;
  const parts = CONTROLS.map((control, at) => {
    const lines = found.map((one, number) => ({ name: names[number].split(",")[0], points: history(meta, one, at), at: number }))
      .filter((line) => line.points.some((point) => point[1] !== null));
    const drawn = lines.length && chart(meta.months, T("compare_chart", { control: controlName(control), a: names[0], b: names[1] }), fromFirst(lines));
    return drawn ? el("section", {}, el("h2", {}, capital(controlName(control))), drawn) : "";
  });
  const both = a.e.filter((ref) => b.e.some((other) => other.every((value, at) => value === ref[at])));
  const events = await Promise.all(both.map((ref) => loadEvents(meta.months[ref[0]].month, ref[1])));
  const games = both.flatMap((ref, at) => {
    const event = events[at][ref[2]];
    return sides(event, a.id).filter((game) => game.opponentId === b.id).map((game) => ({ event, game, month: meta.months[ref[0]].month }));
  });
  // An event that waited is in the data of two months: each game is counted once.
  const once = [...new Map(games.map((each) => [`${each.event.id}/${each.game.round}`, each])).values()];
  const points = once.reduce((sum, { game }) => sum + game.score, 0);
  return show(el("h1", {}, T("compare_title", { a: names[0], b: names[1] })), el("p", {}, playerLink(a.id, names[0]), " – ", playerLink(b.id, names[1])), el("div", { class: "columns two" }, parts),
    el("h2", {}, T("compare_games")), once.length ? [el("p", {}, T("compare_score", { name: names[0], points: halves(points), games: counted(once.length, "game") })),
      table(T("compare_games"), [T("event"), [T("month"), "wide"], [T("round")], [capital(T("x_col_colour")), ""], [T("score")]], once.map(({ event, game, month }) => [eventLink(month, event.id, event.n), monthName(month),
        game.round, T(game.colour === "w" ? "x_white" : "x_black"), halves(game.score)]))] : el("p", {}, T("compare_no_games")),
    el("p", {}, T("compare_other")), choose);
};
