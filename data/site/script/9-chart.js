// The chart of ratings over months.

const NO_GAP = 1;

/** Draw ratings over months: lines of [month, rating or null], distinguished by dashes and named in a legend. */
function chart(meta, title, lines) {
  const values = lines.flatMap((line) => line.points.map((point) => point[1])).filter((value) => value !== null);
  if (!values.length) return null;
  const [width, height, left, bottom, top] = [640, 260, 46, 30, 28];
  const low = Math.floor((Math.min(...values) - 10) / 50) * 50;
  const high = Math.ceil((Math.max(...values) + 10) / 50) * 50;
  const last = Math.max(meta.months.length - 1, NO_GAP);
  const x = (month) => left + 8 + (month * (width - left - 40)) / last;
  const y = (value) => height - bottom - ((value - low) * (height - bottom - top)) / (high - low);
  const step = [50, 100, 200, 500, 1000].find((each) => (high - low) / each <= 5) ?? 2000;
  const parts = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) {
    parts.push(el("path", { d: `M${left} ${y(value)}H${width - 8}`, class: "grid" }),
      el("text", { x: left - 6, y: y(value) + 4, "text-anchor": "end" }, String(value)));
  }
  const every = Math.ceil(meta.months.length / 8);
  meta.months.forEach((of, month) => {
    if (month % every === 0) parts.push(el("text", { x: x(month), y: height - 8, "text-anchor": "middle" }, of.month));
  });
  lines.forEach((line, number) => {
    let path = "";
    let open = false;
    for (const [month, value] of line.points) {
      if (value !== null) path += `${open ? "L" : "M"}${x(month)} ${y(value)}${open ? "" : "h0"}`;
      open = value !== null;
    }
    const at = left + 8 + number * 190;
    parts.push(el("path", { d: path, class: `series series-${number}` }),
      el("path", { d: `M${at} 12h28`, class: `series series-${number}` }), el("text", { x: at + 34, y: 16 }, line.name));
  });
  return el("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title, class: "chart" }, parts);
}

function history(meta, one, control) {
  return meta.months.map((_, month) => [month, (listed(one, control, month) ?? { rating: null }).rating]);
}
