// The charts: lines of ratings over months, with a tooltip for each month, and the bar of results.

const CHART = { wide: 640, narrow: 358, height: 250, left: 42, right: 74, top: 12, bottom: 34, letter: 7.5, letters: 14 };

const YEAR_WIDTH = 40;

/**
 * Draw ratings over months: lines of {name, points: [month, rating or null], at, games: months with rated games}.
 * ``tip``: returns what is shown of a month; it is called by pointer, tap and keyboard.
 */
function chart(months, title, lines, tip = null) {
  const values = lines.flatMap((line) => line.points.map((point) => point[1])).filter((value) => value !== null);
  if (!values.length) return null;
  const { height, left, top, bottom, letter, letters } = CHART;
  const names = lines.map((line) => (line.name.length > letters ? `${line.name.slice(0, letters - 1)}…` : line.name));
  const right = Math.max(CHART.right, 8 + letter * Math.max(...names.map((name) => name.length)));
  const width = main.clientWidth < 500 ? CHART.narrow : CHART.wide;
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const step = [10, 25, 50, 100, 200, 500].find((each) => Math.max(most - least, 40) / each <= 4) ?? 1000;
  const low = Math.floor((least - step / 4) / step) * step;
  const high = Math.max(Math.ceil((most + step / 4) / step) * step, low + 2 * step);
  const first = lines[0].points[0][0];
  const last = Math.max(months.length - 1 - first, 1);
  const x = (month) => left + 6 + ((month - first) * (width - left - right - 12)) / last;
  const y = (value) => height - bottom - ((value - low) * (height - bottom - top)) / (high - low);
  const parts = [];
  for (let value = low; value <= high; value += step) {
    parts.push(el("path", { d: `M${left} ${y(value)}H${width - right}`, class: "grid" }),
      el("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, String(value)));
  }
  const every = Math.ceil(((last + 1) * 40) / (width - left - right));
  months.forEach((of, month) => {
    if (month < first) return;
    const isYear = month === first || of.month.endsWith("-01");
    if ((month - first) % every === 0) parts.push(el("text", { x: x(month), y: height - 18, "text-anchor": "middle" }, shortMonth(of.month)));
    // The first year has no room where the next one begins right behind it.
    const next = month === first ? months.findIndex((each, at) => at > first && each.month.endsWith("-01")) : -1;
    if (isYear && (next < 0 || x(next) - x(month) > YEAR_WIDTH)) parts.push(el("text", { x: x(month), y: height - 4, "text-anchor": "middle", "font-weight": "600" }, of.month.slice(0, 4)));
  });
  const ends = [];
  for (const line of lines) {
    let path = "";
    let open = false;
    for (const [month, value] of line.points) {
      if (value !== null) path += `${open ? "L" : "M"}${x(month)} ${y(value)}${open ? "" : "h0"}`;
      open = value !== null;
    }
    parts.push(el("path", { d: path, class: `series series-${line.at}` }));
    for (const [month, value] of line.points) {
      if (value !== null && line.games && line.games.has(month)) parts.push(el("circle", { cx: x(month), cy: y(value), r: 3.2, class: `ring ring-${line.at}` }));
    }
    const newest = line.points.filter((point) => point[1] !== null).pop();
    if (newest) ends.push({ line, value: newest[1], y: y(newest[1]) });
  }
  ends.sort((a, b) => a.y - b.y);
  ends.forEach((end, at) => { if (at) end.y = Math.max(end.y, ends[at - 1].y + 27); });
  for (const { line, value, y: place } of ends) {
    parts.push(el("text", { x: width - right + 4, y: place, class: `end end-${line.at}` }, names[lines.indexOf(line)]),
      el("text", { x: width - right + 4, y: place + 13, class: `end end-${line.at}` }, String(value)));
  }
  const box = tip ? el("div", { class: "tip", "aria-live": "polite" }) : null;
  if (tip) {
    const choose = async (month) => box.replaceChildren(...(await tip(month)));
    months.forEach((of, month) => {
      if (month < first) return;
      const half = (width - left - right - 12) / last / 2;
      parts.push(el("rect", { x: x(month) - half, y: top, width: 2 * half, height: height - bottom - top, class: "month-band", tabindex: "0",
        role: "button", "aria-label": monthName(of.month), onpointerenter: () => choose(month), onclick: () => choose(month), onfocus: () => choose(month) }));
    });
    choose(months.length - 1);
  }
  const drawn = el("svg", { viewBox: `0 0 ${width} ${height}`, role: tip ? "group" : "img", "aria-label": title, class: "chart" }, parts);
  return tip ? [drawn, box] : drawn;
}

function history(meta, one, control) {
  return meta.months.map((_, month) => [month, (listed(one, control, month) ?? { rating: null }).rating]);
}

/** Return the lines from the first month in which one of them has a rating. */
function fromFirst(lines) {
  const first = Math.min(...lines.map((line) => line.points.findIndex((point) => point[1] !== null)).filter((at) => at >= 0));
  return lines.map((line) => ({ ...line, points: line.points.slice(Number.isFinite(first) ? first : 0) }));
}

/** Return a bar of won, drawn and lost games. */
function sharesBar(won, drawn, lost) {
  const all = won + drawn + lost;
  let at = 0;
  const part = (count, name) => {
    const drawnPart = el("rect", { x: (at * 600) / all, y: 0, width: Math.max((count * 600) / all - 2, 0), height: 14, class: name });
    at += count;
    return drawnPart;
  };
  return el("svg", { viewBox: "0 0 600 14", role: "img", class: "shares", "aria-label": T("shares", { won, drawn, lost }) },
    part(won, "won"), part(drawn, "drawn"), part(lost, "lost"));
}
