// The texts of the language, and figures as text. The texts are in texts.js (RL_TEXTS).

// A text has its values in braces, each with the form it is written in: {sum:+h}. A form that is none of FORMS is a noun.
function T(key, values = {}) {
  const text = window.RL_TEXTS.script[key];
  if (text === undefined) throw new Error(`no text ${key}`);
  const written = (value, form) => (FORMS[form] ? FORMS[form](value) : counted(value, form));
  return text.replace(/\{(\w+)(?::([^}]+))?\}/g, (_, name, form) => (form ? written(values[name], form) : String(values[name])));
}

const whole = (count) => String(count).replace(/\B(?=(\d{3})+(?!\d))/g, T("thousands"));
const counted = (count, noun) => T(count === 1 ? `${noun}_one` : `${noun}_many`, { count: whole(count) });
const signed = (count) => (count > 0 ? `+${count}` : String(count));
const plus = (count) => `${count < 0 ? "-" : "+"} ${Math.abs(count)}`;
const controlName = (control) => T(`control_${control}`);
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

function hundredths(count, sign = false) {
  if (count === null || count === undefined) return "";
  const size = Math.abs(count);
  return `${count < 0 ? "-" : sign ? "+" : ""}${Math.floor(size / 100)}.${String(size % 100).padStart(2, "0")}`;
}

const MINUS = "\u2212";
/** Return a change as people read it: with a true minus and its colour. */
function changeText(count, text = signed(count)) {
  return el("span", { class: count > 0 ? "gain" : count < 0 ? "loss" : null }, text.replace("-", MINUS));
}
const exact = (count) => changeText(count, hundredths(count, true));

/** Return YYYY-MM as people write it: December 2025. */
const monthName = (month) => T("month_of_year", { month: T(`month_${Number(month.slice(5, 7))}`), year: month.slice(0, 4) });
const shortMonth = (month) => T(`month_${Number(month.slice(5, 7))}`).slice(0, 3);

/** Return the days of an event: 20–22 November, 27 September – 3 October. */
function days(first, last) {
  const found = [...new Set([first, last].filter(Boolean))];
  const number = new Map(found.map((day) => [day, String(Number(day.slice(8)))]));
  if (found.length === 2 && found[0].slice(0, 7) === found[1].slice(0, 7)) {
    number.set(found[1], `${number.get(found[0])}–${number.get(found[1])}`);
    number.delete(found[0]);
  }
  return [...number].map(([day, text]) => T("day_of_month", { day: text, month: T(`month_${Number(day.slice(5, 7))}`) })).join(" – ");
}
const dayName = (day) => T("day_of_year", { day: days(day, null), year: day.slice(0, 4) });

function halves(count) {
  if (count === null || count === undefined) return "";
  const points = Math.floor(count / 2);
  return `${points || (count % 2 ? "" : 0)}${count % 2 ? "½" : ""}`;
}

function numbered(rounds) {
  const numbers = [...new Set(rounds)].sort((a, b) => a - b);
  const last = numbers.pop();
  return numbers.length ? T("round_many", { first: numbers.join(", "), last }) : T("round_one", { last });
}

const FORMS = { h: hundredths, "+h": (count) => hundredths(count, true), points: halves, "+": signed, plus, rounds: numbered };

const article = (text) => (text === "readings" ? T("x_reading") : text);

function reason(code, kind) {
  const first = kind === "event" ? ["events", "games"] : kind === "entry" ? ["entries"] : ["games", "events"];
  for (const catalogue of first) {
    const found = window.RL_TEXTS.reasons[catalogue][code];
    if (found) return { code, says: found[0], remedy: found[1], article: found[2] };
  }
  return { code, says: code, remedy: "", article: "" };
}
