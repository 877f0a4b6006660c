// Data files are scripts that call RL(name, version, length, text); nothing else is loaded, and nothing is fetched.

const VERSION = document.documentElement.dataset.version;
const CONTROLS = ["standard", "rapid", "blitz"];
const SECONDS_TO_WAIT = 30;
const SORTED_AT_MOST = 20000;
const ROWS_SHOWN = 100;


class FileError extends Error {}

const files = new Map();
const waiting = new Map();

window.RL = (name, version, length, text) => {
  const file = waiting.get(name);
  if (file) file.received(version, { length, text });
};

/** Return the version that a data file has to state: that of its month, or else that of the site. */
function versionOf(name) {
  const [kind, month] = name.split("/");
  const of = "gel".includes(kind) && window.RL_META ? window.RL_META.months.find((each) => each.month === month) : null;
  return of ? of.key : VERSION;
}

/** Return the content of a data file: JSON, or tables by name. */
async function unpack({ length, text }) {
  // Each letter is two bytes; a space stands before one whose highest bit was changed.
  const packed = new Uint8Array(length + 1);
  let end = 0;
  for (let at = 0; at < text.length; at += 1) {
    let letter = text.charCodeAt(at);
    if (letter === 32) letter = text.charCodeAt(at += 1) ^ 0x8000;
    packed[end] = letter & 255;
    packed[end + 1] = letter >> 8;
    end += 2;
  }
  const stream = new Blob([packed.subarray(0, length)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const line = bytes.indexOf(10);
  const json = JSON.parse(new TextDecoder().decode(line < 0 ? bytes : bytes.subarray(0, line)));
  return line < 0 ? json : columnsOf(json, bytes.subarray(line + 1));
}

/**
 * Return the columns of tables by name. What a line of a file says of them is in src/ratinglist/site/columns.py: a
 * number, the length of texts; or a letter, how many bytes each number has, and what it is. A number that is what other
 * columns make of it is undefined.
 */
function columnsOf(head, bytes) {
  let start = 0;
  const column = (rows, sign) => {
    if (typeof sign === "number") {
      const texts = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(start, start += sign)).split("\0");
      return texts.slice(0, -1).map((text) => (text === "\x01" ? null : text));
    }
    const kind = sign < "@" ? "0" : sign < "`" ? "@" : "`";
    const codes = new Array(rows).fill(0);
    for (let byte = 0; byte < sign.charCodeAt(0) - kind.charCodeAt(0); byte += 1) {
      for (let row = 0; row < rows; row += 1) codes[row] += bytes[start + row] * 256 ** byte;
      start += rows;
    }
    const numbers = codes.map((code) => (code < 2 ? null : code % 2 ? (1 - code) / 2 : code / 2 - 1));
    if (kind === "`") for (let row = 1; row < rows; row += 1) numbers[row] += numbers[row - 1];
    return kind === "@" ? numbers.map((number, row) => (codes[row] ? number : undefined)) : numbers;
  };
  return Object.fromEntries(Object.entries(head).map(([name, [rows, signs]]) => [name, signs.map((sign) => column(rows, sign))]));
}

/** Return rows ``first`` to ``end`` of a table, each an array. */
const rowsOf = (columns, first = 0, end = columns.length && columns[0].length) =>
  Array.from({ length: end - first }, (_, at) => columns.map((column) => column[first + at]));

/** Return a promise of the content of a data file; it rejects with a sentence where the file is not the one wanted. */
function load(name) {
  if (!files.has(name)) files.set(name, transfer(name).then(unpack).catch((error) => {
    files.delete(name);
    throw error instanceof FileError ? error : new FileError(T("file_damaged", { name }));
  }));
  return files.get(name);
}

function transfer(name) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    const wanted = versionOf(name);
    const end = (action, value) => {
      clearTimeout(timer);
      waiting.delete(name);
      script.remove();
      action(value);
    };
    const timer = setTimeout(() => end(reject, new FileError(T("file_slow", { name }))), SECONDS_TO_WAIT * 1000);
    waiting.set(name, { received: (version, content) => (version === wanted ? end(resolve, content)
      : end(reject, new FileError(T("file_other_version", { name })))) });
    script.onerror = () => end(reject, new FileError(T("file_missing", { name })));
    // A script that has run without calling RL is another file, or cut off.
    script.onload = () => waiting.has(name) && end(reject, new FileError(T("file_damaged", { name })));
    script.src = `data/${wanted}/${name}.js`;
    document.head.append(script);
  });
}
