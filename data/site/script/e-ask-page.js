// The page that asks the lists with SQL: DuckDB-WASM runs in a worker, on the published files of this site.

const ROWS_OF_RESULT = 1000;
const BARS_SHOWN = 20;
const RESULT_FILE = "result.csv";

pages.ask = async () => {
  if (!location.protocol.startsWith("http")) return show(el("p", {}, T("ask_needs_web")));
  const of = await load("ask");
  const names = of.questions.map((one) => one[0]);
  const query = el("textarea", { id: "query", rows: 12, spellcheck: "false", autocapitalize: "off", autocomplete: "off" });
  const answer = el("div", { id: "answer", "aria-live": "polite" });
  const choose = (name) => {
    query.value = of.questions[Math.max(names.indexOf(name), 0)][2];
    ask();
  };
  let queries = 0;
  const ask = async () => {
    const number = ++queries;
    const tell = (...parts) => number === queries && answer.replaceChildren(...parts.flat(Infinity));
    tell(el("p", { class: "soft" }, T("ask_starting")));
    answer.setAttribute("aria-busy", "true");
    await answered(of, query.value).then((csv) => tell(resultParts(csv)), (error) => tell(el("p", { class: "error", role: "alert" }, error.message)));
    if (number === queries) answer.removeAttribute("aria-busy");
  };
  const select = el("select", { id: "question", onchange: () => { keepInAddress(select.value); choose(select.value); } },
    of.questions.map(([name, text]) => el("option", { value: name }, text)));
  select.value = names.includes(fragment()) ? fragment() : names[0];
  query.addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) ask(); });
  show(el("div", { class: "ask" }, el("label", { for: "question" }, T("ask_ready")), select, answer,
      fold(T("ask_query"), false, el("p", { class: "soft" }, T("ask_tables", { tables: of.tables.join(", ") }), " ", el("a", { href: "data.html" }, T("ask_columns"))),
        el("label", { for: "query" }, T("ask_sql")), query, el("button", { type: "button", id: "ask", onclick: ask }, T("ask_run")),
        el("p", { class: "soft" }, T("ask_license", { version: of.version })))));
  choose(select.value);
};

let database = null;

/** Return the rows of a query as the text of a CSV file. */
async function answered(of, sql) {
  database ??= startDatabase(of).catch((error) => {
    database = null;
    throw error;
  });
  const { tell, connection } = await database;
  await tell("RUN_QUERY", [connection, `copy (${sql.trim().replace(/;+$/, "")}\n) to '${RESULT_FILE}' (format csv, header true)`]);
  const bytes = await tell("COPY_FILE_TO_BUFFER", RESULT_FILE);
  await tell("DROP_FILE", RESULT_FILE);
  return new TextDecoder().decode(bytes);
}

/** Start DuckDB in a worker, with the tables; return how it is given a task, and its connection. */
async function startDatabase(of) {
  const [program, module] = of.files.map((name) => new URL(name, location.href).href);
  const source = await fetch(program).then((response) => (response.ok ? response.blob() : Promise.reject(new Error(T("file_missing", { name: program })))));
  const worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  const tasks = new Map();
  worker.onmessage = ({ data }) => {
    const task = tasks.get(data.requestId);
    if (!task || data.type === "INSTANTIATE_PROGRESS" || data.type === "LOG") return;
    tasks.delete(data.requestId);
    if (data.type === "ERROR") task.reject(new Error(data.data.message));
    else task.resolve(data.data);
  };
  let last = 0;
  const tell = (type, data) => new Promise((resolve, reject) => {
    tasks.set(++last, { resolve, reject });
    worker.postMessage({ messageId: last, type, data });
  });
  await tell("INSTANTIATE", [module, null]);
  await tell("OPEN", { path: ":memory:", filesystem: { reliableHeadRequests: true, allowFullHTTPReads: true } });
  const connection = await tell("CONNECT", null);
  const site = new URL(".", location.href).href;
  for (const statement of of.setup) await tell("RUN_QUERY", [connection, statement.replaceAll("{site}", site)]);
  return { tell, connection };
}

/** Return the rows of a CSV text; a field that is empty and in no quotes is null. */
function csvRows(text) {
  const rows = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    rows.at(-1).push(quoted === undefined ? plain || null : quoted.replaceAll('""', '"'));
    if (end !== ",") rows.push([]);
  }
  return rows.filter((row) => row.length > 1 || (row.length && row[0] !== null));
}

/** Return a result as a chart, a table and a file. */
function resultParts(csv) {
  const [head, ...texts] = csvRows(csv);
  if (!texts.length) return el("p", {}, T("ask_none"));
  const isNumber = head.map((_, at) => texts.every((row) => row[at] === null || /^-?\d+(\.\d+)?$/.test(row[at])) && texts.some((row) => row[at] !== null));
  const rows = texts.map((row) => row.map((value, at) => (isNumber[at] && value !== null ? Number(value) : value)));
  const [id, name] = [head.indexOf("fide_id"), head.indexOf("name")];
  const isId = (at) => /(^|_)id$/.test(head[at]);
  const cell = (row, value, at) => {
    if (at === id && value !== null) return playerLink(value, name < 0 ? "" : String(value));
    if (at === name && id >= 0 && value !== null) return playerLink(row[id], value);
    return typeof value === "number" && !Number.isInteger(value) ? String(value).replace(".", T("decimal")) : value;
  };
  const shown = rows.slice(0, ROWS_OF_RESULT);
  const columns = head.map((each, at) => [each.replaceAll("_", " "), isNumber[at] ? "number" : ""]);
  return [resultChart(head, rows, isNumber.map((is, at) => is && !isId(at))),
    table(T("ask_result"), columns, shown.map((row) => row.map((value, at) => cell(row, value, at)))),
    el("p", {}, T("ask_rows", { count: whole(rows.length) }), rows.length > shown.length ? ` · ${T("ask_first", { count: whole(shown.length) })}` : "", " ",
      el("button", { type: "button", id: "save", onclick: () => download(RESULT_FILE, rows, head) }, T("ask_save")))];
}

/** Draw the last column of figures: by month as a line, and else as a bar for each row, named by its first texts. */
function resultChart(head, rows, isFigure) {
  const at = isFigure.lastIndexOf(true);
  if (at < 1 || rows.length < 2) return "";
  const title = head[at].replaceAll("_", " ");
  if (head[0] === "list_month" && new Set(rows.map((row) => row[0])).size === rows.length) {
    return chart(rows.map((row) => ({ month: row[0] })), title, [{ name: title, points: rows.map((row, month) => [month, row[at]]), at: 0 }]) ?? "";
  }
  const label = head.includes("name") ? head.indexOf("name") : isFigure.findIndex((is, column) => column !== at && head[column] !== "fide_id");
  const bars = rows.slice(0, BARS_SHOWN).filter((row) => row[at] !== null);
  const most = Math.max(...bars.map((row) => Math.abs(row[at])), 1);
  return el("figure", { class: "bars", role: "img", "aria-label": title },
    el("figcaption", { class: "soft" }, title),
    bars.map((row) => el("div", {}, el("span", {}, row[label] === null ? "" : String(row[label])),
      el("progress", { max: most, value: Math.abs(row[at]), class: row[at] < 0 ? "loss" : null, "aria-hidden": "true" }),
      el("span", { class: "number" }, String(row[at]).replace(".", T("decimal")).replace("-", MINUS)))));
}
