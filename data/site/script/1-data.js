// Slices of data: gzipped JSON, in which a table is an object with one array for each column.

const VERSION = document.documentElement.dataset.version;
const CONTROLS = ["standard", "rapid", "blitz"];
const PLAYER_TABLES = ["ratings", "changes", "entries", "waiting", "events", "records", "wins", "places", "corrections",
  "rollbacks"];

class DataError extends Error {}

const slices = new Map();

/** Return a promise of a slice; it rejects with a sentence where the file is not the one wanted. */
function load(name, version = VERSION) {
  const key = `${version}/${name}`;
  if (!slices.has(key)) {
    slices.set(key, fetched(name, version).catch((error) => {
      slices.delete(key);
      throw error;
    }));
  }
  return slices.get(key);
}

async function fetched(name, version) {
  const answer = await fetch(`data/${version}/${name}.json.gz`).catch(() => null);
  const content = answer?.ok ? await answer.arrayBuffer().then(unpacked).then(JSON.parse).catch(() => null) : null;
  if (content?.version !== version) throw new DataError(T(content ? "file_other_version" : "file_missing", { name }));
  return content;
}

/** Return the text of a file. A server may send it as it is, or may have told the browser to unpack it. */
function unpacked(buffer) {
  const [first, second] = new Uint8Array(buffer);
  if (first !== 0x1f || second !== 0x8b) return new TextDecoder().decode(buffer);
  return new Response(new Blob([buffer]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

/** Return the rows of a table as objects; ``column`` and ``value``: only those with this value. */
function rowsOf(table = {}, column = null, value = null) {
  const names = Object.keys(table);
  const places = [...(table[names[0]] ?? []).keys()].filter((at) => column === null || table[column]?.[at] === value);
  return places.map((at) => Object.fromEntries(names.map((name) => [name, table[name][at]])));
}

/** Return whether a column has a value in a row: one without any is left out of the slice. */
const has = (value) => value !== null && value !== undefined;

/** The months, the time controls, and how the slices are cut: ``data/<version>/meta.json.gz``. */
let meta = null;

const loadMeta = async () => {
  meta = await load("meta");
  meta.last = meta.months.length - 1;
};

const monthAt = (month) => meta.months.findIndex((each) => each.month === month);
const isIn = (run, month) => run.first <= month && month <= run.last;

/** Return the data of a player, or null where no list has the FIDE ID. */
async function player(id) {
  const slice = await load(`p/${id % meta.slices}`);
  const [row] = rowsOf(slice.persons, "id", id);
  return row ? { ...row, ...Object.fromEntries(PLAYER_TABLES.map((name) => [name, rowsOf(slice[name], "id", id)])) } : null;
}

/** Return the line of a player on the list of a month, or null. */
const listed = (person, control, month) => person.ratings.find((run) => run.control === control && isIn(run, month)) ?? null;

/** Return an event as a month shows it: its row, its players by FIDE ID, and its games, two rows each. */
async function eventAt({ first, file, event }, month) {
  const slice = await load(`e/${file}`, meta.months[first].key);
  const players = rowsOf(slice.players, "event", event);
  const sides = rowsOf(slice.sides, "event", event)
    .map((side) => ({ ...side, id: players[side.player].id, opponent_id: players[side.opponent]?.id }));
  return { ...rowsOf(slice.events, "event", event)[0], month, players: new Map(players.map((known) => [known.id, known])), sides };
}

/** Return events of a player as a month, or the last that has them so, shows them, each with ``own``, the player's games. */
async function eventsOf(person, refs, month = null) {
  const events = await Promise.all(refs.map((ref) => eventAt(ref, month ?? ref.last)));
  return events.map((event) => ({ ...event, own: event.sides.filter((side) => side.id === person.id) }));
}

/** Return every game of these events once: copies, and games that count in another report, are left out. */
async function gamesOf(person, refs) {
  const events = (await eventsOf(person, refs)).filter((event) => !["duplicate", "superseded"].includes(event.status));
  // An event that waited is in the data of several months.
  const once = new Map(events.map((event) => [event.event_id, event]));
  return [...once.values()].flatMap((event) => event.own.filter((game) => game.reason !== "same_game")
    .map((game) => ({ ...game, of: event })));
}
