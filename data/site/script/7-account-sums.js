// The lines of an account from the games to the new rating.

function calculationBlocks(part) {
  const { change, step } = part;
  const stepLines = step ? [LINE(T("x_step", { ...step, article: part.value("list.one_time_step").article }))] : [];
  // The terms of another system than FIDE's are in `ratinglist explain` alone.
  if (!change || change.status === "entered" || (part.ruleSet && part.ruleSet.system)) {
    return stepLines.length ? [HEAD(T("x_how_calculated")), ...stepLines] : [];
  }
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
  const { change, was } = part;
  if (change.isLimited) {
    const limit = part.value("development_coefficient.period_limit");
    const before = was && was.k !== null ? T("x_k_before", { k: was.k }) : "";
    return [LINE(T("x_k_limited", { k: change.k, before, games: change.games, limit: limit.value, article: limit.article }))];
  }
  const applied = part.own.flatMap(({ games }) => games.map((game) => game.k)).filter((k) => k !== null);
  const named = part.ruleSet ? part.ruleSet.k : {};
  return [...new Set(applied)].sort((a, b) => a - b).filter((k) => named[k])
    .map((k) => LINE(T("x_k", { k, cases: named[k][0], article: named[k][1] })));
}

function sumBlocks(part) {
  const { change } = part;
  if (change.hundredths === null || change.change === null) return [];
  const rounding = part.value("change.halves");
  const perEvent = part.value("change.rounded_per");
  const how = rounding ? T("x_rounding", { article: rounding.article,
    each: perEvent && perEvent.value === "event" ? T("x_each_event") : "" }) : "";
  const blocks = [LINE(T("x_sum", { games: change.games, sum: change.hundredths, change: change.change, how }))];
  if (change.old !== null) blocks.push(LINE(T("x_plus", { old: change.old, change: change.change, result: change.carried })));
  return blocks;
}
