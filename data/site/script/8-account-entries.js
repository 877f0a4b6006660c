// The lines of an account on first ratings, and an account as plain text and as elements.

const TRANCHE_HEAD = ["event", "name", "games", "points", "opponents_sum", "counted_by", "counts_until"];

const trancheTable = (tranches, entered = false) => figureTable(TRANCHE_HEAD, ["event", "name"], tranches.map((each) => [
  each.event, each.name, each.games, halves(each.score), each.sum, each.counted,
  entered ? null : each.last]));

function entryBlocks(part) {
  const { entry, value } = part;
  const blocks = [HEAD(T(entry.published ? "x_how_first" : "x_towards_first")), ...trancheTable(entry.tranches, entry.published)];
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

function accountElements(blocks, month) {
  const parts = [];
  for (const block of blocks.slice(1)) {
    if (block.kind === "head") {
      const text = block.event === undefined ? block.text : eventLink(month, block.event, block.text);
      parts.push(el(block.control ? "h3" : "h4", {}, text));
    } else if (block.kind === "line") parts.push(el("p", { class: "line" }, block.text));
    else if (block.kind === "table") {
      const id = block.columns.indexOf("opponent");
      const link = block.columns.indexOf("name") >= 0 ? block.columns.indexOf("name") : id;
      parts.push(table(T("x_games_of_month", { month }), block.head.map((name, at) => (block.left[at] ? name : [name])),
        block.rows.map((row) => row.map((cell, at) => (id >= 0 && at === link && row[id] ? playerLink(row[id], cell || row[id]) : cell)))));
    }
  }
  return parts;
}
