// The data of a player, month by month.

/** Return the data of a player, or null where no list and no waiting result has the FIDE ID. */
async function player(meta, id) {
  const file = await load(`h/${(id % meta.playerFiles).toString(16)}`);
  const found = file.find((one) => one.id === id);
  if (!found) return null;
  for (const kind of ["h", "d", "c", "s", "e", "n", "t", "p", "x", "r", "b", "a", "g", "q", "u"]) found[kind] ??= [];
  return found;
}

const person = (one, month) => {
  const row = one.d.filter((data) => data[0] <= month).pop() ?? null;
  return row && { name: row[1], federation: row[2], sex: row[3], title: row[4], womenTitle: row[5],
    otherTitles: row[6], birthYear: row[7] };
};
const newest = (one) => person(one, Infinity) ?? { name: null, federation: null };

/** Return the line of the list of a month, or null: rating, K and flag. */
function listed(one, control, month) {
  const row = one.h.filter((line) => line[0] === control && line[1] <= month).pop();
  return row && row[2] !== null ? { rating: row[2], k: row[3], flag: row[4] } : null;
}

/** Load what all pages need: the months, the rule sets, and what the columns of games nearly always are. */
const loadMeta = async () => {
  window.RL_META = await load("meta");
  return window.RL_META;
};

/** Fill the columns of an event's games that were left out with what the data says they are; return the event. */
function complete(event) {
  const g = event.g;
  if (!g || g.isComplete) return event;
  const value = (what, at) => {
    if (Array.isArray(what)) {
      const [left, right] = [value(what[1], at), value(what[2], at)];
      if (left === null || right === null) return null;
      return what[0] === "-" ? left - right : left * right;
    }
    if (what === "wp" || what === "bp") return event.p[g[what[0]][at]][4];
    return typeof what === "string" && what ? g[what][at] : what;
  };
  for (const [name, what] of Object.entries(window.RL_META.computed)) g[name] ??= g.r.map((_, at) => value(what, at));
  g.isComplete = true;
  return event;
}

/** Return a player of an event, with the results of the games; null where the player has none. */
function ofEvent(event, id) {
  const row = event.p.find((one) => one[0] === id);
  if (!row) return null;
  const [, name, federation, title, rating, points, performance, rated, sum, change] = row;
  return { id, name, federation, title, rating, points, performance, rated, sum, change: change ?? null };
}

/** Return the player's own games of an event, by round. */
function sides(event, id) {
  if (!complete(event).g) return [];
  const seat = event.p.findIndex((row) => row[0] === id);
  const g = event.g;
  const found = [];
  for (let at = 0; at < g.r.length; at += 1) {
    const own = g.w[at] === seat ? "w" : g.b[at] === seat ? "b" : null;
    if (own === null) continue;
    const [opponentId, opponent] = event.p[g[own === "w" ? "b" : "w"][at]];
    found.push({
      round: g.r[at], date: g.d[at], colour: own, opponentId, opponent, score: g[`${own}s`][at], rating: g[`${own}r`][at],
      opponentRating: g[`${own}o`][at], difference: g[`${own}f`][at], used: g[`${own}d`][at], expected: g[`${own}e`][at], k: g[`${own}k`][at],
      change: g[`${own}c`][at], reason: g[`${own}q`][at] || null,
    });
  }
  return found.sort((a, b) => a.round - b.round || a.opponentId - b.opponentId);
}

async function eventsOf(meta, one, month) {
  const refs = one.e.filter((ref) => ref[0] === month);
  const loaded = await Promise.all(refs.map((ref) => load(`g/${meta.months[month].month}/${ref[1]}`)));
  return refs.map((ref, at) => loaded[at][ref[2]]);
}
