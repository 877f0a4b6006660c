// Run the script of a site without a browser: node site_script.js SITE < pairs of FIDE ID and month, as JSON.
// It prints the accounts as plain text, a JSON object by "month FIDE ID".

const fs = require("fs");
const path = require("path");
const vm = require("vm");

const [site] = process.argv.slice(2);
const pairs = JSON.parse(fs.readFileSync(0, "utf8"));
const element = () => ({ dataset: {}, classList: { add() {} }, append() {}, setAttribute() {}, remove() {} });
const run = (name) => {
  const bytes = fs.readFileSync(path.join(site, name));
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : "utf-8";
  vm.runInContext(new TextDecoder(encoding).decode(bytes), page);
};

const version = fs.readFileSync(path.join(site, "index.html"), "utf8").match(/data-version="(\w+)"/)[1];

const page = vm.createContext({
  Blob, DecompressionStream, Response, TextDecoder, Uint8Array, clearTimeout, console, setTimeout,
  addEventListener() {}, location: { hash: "" },
});
page.window = page;
page.document = {
  documentElement: { dataset: { version }, lang: "en" }, body: { dataset: {} }, createElement: element, createElementNS: element,
  getElementById: () => null, querySelector: element,
  head: { append(script) { run(script.src); script.onload(); } },
};
run(`parts/${version}/texts.js`);
run(`parts/${version}/site.js`);

(async () => {
  const accounts = {};
  for (const [id, month] of pairs) accounts[`${month} ${id}`] = await page.RL_EXPLAIN(id, month);
  process.stdout.write(JSON.stringify(accounts));
})();
