// The page of a player.

const pages = {};
let shownPlayer = null;

pages.player = async () => {
  const [idText, monthText] = fragment().split("/");
  if (!/^[1-9]\d{0,10}$/.test(idText)) {
    return show(el("p", {}, T("player_none")), searchBox((row) => { location.hash = `#${row[1]}`; }));
  }
  const meta = await loadMeta();
  const id = Number(idText);
  // Another month of the same player: only the account changes, and the reader stays where they are.
  if (shownPlayer && shownPlayer.one.id === id && document.getElementById("account")) return showAccount(meta, shownPlayer.one, monthNumber(meta, shownPlayer, monthText));
  busy();
  const one = await player(meta, id);
  if (!one) return show(el("h1", {}, T("player_unnamed", { id })), el("p", { role: "alert" }, T("player_unknown", { id })), el("p", {}, el("a", { href: "search.html" }, T("go_search"))));
  const now = newest(one);
  const last = meta.months.length - 1;
  document.title = `${now.name ?? T("x_player")} (${id})`;
  const lines = CONTROLS.map((control, at) => ({ name: capital(controlName(control)), points: history(meta, one, at), at,
    games: new Set(one.c.filter((row) => row[1] === at && row[3] > 0).map((row) => row[0])) }))
    .filter((line) => line.points.some((point) => point[1] !== null));
  const months = [...new Set([...one.c, ...one.n, ...one.e].map((row) => row[0]))]
    .filter((month) => meta.months[month].shown).sort((a, b) => b - a);
  shownPlayer = { one, months, last };
  const accountPlace = el("section", { id: "account", "aria-live": "polite" });
  const titles = [now.title, now.womenTitle !== now.title ? now.womenTitle : "", now.otherTitles].filter(Boolean);
  const facts = [now.federation, now.birthYear ? T("born", { year: now.birthYear }) : "", T("id_is", { id })];
  const known = await correctionFacts(meta, one);
  const drawn = lines.length ? chart(meta.months, T("chart_title", { name: now.name ?? id }), fromFirst(lines), (month) => tipOf(meta, one, lines, month)) : null;
  show(
    el("div", { class: "between" },
      el("div", {}, el("p", { class: "over title" }, titles.map((title) => T(`title_${title}`) || title).join(", ")),
        el("h1", { tabindex: "-1" }, now.name ?? T("player_unnamed", { id })),
        el("p", { class: "soft" }, facts.filter(Boolean).join(" · ")),
        one.u.map(([club, page]) => el("p", { class: "soft" }, T("member_of"), " ", el("a", { href: `club-${page}.html` }, club)))),
      el("p", {}, el("a", { class: "button", href: `compare.html#${id}` }, T("compare_with")))),
    changedNotice(one, meta),
    lines.length ? el("div", { class: "cards" }, CONTROLS.map((_, at) => card(meta, one, at, last)))
      : el("p", {}, T("unrated_now", { month: monthName(meta.months[last].month) })),
    el("div", { class: "columns main" },
      el("section", {}, el("div", { class: "heading" }, el("h2", {}, T("rating_history"))), drawn ?? el("p", { class: "soft" }, T("history_none")), historyTable(meta, one, lines)),
      recordSection(meta, one)),
    monthsOf(meta, one),
    accountPlace,
    waitingSection(meta, one, last),
    correctionSection(meta, one, known));
  await showAccount(meta, one, monthNumber(meta, shownPlayer, monthText));
};

/** Return the month to explain: the one in the address, or else the newest with games or results of the player. */
function monthNumber(meta, { months, last }, monthText) {
  const place = meta.months.findIndex((of) => of.month === monthText);
  return place >= 0 ? place : months[0] ?? last;
}

/**
 * Return the card of a time control: rating, change, places, peak. A player is new with a first rating, and where the first games
 * were counted from the standard rating: on both, the list before has no line of the player.
 */
function card(meta, one, at, last) {
  const line = listed(one, at, last);
  const name = controlName(CONTROLS[at]);
  const ratings = one.h.filter((row) => row[0] === at && row[2] !== null);
  if (!line && !ratings.length) return "";
  const peak = ratings.reduce((best, row) => (!best || row[2] > best[2] ? row : best), null);
  const place = one.a.find((row) => row[0] === at);
  const change = one.c.find((row) => row[0] === last && row[1] === at);
  const group = place && place[3] ? el("a", { href: groupAddress(meta, one, at, place[3]) }, T("place_in_group", { place: place[4], players: whole(place[5]), group: place[3] })) : "";
  const moved = !change ? el("small", { class: "quiet" }, T("no_games_for", { month: monthName(meta.months[last].month) }))
    : change[8] === "entered" || change[11] ? el("small", { class: "gain" }, T("new")) : el("small", {}, changeText(change[6]));
  // The change leads to its explanation below.
  const explained = change ? el("a", { href: `#${one.id}/${meta.months[last].month}`, onclick: (event) => {
    event.preventDefault();
    explain(meta, one, last, CONTROLS[at]).catch(fail);
  } }, moved) : moved;
  return el("div", { class: `card rating ${CONTROLS[at]}` },
    el("div", { class: "between" }, el("strong", {}, capital(name)), el("span", { class: "soft" }, place ? T("place_of", { place: place[1], players: whole(place[2]), federation: newest(one).federation }) : line && line.flag?.includes("i") ? T("inactive") : "")),
    el("p", { class: "big" }, line ? String(line.rating) : "–", " ", line ? explained : ""),
    el("div", { class: "soft" }, el("p", {}, group), el("p", {}, peak ? T("peak", { rating: peak[2], month: monthName(meta.months[peak[1]].month) }) : "")));
}

/** Return the address of the list in which a player has the place in an age group: its active players of the federation. */
function groupAddress(meta, one, at, group) {
  const parts = (meta.lists[meta.months.filter((of) => of.shown).at(-1).month] ?? {})[CONTROLS[at]] ?? {};
  const federation = newest(one).federation;
  return `list-${CONTROLS[at]}.html#${new URLSearchParams({ group, active: "1", ...(federation in parts ? { federation } : {}) })}`;
}

/** Return what the tooltip of a month says: the ratings, and the events with their points and changes. */
async function tipOf(meta, one, lines, month) {
  const of = meta.months[month];
  const shown = lines.map((line) => {
    const rating = line.points.find((point) => point[0] === month)[1];
    const change = one.c.find((row) => row[0] === month && row[1] === line.at);
    return rating === null ? "" : el("span", {}, `${line.name} ${rating} `, change && change[6] !== null ? ["(", changeText(change[6]), ") "] : "");
  });
  const parts = [el("p", {}, el("strong", {}, monthName(of.month))), el("p", {}, shown)];
  if (!of.shown || !one.e.some((ref) => ref[0] === month)) return parts;
  const events = await eventsOf(meta, one, month).catch(() => []);
  return [...parts, ...events.map((event) => {
    const own = ofEvent(event, one.id);
    return el("p", { class: "soft" }, eventLink(of.month, event.id, event.n), own ? ` ${T("points_of_games", { points: halves(own.points), games: sides(event, one.id).length })}` : "",
      own && own.sum !== null && own.rated ? [": ", exact(own.sum)] : event.re ? `: ${T("counts_not")}` : "");
  })];
}

/** Return the results of all rated games, by colour, and the best wins. */
function recordSection(meta, one) {
  const rows = one.g;
  if (!rows.length) return el("section", {});
  const lists = CONTROLS.map((control, at) => [control, at, rows.filter((row) => row[0] === at)]).filter(([, , own]) => own.length);
  const colours = [T("x_white"), T("x_black"), T("colour_unknown")];
  const line = (name, own) => {
    const [won, drawn, lost] = [2, 3, 4].map((column) => own.reduce((sum, row) => sum + row[column], 0));
    return [name, won, drawn, lost, T("percent", { share: Math.round((100 * (2 * won + drawn)) / (2 * (won + drawn + lost))) })];
  };
  return el("section", {}, el("div", { class: "heading" }, el("h2", {}, T("record"))), lists.map(([control, at, own]) => {
    const all = line(T("all_games"), own);
    const wins = one.q.filter((row) => row[0] === at);
    return [el("div", { class: "heading" }, el("h3", {}, capital(controlName(control))), el("p", { class: "soft" }, counted(all[1] + all[2] + all[3], "game"))),
      sharesBar(all[1], all[2], all[3]),
      table(`${T("record")}: ${controlName(control)}`, ["", [T("won")], [T("drawn")], [T("lost")], [T("score")]],
        [...own.map((row) => line(colours[row[1]], [row])), ...(own.length > 1 ? [all] : [])]),
      wins.length ? [el("h4", {}, T("best_wins")), table(`${T("best_wins")}: ${controlName(control)}`, [T("opponent"), [T("rating"), "number strong"]],
        wins.map(([, id, name, title, rating, month]) => [titled(title, playerLink(id, name)), rating, month]).map(([name, rating, month]) => [[...name, el("span", { class: "soft" }, ` ${monthName(meta.months[month].month)}`)], rating ?? "–"]))] : ""];
  }), opponentsFold(meta, one));
}

/** Return the opponents of all events of the site, with the results against each; loaded when the reader opens it. */
function opponentsFold(meta, one) {
  const place = el("div", {}, el("p", { class: "soft" }, T("loading")));
  const opened = fold(T("opponents"), false, place);
  opened.addEventListener("toggle", async () => {
    try {
      const by = new Map();
      for (const { game } of everyGame(await everyEvent(meta, one.e), one.id)) {
        const row = by.get(game.opponentId) ?? { id: game.opponentId, name: game.opponent, games: 0, points: 0 };
        by.set(game.opponentId, { ...row, games: row.games + 1, points: row.points + game.score });
      }
      const rows = [...by.values()].sort((a, b) => b.games - a.games || a.id - b.id).slice(0, ROWS_SHOWN);
      place.replaceChildren(table(T("opponents"), [T("opponent"), [T("games")], [T("points")]], rows.map((row) => [el("a", { href: `compare.html#${one.id},${row.id}` }, row.name || String(row.id)), row.games, halves(row.points)])));
    } catch (error) {
      place.replaceChildren(says(error));
    }
  }, { once: true });
  return opened;
}

/** Return links to the months with games or results of a player, and to the months around the one explained. */
function monthsOf(meta, one) {
  const place = el("div", { class: "heading choose", id: "months" });
  place.dataset.id = one.id;
  return place;
}

async function showAccount(meta, one, month) {
  const place = document.getElementById("account");
  const of = meta.months[month];
  const all = [...new Set([month, ...shownPlayer.months])].sort((a, b) => a - b);
  const at = all.indexOf(month);
  const link = (number, text) => (number === undefined ? "" : el("a", { href: `#${one.id}/${meta.months[number].month}` }, text(monthName(meta.months[number].month))));
  const select = el("select", { id: "month", "aria-label": T("month_choose"), onchange: (change) => { location.hash = `#${one.id}/${change.target.value}`; } },
    [...all].reverse().map((number) => el("option", { value: meta.months[number].month, selected: number === month }, monthName(meta.months[number].month))));
  const hadFocus = document.activeElement && document.activeElement.id === "month";
  document.getElementById("months").replaceChildren(el("h2", {}, T("account_of", { month: monthName(of.month) })),
    el("p", {}, link(all[at - 1], (name) => `‹ ${name}`), " ", select, " ", link(all[at + 1], (name) => `${name} ›`)));
  if (hadFocus) select.focus();
  try {
    const content = await account(meta, one, month);
    const text = asText(accountBlocks(content));
    const others = [...Object.entries(of.leftOut).flatMap(([stem, columns]) => columns.map((column) => `${stem}.${column}`))];
    place.replaceChildren(
      ...(content.parts.length ? accountElements(content) : [el("p", { class: "soft" }, T("account_none"))]),
      others.length ? el("p", { class: "note" }, T("x_left_out", { columns: others.join(", ") })) : "",
      of.rulesChanged.length ? el("p", { class: "note" }, T("x_rules_changed", { names: of.rulesChanged.join(", ") })) : "",
      fold(T("account_as_text"), false, el("pre", { class: "text", tabindex: "0" }, text)),
      el("p", { class: "note" }, monthLinkText(of.month)));
  } catch (error) {
    place.replaceChildren(says(error));
  }
}

/** Show the account of a month, at a time control. */
async function explain(meta, one, month, control) {
  const of = meta.months[month];
  if (!fragment().endsWith(`/${of.month}`)) window.history.pushState(null, "", `#${one.id}/${of.month}`);
  await showAccount(meta, one, month);
  (document.getElementById(`account-${control}`) ?? document.getElementById("months")).scrollIntoView();
}

const monthLinkText = (month) => el("a", { href: `month-${month}.html` }, T("month_page", { month: monthName(month) }));

function waitingSection(meta, one, last) {
  const isShown = (month) => meta.months.some((of) => of.month === month && of.shown);
  const rows = CONTROLS.flatMap((control, at) => waitingAt(one, at, last).map((each) => [
    isShown(each.counted) ? eventLink(each.counted, each.event, each.name) : each.name || each.event, capital(controlName(control)), each.games, halves(each.score),
    each.counted ? monthName(each.counted) : "", each.last ? monthName(each.last) : ""]));
  if (!rows.length) return "";
  return el("section", {}, el("h2", {}, T("waiting")), el("p", {}, T("waiting_why")),
    table(T("waiting"), [T("event"), [T("list"), "wide"], [T("games")], [T("points")], [T("x_col_counted_by"), "wide"], [T("x_col_counts_until"), ""]], rows));
}

/** Return a mark for a player whom a correction or a rollback moved. */
function changedNotice(one, meta) {
  const months = [...new Set([...one.x, ...one.r].map((row) => row[0]))].sort((a, b) => b - a).map((month) => monthName(meta.months[month].month));
  return months.length ? el("p", { class: "notice" }, T("changed_player", { months: months.join(", ") }), " ", el("a", { href: "#corrections", onclick: (event) => {
    event.preventDefault();
    document.getElementById("corrections").scrollIntoView();
  } }, T("corrections"))) : "";
}

/** Return what the sentences on a player's corrections name: the corrections by number, and the events by month and code. */
async function correctionFacts(meta, one) {
  if (!one.x.length) return null;
  const events = new Map();
  for (const [month, , , , , , because] of one.x) {
    const game = because.match(OF_GAME);
    if (game) for (const event of await eventsOf(meta, one, month)) events.set(`${month}/${event.id}`, event);
  }
  return { behind: await load("corrections"), events };
}

const OF_GAME = /^round (\d+) of (.+?): (.*)$/;

/** Return why a correction moved a rating: the game with its event as a link, or a link to the list with which it began. */
function whyCorrected(meta, { behind, events }, [month, , , , , cause, because, numbers]) {
  const own = meta.months[month].month;
  const game = because.match(OF_GAME);
  if (game) {
    const event = events.get(`${month}/${game[2]}`);
    const result = game[3].match(/^result corrected from (\S+) to (\S+)$/);
    const opponent = game[3].match(/^rating of the opponent (\d+) corrected from (\S+) to (\S+)$/);
    const named = opponent && event?.p?.find((row) => row[0] === Number(opponent[1]));
    return [eventLink(own, game[2], event?.n), `, ${T("one_round", { last: game[1] })}: `,
      result ? T("because_result", { before: result[1], after: result[2] })
        : opponent ? T("because_opponent", { name: named?.[1] ?? opponent[1], before: opponent[2], after: opponent[3] }) : game[3]];
  }
  const first = cause === "list_before" ? numbers.split(/\D+/).map((number) => behind[number]?.[0]).filter((name) => name && name !== own).sort() : [];
  return first.length ? el("a", { href: `corrections.html#${first[0]}` }, T("because_earlier", { month: monthName(first[0]) })) : because;
}

/** Return when the corrections of a row were reported, and the reasons given. */
const reasonsOf = ({ behind }, numbers) => numbers.split(/\D+/).map((number) => behind[number]).filter(Boolean)
  .map(([, day, reason]) => `${T("reported_on", { day: dayName(day) })} ${T("reason_given", { reason: reason.replace(/\.$/, "") })}`).join(" ");

function correctionSection(meta, one, facts) {
  if (!one.x.length && !one.b.length && !one.r.length) return "";
  const step = (was, is) => `${was ?? T("not_listed")} → ${is ?? T("not_listed")}`;
  const changed = one.x.map((row) => [monthLink(meta.months[row[0]].month),
    [capital(controlName(CONTROLS[row[2]])), " ", step(row[3], row[4])], [whyCorrected(meta, facts, row), OF_GAME.test(row[6]) ? el("span", { class: "under" }, reasonsOf(facts, row[7])) : ""], reasonsOf(facts, row[7]) || T("revision_is", { revision: `r${row[1]}`, numbers: row[7] || "–" })]);
  const back = one.r.map(([month, control, was, is, before, after, day, because]) => [monthLink(meta.months[month].month),
    [capital(controlName(CONTROLS[control])), " ", step(was, is)], because, T("rolled_back", { day: dayName(day), before: `r${before}`, after: `r${after}` })]);
  const both = one.b.map(([month, control, published, known]) => [titled("", monthLink(meta.months[month].month), capital(controlName(CONTROLS[control]))), capital(controlName(CONTROLS[control])),
    published ?? T("not_listed"), known ?? T("not_listed")]);
  const head = [T("month"), [T("rating"), ""], [T("because"), ""], [T("step"), "wide"]];
  return el("section", { id: "corrections" }, el("h2", {}, T("corrections")),
    back.length ? [el("h3", {}, T("rollbacks_made")), table(T("rollbacks_made"), head, back)] : "",
    changed.length ? [el("h3", {}, T("corrections_made")), table(T("corrections_made"), head, changed)] : "",
    both.length ? [el("h3", {}, T("both_numbers")), table(T("both_numbers"), [T("month"), [T("list"), "wide"], [T("as_published")], [T("as_now_known")]], both)] : "");
}

function historyTable(meta, one, lines) {
  const rows = meta.months.map((of, month) => [of.shown ? monthLink(of.month) : monthName(of.month), ...lines.map((line) => line.points[month][1])])
    .filter((row) => row.slice(1).some((value) => value !== null)).reverse();
  return fold(T("as_a_table"), false, table(T("history_table"), [T("month"), ...lines.map((line) => [line.name])], rows));
}
