// The page of a player.

const pages = {};

pages.player = async () => {
  const [idText, monthText] = fragment().split("/");
  if (!/^[1-9]\d{0,10}$/.test(idText)) {
    return show(el("p", {}, T("player_none")), searchBox((row) => { location.hash = `#${row[1]}`; }));
  }
  busy();
  const meta = await loadMeta();
  const id = Number(idText);
  const one = await player(meta, id);
  if (!one) return show(el("p", { role: "alert" }, T("player_unknown", { id })), el("p", {}, el("a", { href: "search.html" }, T("go_search"))));
  const now = newest(one);
  const last = meta.months.length - 1;
  document.title = `${now.name ?? T("x_player")} (${id})`;
  const facts = [[T("fide_id"), String(id)], [T("federation"), now.federation], [T("title"), [now.title, now.womenTitle !== now.title ? now.womenTitle : "", now.otherTitles].filter(Boolean).join(", ")],
    [T("birth_year"), now.birthYear], [T("sex"), now.sex]].filter(([, value]) => value);
  const ratings = CONTROLS.map((control, at) => [control, listed(one, at, last)]).filter(([, line]) => line);
  const lines = CONTROLS.map((control, at) => ({ name: capital(controlName(control)), points: history(meta, one, at), at }))
    .filter((line) => line.points.some((point) => point[1] !== null));
  const months = [...new Set([...one.c, ...one.n, ...one.e].map((row) => row[0]))]
    .filter((month) => meta.months[month].shown).sort((a, b) => b - a);
  const place = meta.months.findIndex((of) => of.month === monthText);
  const chosen = place >= 0 ? place : months[0] ?? last;
  const accountPlace = el("section", { id: "account", "aria-live": "polite" });
  show(
    el("h1", { tabindex: "-1" }, now.name ?? T("player_unnamed", { id })),
    el("dl", { class: "facts" }, facts.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, String(value))])),
    el("p", { class: "ratings" }, ratings.length ? ratings.map(([control, line]) => el("span", { class: "rating" }, `${capital(controlName(control))} `,
      el("strong", {}, String(line.rating)), line.flag && line.flag.includes("i") ? ` (${T("inactive")})` : "")) : T("unrated_now", { month: meta.months[last].month })),
    chart(meta, T("chart_title", { name: now.name ?? id }), lines) ?? "",
    monthChooser(meta, months, chosen, id),
    accountPlace,
    waitingSection(meta, one, last),
    correctionSection(meta, one),
    historySection(meta, one, lines),
    el("p", {}, el("a", { href: `compare.html#${id}` }, T("compare_with"))));
  await showAccount(meta, one, chosen, accountPlace);
};

function monthChooser(meta, months, chosen, id) {
  const all = [...new Set([chosen, ...months])].sort((a, b) => b - a);
  const select = el("select", { id: "month", onchange: (change) => { location.hash = `#${id}/${change.target.value}`; } },
    all.map((month) => el("option", { value: meta.months[month].month, selected: month === chosen }, meta.months[month].month)));
  return el("p", { class: "choose" }, el("label", { for: "month" }, T("month_choose")), " ", select);
}

async function showAccount(meta, one, month, place) {
  const of = meta.months[month];
  try {
    const content = await account(meta, one, month);
    const blocks = accountBlocks(content);
    const text = asText(blocks);
    place.replaceChildren(el("h2", {}, T("account_of", { month: of.month })),
      ...(content.parts.length ? accountElements(blocks, of.month) : [el("p", {}, T("account_none"))]),
      el("details", {}, el("summary", {}, T("account_as_text")), el("pre", { class: "text", tabindex: "0" }, text)),
      el("p", {}, monthLinkText(of.month)));
  } catch (error) {
    if (!(error instanceof FileError)) console.error(error);
    place.replaceChildren(el("p", { class: "error", role: "alert" }, error instanceof FileError ? error.message : T("page_failed")));
  }
}

const monthLinkText = (month) => el("a", { href: `month-${month}.html` }, T("month_page", { month }));

function waitingSection(meta, one, last) {
  const isShown = (month) => meta.months.some((of) => of.month === month && of.shown);
  const rows = CONTROLS.flatMap((control, at) => waitingAt(one, at, last).map((each) => [capital(controlName(control)),
    isShown(each.counted) ? eventLink(each.counted, each.event, each.name) : each.name || each.event, each.games, halves(each.score), each.counted, each.last ?? ""]));
  if (!rows.length) return "";
  return el("section", {}, el("h2", {}, T("waiting")), el("p", {}, T("waiting_why")),
    table(T("waiting"), [T("list"), T("event"), [T("games")], [T("points")], T("x_col_counted_by"), T("x_col_counts_until")], rows));
}

function correctionSection(meta, one) {
  if (!one.x.length && !one.b.length) return "";
  const changed = one.x.map(([month, revision, control, was, is, , because, numbers]) => [monthLink(meta.months[month].month), `r${revision}`,
    capital(controlName(CONTROLS[control])), was ?? T("not_listed"), is ?? T("not_listed"), because, numbers]);
  const both = one.b.map(([month, control, published, known]) => [monthLink(meta.months[month].month), capital(controlName(CONTROLS[control])),
    published ?? T("not_listed"), known ?? T("not_listed")]);
  return el("section", {}, el("h2", {}, T("corrections")),
    both.length ? table(T("both_numbers"), [T("month"), T("list"), [T("as_published")], [T("as_now_known")]], both) : "",
    changed.length ? table(T("corrections_made"), [T("month"), T("revision"), T("list"), [T("was")], [T("is")], T("because"), T("numbers")], changed) : "");
}

function historySection(meta, one, lines) {
  const rows = meta.months.map((of, month) => [of.shown ? monthLink(of.month) : of.month, ...lines.map((line) => line.points[month][1])])
    .filter((row) => row.slice(1).some((value) => value !== null)).reverse();
  return el("details", {}, el("summary", {}, T("history_table")),
    table(T("history_table"), [T("month"), ...lines.map((line) => [line.name])], rows));
}
