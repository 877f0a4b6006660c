// The lines of an account on first ratings, and an account as plain text and as elements.

const TRANCHE_HEAD = ["event", "name", "games", "points", "opponents_sum", "counted_by", "counts_until"];

/** Return the table of waiting results. ``written``: writes a month; default: as it is, YYYY-MM. */
const trancheTable = (tranches, entered = false, written = (month) => month) => figureTable(TRANCHE_HEAD, ["event", "name"], tranches.map((each) => [
  each.event, each.name, each.games, halves(each.score), each.sum, each.counted && written(each.counted),
  entered || !each.last ? null : written(each.last)]));

function entryBlocks(part, written = (month) => month) {
  const { entry, value } = part;
  const blocks = [HEAD(T(entry.published ? "x_how_first" : "x_towards_first")), ...trancheTable(entry.tranches, entry.published, written)];
  if (!entry.isWhole) blocks.push(LINE(T("x_other_results")));
  if (entry.games !== null && entry.score !== null) {
    blocks.push(LINE(T("x_games_points", { games: entry.games, points: entry.score })));
  }
  const method = value("entry.method");
  if (method && entry.average !== null && entry.p !== null && entry.dp !== null) {
    const draws = method.value === "two_draws_at_1800";
    const byPoints = method.value === "twenty_per_half_point" && entry.dp >= 0;
    const source = byPoints ? T("x_by_points", { article: method.article })
      : T("x_by_table", { article: value("entry.performance_table").article });
    blocks.push(LINE(T("x_average", { draws: draws ? T("x_two_draws") : "", average: entry.average, article: method.article })),
      LINE(T("x_share", { draws: draws ? T("x_with_draws") : "", share: entry.p, dp: entry.dp, source })));
    if (entry.rating !== null) {
      const maximum = value("entry.maximum");
      const most = maximum.value ? T("x_at_most", { maximum: maximum.value, article: maximum.article }) : "";
      blocks.push(LINE(T("x_entry_rating", { average: entry.average, dp: entry.dp, most, rating: entry.rating })));
    }
  }
  if (entry.published) blocks.push(LINE(T("x_first", { rating: entry.rating })));
  else if (entry.code) {
    const why = reason(entry.code, "entry");
    blocks.push(LINE(T("x_not_listed_yet", { why: why.says, article: why.article })));
  }
  if (method && !entry.published) {
    const [least, lists] = [value("entry.min_games"), value("entry.window_lists")];
    blocks.push(LINE(T("x_entry_needs", { games: least.value, article: least.article, lists: lists.value,
      window: lists.article })));
  }
  return blocks;
}

/** Return a table block without the columns that are empty in all rows; none where no column is left. */
function figureTable(head, left, rows) {
  const texts = rows.map((row) => row.map((cell) => (cell === null || cell === undefined ? "" : String(cell))));
  const kept = head.map((_, column) => column).filter((column) => texts.some((row) => row[column] !== ""));
  if (!kept.length) return [];
  return [{ kind: "table", head: kept.map((column) => T(`x_col_${head[column]}`)), left: kept.map((column) => left.includes(head[column])),
    columns: kept.map((column) => head[column]), rows: texts.map((row) => kept.map((column) => row[column])) }];
}

/** Return blocks as plain text, as the command prints it. */
function asText(blocks) {
  const lines = [];
  for (const block of blocks) {
    if (block.kind === "blank") lines.push("");
    else if (block.kind === "head") lines.push(block.text);
    else if (block.kind === "line") lines.push(`  ${block.text}`);
    else {
      const all = [block.head, ...block.rows];
      const size = (text) => [...text].length;
      const widths = block.head.map((_, column) => Math.max(...all.map((row) => size(row[column]))));
      for (const row of all) {
        const cells = row.map((cell, column) => {
          const pad = " ".repeat(widths[column] - size(cell));
          return block.left[column] ? cell + pad : pad + cell;
        });
        lines.push(`  ${cells.join("  ")}`.trimEnd());
      }
    }
  }
  return lines.join("\n");
}

/** Return an account as elements: each time control with its change in a sentence, its events, and the terms. */
function accountElements(content) {
  const { of } = content;
  const first = content.parts.find((part) => part.own.some(({ results }) => results.rated));
  return content.parts.map((part) => {
    const control = capital(controlName(part.control));
    // Those that count come first. The account as text keeps the order of `ratinglist explain`.
    const own = [...part.own].sort((a, b) => Boolean(b.results.rated) - Boolean(a.results.rated));
    const terms = [...calculationBlocks(part).filter((block) => block.kind === "line").map((block) => block.text)];
    return el("section", { id: `account-${part.control}` }, el("h3", {}, `${control} `, changeSentence(part)),
      part.change ? sumSentence(part) : el("p", { class: "soft" }, headline(part, monthName)),
      part === first ? el("p", { class: "note" }, T("account_legend")) : "",
      el("div", { class: own.length > 1 ? "columns two" : null }, own.map((each) => eventElements(each, of.month, content.id))),
      part.entry ? entryElements(part, of.month) : "",
      part.pool.length && (!part.entry || part.entry.published) ? [el("h4", {}, T("x_results_wait")), ...trancheElements(trancheTable(part.pool, false, monthName))] : "",
      terms.length ? fold(T("terms"), false, terms.map((text) => el("p", { class: "note" }, text)),
        part.ruleSet ? el("p", { class: "note" }, part.ruleSet.source) : "") : "");
  });
}

function changeSentence(part) {
  const { change, now } = part;
  if (!change) return "";
  const step = `${change.old ?? "–"} → ${now ? now.rating : "–"}`;
  return el("span", { class: "quiet" }, step, " ", change.old !== null && change.change !== null ? ["(", changeText(change.change), ")"] : "");
}

/** Return the change of a list in one sentence: the sums of the events, and what they make. */
function sumSentence(part) {
  const { change } = part;
  const rated = part.own.filter(({ results }) => results.rated);
  if (!change.games || change.hundredths === null || change.change === null || change.status === "entered" || !rated.length
    || (part.ruleSet && part.ruleSet.system)) return el("p", {}, headline(part, monthName));
  const games = counted(change.games, "game");
  const make = T("sum_rounded", { sum: hundredths(change.hundredths, true).replace("-", MINUS), change: signed(change.change).replace("-", MINUS) });
  const parts = rated.map(({ results }) => hundredths(results.sum, true).replace("-", MINUS));
  return el("p", {}, rated.length > 1 ? T("sum_of_events", { games, events: whole(rated.length), parts: parts.join(", "), make })
    : T("sum_of_event", { games, make }));
}

function eventElements({ event, games, results }, month, id) {
  const why = event.re ? reason(event.re, "event") : null;
  const hides = games.every((game) => game.expected === null);
  const hasRatings = games.some((game) => game.opponentRating !== null);
  const head = [[T("col_round")], ["", ""], T("opponent"), ...(hasRatings ? [[T("rating"), "number wide"]] : []), [T("score")],
    ...(hides ? [] : [[T("col_expected")], [T("change")]])];
  const rating = (game) => (game.opponentRating === null ? "–" : `${game.opponentRating}${game.used !== null && game.used !== game.difference ? "*" : ""}`);
  const ks = [...new Set(games.map((game) => game.k).filter((k) => k !== null))];
  const number = !why && results.rated < games.length ? T("some_counted", { rated: results.rated, games: games.length }) : counted(games.length, "game");
  const foot = [el("span", {}, ""), "", `${number}${ks.length === 1 ? `, K ${ks[0]}` : ""}`, ...(hasRatings ? [""] : []), halves(results.points),
    ...(hides ? [] : ["", results.sum === null ? "–" : exact(results.sum)])];
  const lines = eventNotes(event, games, why).map((block) => block.text);
  const cut = cutBlocks(event, games).map((block) => block.text);
  const shown = [table(T("games_of", { event: event.n || event.id }), head, games.map((game) => [game.round,
    el("span", { class: `colour ${game.colour}`, title: T(game.colour === "w" ? "x_white" : "x_black") }, T(game.colour)),
    titled("", playerLink(game.opponentId, game.opponent, month), hasRatings ? rating(game) : ""), ...(hasRatings ? [rating(game)] : []), halves(game.score),
    ...(hides ? [] : [game.expected === null ? "" : hundredths(game.expected), game.change === null ? "–" : exact(game.change)])]), foot),
    lines.map((text) => el("p", { class: "note" }, cut.includes(text) ? `* ${text}` : text))];
  return el("div", {},
    el("div", { class: "heading" }, el("h4", {}, eventLink(month, event.id, event.n)), el("p", { class: "soft" }, days(event.s, event.e))),
    why ? [notCounted(event, why, month, id), fold(counted(games.length, "game"), false, shown)] : shown);
}

/** Say why an event does not count and, where its games counted on a list of this site, on which. */
function notCounted(event, why, month, id) {
  const place = el("p", { class: "notice" }, T("not_counted", { why: why.article === "readings" ? why.says : `${why.says} (${why.article})` }));
  if (COPIES.includes(event.st)) {
    whereCounted(event, month, id).then((found) => found && place.append(" ",
      el("a", { href: `event.html#${found.month}/${encodeURIComponent(found.event.id)}` }, T("counted_on", { month: monthName(found.month) })), ".")).catch(fail);
  }
  return place;
}

const trancheElements = (blocks) => blocks.map((block) => table(T("waiting"),
  block.head.map((name, at) => (block.left[at] ? name : [name])), block.rows));

function entryElements(part) {
  return entryBlocks(part, monthName).map((block) => (block.kind === "head" ? el("h4", {}, block.text)
    : block.kind === "line" ? el("p", { class: "note" }, block.text) : trancheElements([block])));
}
