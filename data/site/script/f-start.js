// Start the page.

// For tests: the same text as `ratinglist explain`.
window.RL_EXPLAIN = async (id, month) => {
  const meta = await loadMeta();
  const one = await player(meta, id);
  return one ? asText(accountBlocks(await account(meta, one, meta.months.findIndex((of) => of.month === month)))) : null;
};

const page = pages[document.body.dataset.page];
if (page && result) {
  if (window.RL_TEXTS.version !== VERSION) show(el("p", { class: "error", role: "alert" }, T("page_other_version")));
  else if (!("DecompressionStream" in window)) show(el("p", { role: "alert" }, T("browser_old")));
  else {
    const start = () => page().catch(fail);
    window.addEventListener("hashchange", () => { if (!["index", "search"].includes(document.body.dataset.page)) start(); });
    start();
  }
}
main.classList.add("ready");
