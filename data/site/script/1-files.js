// Data files are scripts that call RL(name, version, packed); nothing else is loaded, and nothing is fetched.

const VERSION = document.documentElement.dataset.version;
const CONTROLS = ["standard", "rapid", "blitz"];
const SECONDS_TO_WAIT = 30;
const SORTED_AT_MOST = 20000;
const ROWS_SHOWN = 100;


class FileError extends Error {}

const files = new Map();
const waiting = new Map();

window.RL = (name, version, packed) => {
  const file = waiting.get(name);
  if (file) file.received(version, packed);
};

/** Return the version that a data file has to state: that of its month, or else that of the site. */
function versionOf(name) {
  const [kind, month] = name.split("/");
  const of = "gel".includes(kind) && window.RL_META ? window.RL_META.months.find((each) => each.month === month) : null;
  return of ? of.key : VERSION;
}

async function unpack(packed) {
  const letters = atob(packed);
  // Twenty times as fast as Uint8Array.from with a function.
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at += 1) bytes[at] = letters.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(stream).text());
}

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
    waiting.set(name, { received: (version, packed) => (version === wanted ? end(resolve, packed)
      : end(reject, new FileError(T("file_other_version", { name })))) });
    script.onerror = () => end(reject, new FileError(T("file_missing", { name })));
    // A script that has run without calling RL is another file, or cut off.
    script.onload = () => waiting.has(name) && end(reject, new FileError(T("file_damaged", { name })));
    script.src = `data/${wanted}/${name}.js`;
    document.head.append(script);
  });
}
