// An account as headings, lines and tables: the words of `ratinglist explain`, which a test compares.

/** Return an account as blocks: headings, lines and tables. */
function accountBlocks(content) {
  const { of } = content;
  const who = [String(content.id), content.federation].filter(Boolean).join(", ");
  const blocks = [HEAD(T("x_title", { name: content.name || T("x_player"), who, month: of.month, revision: of.revision }))];
  for (const part of content.parts) blocks.push(BLANK, ...partBlocks(part));
  const out = Object.entries(of.leftOut).flatMap(([stem, columns]) => columns.map((column) => `${stem}.${column}`));
  if (out.length) blocks.push(BLANK, HEAD(T("x_left_out", { columns: out.join(", ") })));
  if (of.rulesChanged.length) blocks.push(BLANK, HEAD(T("x_rules_changed", { names: of.rulesChanged.join(", ") })));
  return blocks;
}

function partBlocks(part) {
  const blocks = [{ ...HEAD(headline(part)), control: true }];
  if (part.ruleSet) blocks.push(LINE(T("x_by", { name: part.ruleSet.name, source: part.ruleSet.source })));
  for (const own of part.own) blocks.push(BLANK, ...eventBlocks(own, part));
  const calculation = calculationBlocks(part);
  if (calculation.length) blocks.push(BLANK, ...calculation);
  if (part.entry) blocks.push(BLANK, ...entryBlocks(part));
  if (part.pool.length && (!part.entry || part.entry.published)) {
    blocks.push(BLANK, HEAD(T("x_results_wait")), ...trancheTable(part.pool));
  }
  return blocks;
}

/** Return a part of an account in one line. ``written``: writes a month; default: as it is, YYYY-MM. */
function headline(part, written = (month) => month) {
  const control = capital(controlName(part.control));
  const { change, was } = part;
  const now = part.now ? part.now.rating : null;
  const month = part.beforeName ? T("x_list_of", { month: written(part.beforeName) }) : T("x_list_before");
  if (!change) {
    if (now === null) return T("x_unrated", { control });
    let flag = "";
    if (part.now.flag && part.now.flag.includes("i")) {
      const inactive = part.value("list.inactive_after_lists");
      const lists = inactive ? T("x_lists_in_a_row", { count: inactive.value, article: inactive.article }) : "";
      flag = T("x_inactive", { lists });
    }
    if (!was) return T("x_no_game", { control, now, flag });
    const asBefore = was.rating === now ? T("x_as_on", { month }) : T("x_other_on", { rating: was.rating, month });
    return T("x_no_game_as_before", { control, now, asBefore, flag });
  }
  if (change.status === "entered") return T("x_first_rating", { control, now });
  let before = "";
  if (change.standsIn) {
    const { article: of } = part.value("event.standard_rating_stands_in");
    before = T("x_stands_in", { control: controlName(part.control), old: change.old, article: of });
  } else if (change.old !== null) {
    const isOther = part.hasBefore && (was ? was.rating : null) !== change.old;
    before = isOther ? T("x_to_begin_with", { old: change.old }) : T("x_was_on", { old: change.old, month });
  }
  if (now === null) return T("x_headline", { control, before, now: removed(part) });
  return T("x_headline", { control, before, now: T(change.standsIn ? "x_on_this_list" : "x_on_this_one", { now }) });
}

function removed(part) {
  const floor = part.value("list.floor");
  if (part.change.status === "lapsed") return T("x_lapsed");
  return part.change.status === "delisted" && floor ? T("x_removed_below", { floor: floor.value }) : T("x_no_longer_listed");
}

const GAMES_HEAD = ["round", "date", "colour", "opponent", "name", "opp_rating", "own_rating", "difference", "counted_as",
  "score", "expected", "k", "change"];
const GAMES_LEFT = ["date", "colour", "opponent", "name"];

function eventBlocks({ event, games, results }, part) {
  const name = event.n || event.id;
  const days = [...new Set([event.s, event.e].filter(Boolean))].join(T("x_day_to"));
  const details = [event.n ? event.id : "", event.f, days].filter(Boolean).join(", ");
  const blocks = [{ ...HEAD(details ? T("x_event", { name, details }) : name), event: event.id }];
  const why = event.re ? reason(event.re, "event") : null;
  const used = event.rs;
  if (why) {
    blocks.push(LINE(T("x_event_not_rated", { why: why.says, article: article(why.article) })));
    if (why.remedy) blocks.push(LINE(T("x_what_to_do", { remedy: why.remedy })));
  } else if (games.some((game) => game.change !== null || game.k !== null || event.rs) && used) {
    const of = window.RL_META.rules[used];
    const isSame = part.ruleSet && part.ruleSet.name === used;
    const source = isSame ? "" : T("x_source", { source: of ? of.source : T("x_rule_file_gone") });
    blocks.push(LINE(T("x_by_rules", { name: used, source })));
  }
  const hides = (part.leftOut.games ?? []);
  blocks.push(...figureTable(GAMES_HEAD, GAMES_LEFT, games.map((game) => [
    game.round, game.date, hides.includes("colour") ? "" : T(game.colour === "w" ? "x_white" : "x_black"),
    game.opponentId, game.opponent, game.opponentRating, game.rating,
    game.difference === null ? null : signed(game.difference),
    game.used !== null && game.used !== game.difference ? signed(game.used) : null,
    halves(game.score), hundredths(game.expected), game.k, hundredths(game.change, true)])), ...eventNotes(event, games, why));
  if (results.rated) {
    const rounding = results.change === null ? "" : T("x_event_rounded", { change: results.change });
    blocks.push(LINE(T("x_event_sum", { games: results.rated, sum: results.sum, rounding })));
  }
  return blocks;
}

/** Return the lines on the games of an event that were not rated, not played, or counted with another difference. */
function eventNotes(event, games, why) {
  const blocks = [];
  if (!why) {
    const rounds = new Map();
    for (const game of games.filter((each) => each.reason)) {
      const found = reason(game.reason, event.st && event.st !== "rated" ? "event" : "game");
      const key = JSON.stringify([found.says, found.article]);
      rounds.set(key, [...(rounds.get(key) ?? []), game.round]);
    }
    for (const [key, numbers] of rounds) {
      const [says, of] = JSON.parse(key);
      blocks.push(LINE(T("x_rounds_not_rated", { rounds: numbers, why: says, article: article(of) })));
    }
  }
  return [...blocks, ...cutBlocks(event, games), ...notPlayed(games)];
}

function notPlayed(games) {
  const played = new Set(games.map((game) => game.round));
  const missing = [];
  for (let round = Math.min(...played); round <= Math.max(...played); round += 1) if (!played.has(round)) missing.push(round);
  return missing.length ? [LINE(T("x_not_played", { rounds: missing }))] : [];
}

function cutBlocks(event, games) {
  const rounds = games.filter((game) => game.used !== null && game.difference !== null && game.used !== game.difference)
    .map((game) => game.round);
  const rules = window.RL_META.rules[event.rs];
  if (!rounds.length || !rules) return [];
  const value = (key) => rules.values[`expected_score.${key}`];
  const [cap, applies] = [value("cap"), value("cap_applies_to")];
  if (!cap) return [];
  const below = applies?.value === "players_below" ? T("x_cap_below", { rating: value("cap_players_below").value }) : "";
  const best = applies?.value === "best_game_per_event" ? T("x_cap_best") : "";
  return [LINE(T("x_cap", { rounds, cap: cap.value, below, best, article: (applies ?? cap).article }))];
}
