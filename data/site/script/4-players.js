// The data of a player, month by month.

/** Return the data of a player, or null where no list and no waiting result has the FIDE ID. */
async function player(meta, id) {
  const file = await load(`h/${(id % meta.playerFiles).toString(16)}`);
  const seat = file.id[0].indexOf(Math.floor(id / meta.playerFiles));
  if (seat < 0) return null;
  const found = { id };
  for (const kind of ["h", "d", "c", "s", "e", "n", "t", "p", "x", "r", "b", "a", "g", "q", "u"]) {
    const [seats, ...columns] = file[kind] ?? [[]];
    found[kind] = seats.includes(seat) ? rowsOf(columns, seats.indexOf(seat), seats.lastIndexOf(seat) + 1) : [];
  }
  // The new rating is nearly always the old one and the change.
  const sum = (old, change) => (old === null || change === null ? null : old + change);
  found.c = found.c.map(([month, control, old, games, k, exact, change, rating, status, ...more]) =>
    [month, control, old, games, k, exact, change, rating === undefined ? sum(old, change) : rating, status, sum(old, change), ...more]);
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

/** Load the events of a file: each with its players, its games by column, the places, and what was not played. */
async function loadEvents(month, number) {
  const file = await load(`g/${month}/${number}`);
  if (file.events) return file.events;
  const of = (name) => {
    const [events, ...columns] = file[name] ?? [[]];
    let end = 0;
    return (event) => {
      const first = end;
      while (events[end] === event) end += 1;
      return columns.map((column) => column.slice(first, end));
    };
  };
  const [players, games, unplayed] = ["p", "g", "u"].map(of);
  file.events = rowsOf(file.e).map(([id, n, f, c, y, s, e, st, re, rs], at) => {
    const [ids, names, federations, titles, ratings, performances, changes, places] = players(at);
    const g = games(at);
    const p = (ids ?? []).map((one, seat) => [one, names[seat], federations[seat], titles[seat], ratings[seat], 0, performances[seat], 0, null, changes[seat]]);
    const o = (places ?? []).some((place) => place !== null) ? places : null;
    return { id, n, f, c, y, s, e, st, re, rs, p, g: g.length && g[0].length ? complete(p, g) : null, o, u: rowsOf(unplayed(at)) };
  });
  return file.events;
}

const DAY = 86400000;
const GAME_COLUMNS = ["r", "d", "w", "b", ...["w", "b"].flatMap((side) => [..."qsrofdekc"].map((letter) => side + letter))];

/** Fill the columns of an event's games with what the data says they are, and the players' results; return the games. */
function complete(p, columns) {
  const g = Object.fromEntries(GAME_COLUMNS.map((name, at) => [name, columns[at]]));
  g.d = g.d.map((day) => (day === null ? null : new Date(day * DAY).toISOString().slice(0, 10)));
  const value = (what, at) => {
    if (Array.isArray(what)) {
      const [left, right] = [value(what[1], at), value(what[2], at)];
      if (left === null || right === null) return null;
      return what[0] === "-" ? left - right : left * right;
    }
    if (what === "wp" || what === "bp") return p[g[what[0]][at]][4];
    return typeof what === "string" ? g[what][at] : what;
  };
  for (const [name, what] of Object.entries(window.RL_META.computed)) g[name] = g[name].map((one, at) => (one === undefined ? value(what, at) : one));
  for (const side of ["w", "b"]) {
    g[side].forEach((seat, at) => {
      const row = p[seat];
      const change = g[`${side}c`][at];
      row[5] += g[`${side}s`][at] ?? 0;
      if (change === null) return;
      row[7] += 1;
      row[8] += change;
    });
  }
  return g;
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
  if (!event.g) return [];
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
  const loaded = await Promise.all(refs.map((ref) => loadEvents(meta.months[month].month, ref[1])));
  return refs.map((ref, at) => loaded[at][ref[2]]);
}
