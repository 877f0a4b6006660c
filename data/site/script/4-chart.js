// The chart of ratings over months, and the bar of results.

const CHART = { wide: 640, narrow: 358, height: 250, left: 42, right: 74, top: 12, bottom: 34, letter: 7.5, letters: 14 };

/** Draw ratings over months: lines of {name, at, runs}. ``choose``: what a click on a month does. */
function chart(title, lines, choose = null) {
  const { height, left, top, bottom, letter, letters } = CHART;
  const values = lines.flatMap((line) => line.runs.map((run) => run.rating));
  const first = Math.min(...lines.flatMap((line) => line.runs.map((run) => run.first)));
  const names = lines.map((line) => (line.name.length > letters ? `${line.name.slice(0, letters - 1)}…` : line.name));
  const right = Math.max(CHART.right, 8 + letter * Math.max(...names.map((name) => name.length)));
  const width = main.clientWidth < 500 ? CHART.narrow : CHART.wide;
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const step = [10, 25, 50, 100, 200, 500].find((each) => Math.max(most - least, 40) / each <= 4) ?? 1000;
  const low = Math.floor((least - step / 4) / step) * step;
  const high = Math.max(Math.ceil((most + step / 4) / step) * step, low + 2 * step);
  const months = Math.max(meta.last - first, 1);
  const between = width - left - right - 12;
  const x = (month) => left + 6 + ((month - first) * between) / months;
  const y = (value) => height - bottom - ((value - low) * (height - bottom - top)) / (high - low);
  const parts = [];
  for (let value = low; value <= high; value += step) {
    parts.push(el("path", { d: `M${left} ${y(value)}H${width - right}`, class: "grid" }),
      el("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, String(value)));
  }
  parts.push(...monthTexts(first, x, Math.ceil(((months + 1) * 40) / (width - left - right))));
  const ends = lines.map((line, at) => {
    const newest = line.runs.at(-1);
    parts.push(...lineParts(line, x, y));
    return { name: names[at], at: line.at, value: newest.rating, y: y(newest.rating) };
  }).sort((a, b) => a.y - b.y);
  ends.forEach((end, at) => { if (at) end.y = Math.max(end.y, ends[at - 1].y + 27); });
  for (const end of ends) {
    parts.push(el("text", { x: width - right + 4, y: end.y, class: `end end-${end.at}` }, end.name),
      el("text", { x: width - right + 4, y: end.y + 13, class: `end end-${end.at}` }, String(end.value)));
  }
  for (let month = first; month <= meta.last; month += 1) {
    const ratings = lines.map((line) => [line.name, runAt(line.runs, month)?.rating]).filter(([, rating]) => rating);
    parts.push(el("rect", { x: x(month) - between / months / 2, y: top, width: between / months, height: height - bottom - top,
      class: choose ? "month-band chosen" : "month-band", onclick: choose && (() => choose(month)) },
    el("title", {}, [monthAtName(month), ...ratings.map((rating) => rating.join(" "))].join("\n"))));
  }
  return el("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title, class: "chart" }, parts);
}

/** Return the run of lists with the same figures in which a month is. */
const runAt = (runs, month) => runs.find((run) => isIn(run, month));

/** Return the names of the months, of every so many, and the years below them. */
function monthTexts(first, x, every) {
  const parts = [];
  const { height } = CHART;
  const isYear = (month) => meta.months[month].month.endsWith("-01");
  for (let month = first; month <= meta.last; month += 1) {
    const name = meta.months[month].month;
    const text = (y, content) => el("text", { x: x(month), y, "text-anchor": "middle" }, content);
    if ((month - first) % every === 0) parts.push(text(height - 18, FORMAT.short_months[Number(name.slice(5)) - 1]));
    // The first year has no room where the next one begins right behind it.
    const isFirst = month === first && (isYear(month) || meta.last === first || !isYear(first + 1));
    if (isFirst || (month > first && isYear(month))) parts.push(text(height - 4, name.slice(0, 4)));
  }
  return parts;
}

/** Return a line, broken where there is no rating, with a ring at each month with rated games. */
function lineParts(line, x, y) {
  let path = "";
  line.runs.forEach((run, at) => {
    const isOpen = at && line.runs[at - 1].last === run.first - 1;
    path += `${isOpen ? "L" : "M"}${x(run.first)} ${y(run.rating)}H${x(run.last)}`;
  });
  const rings = line.games.map((month) => [month, runAt(line.runs, month)])
    .filter(([, run]) => run)
    .map(([month, run]) => el("circle", { cx: x(month), cy: y(run.rating), r: 3.2, class: `ring ring-${line.at}` }));
  return [el("path", { d: path, class: `series series-${line.at}` }), ...rings];
}

/** Return the lines of a player, one for each time control with a rating. */
const linesOf = (person) => CONTROLS.map((_, at) => ({
  name: controlName(at), at, runs: person.ratings.filter((run) => run.control === at),
  games: person.changes.filter((row) => row.control === at && row.games > 0).map((row) => row.month),
})).filter((line) => line.runs.length);

/** Return a bar of won, drawn and lost games. */
function sharesBar(won, drawn, lost) {
  const wide = (count) => (count * 600) / (won + drawn + lost);
  const bar = (before, count, name) => el("rect", { x: wide(before), y: 0, width: Math.max(wide(count) - 2, 0), height: 14, class: name });
  return el("svg", { viewBox: "0 0 600 14", role: "img", class: "shares", preserveAspectRatio: "none", "aria-label": `${won} : ${drawn} : ${lost}` },
    bar(0, won, "won"), bar(won, drawn, "drawn"), bar(won + drawn, lost, "lost"));
}
