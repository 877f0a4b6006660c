// The lines of an account from the games to the new rating.

function calculationBlocks(part) {
  const { change, step } = part;
  const stepLines = step ? [LINE(T("x_step", step))] : [];
  if (!change || change.status === "entered") return stepLines.length ? [HEAD(T("x_how_calculated")), ...stepLines] : [];
  const blocks = [HEAD(T("x_how_calculated"))];
  if (change.games) {
    const tables = part.own.map(({ event }) => window.RL_META.rules[event.rs]).filter(Boolean)
      .map((rules) => rules.values["expected_score.table"]).filter(Boolean).map((each) => each.article);
    const articles = [...new Set(tables)].join("; ");
    blocks.push(LINE(T("x_expected", { articles: articles ? ` (${articles})` : "" })), LINE(T("x_ratings")),
      LINE(T("x_change_of_game")), ...coefficientBlocks(part), ...sumBlocks(part));
  }
  blocks.push(...stepLines);
  const floor = part.value("list.floor");
  if (change.status === "delisted" && floor) {
    blocks.push(LINE(T("x_floor", { removed: removed(part), article: floor.article })));
  }
  return blocks;
}

function coefficientBlocks(part) {
  const { limit } = part;
  if (limit) {
    const before = limit.kBefore === null ? "" : T("x_k_before", { k: limit.kBefore });
    return [LINE(T("x_k_limited", { k: limit.k, before, games: counted(limit.games, "game"), limit: limit.limit,
      article: limit.article }))];
  }
  if (!part.ruleSet) return [];
  const keys = kOf(part, "fixed") ? ["fixed"] : ["new", "junior", "normal", "master"];
  const blocks = [];
  for (const k of ks(part)) {
    const cases = keys.filter((key) => kOf(part, key) === k);
    const articles = [...new Set(cases.map((key) => part.value(`development_coefficient.${key}`).article))].join("; ");
    if (cases.length) {
      blocks.push(LINE(T("x_k", { k, cases: cases.map((key) => T(`x_k_${key}`, {
        new: kOf(part, "new_until_games"), master: kOf(part, "master_from"), junior: kOf(part, "junior_below"),
        until: key === "junior" ? T(`x_until_${kOf(part, "junior_until")}`) : "" })).join(T("x_or")), articles })));
    }
  }
  return blocks;
}

function sumBlocks(part) {
  const { change } = part;
  if (change.hundredths === null || change.change === null) return [];
  const rounding = part.value("change.halves");
  const perEvent = part.value("change.rounded_per");
  const how = rounding ? T("x_rounding", { article: rounding.article,
    each: perEvent && perEvent.value === "event" ? T("x_each_event") : "" }) : "";
  const blocks = [LINE(T("x_sum", { games: counted(change.games, "game"), sum: hundredths(change.hundredths, true),
    change: signed(change.change), how }))];
  if (change.old !== null) blocks.push(LINE(`${change.old} ${plus(change.change)} = ${change.old + change.change}`));
  return blocks;
}
