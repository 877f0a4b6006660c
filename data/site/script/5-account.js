// How a rating came about: the figures that `ratinglist explain` gives, in the same order.

const HEAD = (text) => ({ kind: "head", text });
const LINE = (text) => ({ kind: "line", text });
const BLANK = { kind: "blank" };

async function account(meta, one, month) {
  const of = meta.months[month];
  const events = await eventsOf(meta, one, month);
  const parts = [];
  for (const control of CONTROLS) {
    const part = accountPart(meta, one, month, control, events);
    if (part) parts.push(part);
  }
  const number = (control) => CONTROLS.indexOf(control);
  const beforeMonth = (control) => meta.months.findIndex((each) => each.month === of.before[control]);
  const isListed = CONTROLS.some((control) => listed(one, number(control), month));
  const wasListed = CONTROLS.map(beforeMonth).filter((before, at) => before >= 0 && listed(one, at, before));
  const isNamed = isListed || (of.namesUnrated && hasResults(one, month, events));
  const known = isNamed ? person(one, month) : wasListed.length ? person(one, wasListed[0]) : null;
  return { of, id: one.id, name: known && known.name, federation: isNamed && known ? known.federation : null, parts };
}

/** Return whether a month has games, an entry or waiting results of a player: then it names an unrated one. */
const hasResults = (one, month, events) => events.length > 0 || one.n.some((row) => row[0] === month)
  || one.p.some((row) => row[1] <= month && month <= row[2]);

function accountPart(meta, one, month, control, events) {
  const of = meta.months[month];
  const at = CONTROLS.indexOf(control);
  const ruleSet = meta.rules[of.inForce[control]] ?? null;
  const value = (key) => (ruleSet && ruleSet.values[key] ? ruleSet.values[key] : null);
  const before = meta.months.findIndex((each) => each.month === of.before[control]);
  const hasBefore = before >= 0 && meta.months[before].controls.includes(control);
  const was = hasBefore ? listed(one, at, before) : null;
  const row = one.c.find((line) => line[0] === month && line[1] === at);
  const change = row && { old: row[2], games: row[3], k: row[4], hundredths: row[5], change: row[6], rating: row[7],
    status: row[8] };
  const entryRow = one.n.find((line) => line[0] === month && line[1] === at);
  const own = events.filter((event) => event.c === at).map((event) => ({ event, games: sides(event, one.id) }))
    .filter(({ games }) => games.length);
  const pool = waitingAt(one, at, month);
  const now = listed(one, at, month);
  if (!now && !change && !entryRow && !own.length && !pool.length) return null;
  own.sort((a, b) => byText(a.event.s, b.event.s) || byText(a.event.e, b.event.e) || byText(a.event.id, b.event.id));
  const part = { control, ruleSet, value, now, change, own, pool, was, hasBefore, beforeName: of.before[control] ?? null,
    leftOut: of.leftOut };
  part.limit = limitOf(part);
  const isUnknown = of.before[control] !== undefined && !hasBefore;
  const standsIn = change && change.old !== null && !(isUnknown || was) && value("event.standard_rating_stands_in");
  part.standsIn = standsIn && standsIn.value ? standsIn : null;
  part.step = stepOf(part, of.month);
  part.entry = entryRow ? entryOf(meta, one, at, before, month, entryRow, pool, own) : null;
  return part;
}

function byText(a, b) {
  if (a === b) return 0;
  if (a === null) return 1;
  return b === null || a < b ? -1 : 1;
}

const waitingAt = (one, control, month) => one.p.filter((row) => row[0] === control && row[1] <= month && month <= row[2])
  .map((row) => ({ event: row[3], name: row[4], games: row[5], score: row[6], sum: row[7], counted: row[8], expires: row[9] }))
  .sort((a, b) => byText(a.counted, b.counted) || byText(a.event, b.event));

const COEFFICIENTS = ["fixed", "new", "junior", "normal", "master"];
const kOf = (part, key) => (part.value(`development_coefficient.${key}`) ?? {}).value;

function ks(part) {
  const found = part.own.flatMap(({ games }) => games.map((game) => game.k)).filter((k) => k !== null);
  return [...new Set(found)].sort((a, b) => a - b);
}

function limitOf(part) {
  const { change, was, value } = part;
  const limit = value("development_coefficient.period_limit");
  const found = ks(part);
  if (!change || !limit || !limit.value || !change.games || found.length !== 1) return null;
  const usual = new Set(COEFFICIENTS.map((key) => kOf(part, key)));
  const kBefore = was ? was.k : null;
  const isOver = kBefore === null ? !usual.has(found[0]) : kBefore * change.games > limit.value && found[0] < kBefore;
  if (found[0] !== Math.floor(limit.value / change.games) || !isOver) return null;
  return { limit: limit.value, games: change.games, kBefore, k: found[0], article: limit.article };
}

function stepOf(part, month) {
  const { change, was, value } = part;
  let carried = null;
  if (change) carried = change.old !== null && change.change !== null ? change.old + change.change : null;
  else carried = was ? was.rating : null;
  const step = value("list.one_time_step");
  if (carried === null || !step || step.value === "none" || value("list.one_time_step_month").value !== month) return null;
  const after = carried < 2000 ? Math.floor((60 * carried + 40 * 2000 + 50) / 100) : carried;
  return after === carried ? null : { before: carried, after, article: step.article };
}

function entryOf(meta, one, control, before, month, row, pool, own) {
  const [, , games, score, average, p, dp, rating, published, code] = row;
  const name = meta.months[month].month;
  let tranches = pool;
  if (!pool.length) {
    const earlier = before >= 0 ? waitingAt(one, control, before).filter((each) => each.expires > name) : [];
    const ofMonth = own.map(({ event, games: all }) => {
      const counts = all.filter((game) => game.reason === "counts_for_entry");
      return counts.length ? { event: event.id, name: event.n, games: counts.length, counted: name, expires: null,
        score: counts.reduce((sum, game) => sum + game.score, 0),
        sum: counts.reduce((sum, game) => sum + (game.opponentRating ?? 0), 0) } : null;
    }).filter(Boolean);
    tranches = [...earlier, ...ofMonth].sort((a, b) => byText(a.counted, b.counted) || byText(a.event, b.event));
  }
  const total = tranches.reduce((sum, each) => sum + each.games, 0);
  return { games, score, average, p, dp, rating, published: Boolean(published), code, tranches,
    isWhole: games !== null && total === games };
}
