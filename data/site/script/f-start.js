// Start the page.

// For tests: the same text as `ratinglist explain`.
window.RL_EXPLAIN = async (id, month) => {
  const meta = await loadMeta();
  const one = await player(meta, id);
  return one ? asText(accountBlocks(await account(meta, one, meta.months.findIndex((of) => of.month === month)))) : null;
};

// Where the reader is on a page is kept in the history of the browser: Back comes back to it.
let isDrawing = true;
let keeping = 0;
const keepPlace = () => { if (!isDrawing) window.history.replaceState({ place: window.scrollY }, ""); };
const subject = () => (document.body.dataset.page === "player" ? fragment().split("/")[0] : fragment());
let drawn = null;

/** Draw what the address names. Another player, event or comparison begins at its top, also for a screen reader. */
async function draw(page) {
  isDrawing = true;
  result.setAttribute("aria-busy", "true");
  clearTimeout(keeping);
  const place = window.history.state?.place;
  const isOther = drawn !== null && drawn !== subject();
  drawn = subject();
  await page().catch(fail);
  result.removeAttribute("aria-busy");
  if (place !== undefined) window.scrollTo(0, place);
  else if (isOther) {
    window.scrollTo(0, 0);
    document.querySelector("h1[tabindex]")?.focus({ preventScroll: true });
  }
  isDrawing = false;
}

const page = pages[document.body.dataset.page];
if (page && result) {
  if (window.RL_TEXTS.version !== VERSION) show(el("p", { class: "error", role: "alert" }, T("page_other_version")));
  else if (!("DecompressionStream" in window)) show(el("p", { role: "alert" }, T("browser_old")));
  else {
    // The address of the content is that of the link that skips to it.
    window.addEventListener("hashchange", () => { if (fragment() !== "content" && !["index", "search"].includes(document.body.dataset.page)) draw(page); });
    window.addEventListener("click", keepPlace, true);
    window.addEventListener("scroll", () => { clearTimeout(keeping); keeping = setTimeout(keepPlace, 150); }, { passive: true });
    draw(page);
  }
}
main.classList.add("ready");
