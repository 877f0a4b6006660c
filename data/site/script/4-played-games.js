// The games of a player over all months, each once.

/** What a reader sees of these events is a copy: their games count under another code, or in an earlier version. */
const COPIES = ["duplicate", "superseded"];

/** Return the events of all months that a player's data name, each once, as it is on the newest list that has it. */
async function everyEvent(meta, refs) {
  const loaded = await Promise.all(refs.map((ref) => loadEvents(meta.months[ref[0]].month, ref[1])));
  const events = refs.map((ref, at) => ({ event: loaded[at][ref[2]], month: ref[0] })).filter(({ event }) => !COPIES.includes(event.st));
  // An event that waited is in the data of two months.
  return [...new Map(events.map((each) => [each.event.id, each])).values()];
}

/** Return a player's games of these events; a game that counts in another report is there and not here. */
const everyGame = (events, id) => events.flatMap(({ event, month }) => sides(event, id)
  .filter((game) => game.reason !== "same_game").map((game) => ({ event, month, game })));

/** Return the event in which the games of a copy counted, and its month, by the games of one of its players; null: not on this site. */
async function whereCounted(copy, month, id) {
  const meta = await loadMeta();
  const one = await player(meta, id);
  const pairs = (event) => sides(event, id).map((game) => `${game.round}/${game.opponentId}`);
  const own = pairs(copy);
  const last = meta.months.findIndex((of) => of.month === month);
  const alike = (await everyEvent(meta, one.e.filter((ref) => ref[0] <= last && ref[0] > last - MONTHS_BEFORE)))
    .map((each) => ({ ...each, same: each.event.st === "rated" ? pairs(each.event).filter((pair) => own.includes(pair)).length : 0 }));
  const best = alike.sort((a, b) => b.same - a.same)[0];
  return best && 2 * best.same > own.length ? { event: best.event, month: meta.months[best.month].month } : null;
}

/** So many lists are looked through for the games of a copy. */
const MONTHS_BEFORE = 6;
