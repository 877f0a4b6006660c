// How a rating came about: the operands and results that `ratinglist explain` gives, in the same order. No figure is
// calculated here.

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
  const ofPart = (rows) => rows.find((line) => line[0] === month && line[1] === at) ?? null;
  const [row, step, entryRow] = [one.c, one.s, one.n].map(ofPart);
  const change = row && { old: row[2], games: row[3], k: row[4], hundredths: row[5], change: row[6], rating: row[7],
    status: row[8], carried: row[9] ?? row[7], isLimited: Boolean(row[10]), standsIn: Boolean(row[11]) };
  const own = events.filter((event) => event.c === at)
    .map((event) => ({ event, games: sides(event, one.id), results: ofEvent(event, one.id) }))
    .filter(({ games }) => games.length);
  const pool = waitingAt(one, at, month);
  const now = listed(one, at, month);
  if (!now && !change && !entryRow && !own.length && !pool.length) return null;
  own.sort((a, b) => byText(a.event.s, b.event.s) || byText(a.event.e, b.event.e) || byText(a.event.id, b.event.id));
  return { control, ruleSet, value, now, change, own, pool, was: hasBefore ? listed(one, at, before) : null, hasBefore,
    beforeName: of.before[control] ?? null, leftOut: of.leftOut, step: step && { before: step[2], after: step[3] },
    entry: entryRow ? entryOf(one, at, month, entryRow, pool) : null };
}

function byText(a, b) {
  if (a === b) return 0;
  if (a === null) return 1;
  return b === null || a < b ? -1 : 1;
}

const waitingResult = ([event, name, games, score, sum, counted, last]) => ({ event, name, games, score, sum, counted, last: last ?? null });
const waitingAt = (one, control, month) => one.p.filter((row) => row[0] === control && row[1] <= month && month <= row[2])
  .map((row) => waitingResult(row.slice(3))).sort((a, b) => byText(a.counted, b.counted) || byText(a.event, b.event));

function entryOf(one, control, month, row, pool) {
  const [, , games, score, average, p, dp, rating, published, code, isWhole] = row;
  const ended = one.t.filter((each) => each[0] === month && each[1] === control).map((each) => waitingResult(each.slice(2)));
  return { games, score, average, p, dp, rating, published: Boolean(published), code, isWhole: Boolean(isWhole),
    tranches: pool.length ? pool : ended };
}
