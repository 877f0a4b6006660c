// The texts of the language, and figures as text. The texts are in texts.js (RL_TEXTS).

// A text has its values in braces, each with the form it is written in: {sum:+h}. A form that is none of FORMS is a noun.
function T(key, values = {}) {
  const text = window.RL_TEXTS.script[key];
  if (text === undefined) throw new Error(`no text ${key}`);
  const written = (value, form) => (!form ? String(value) : FORMS[form] ? FORMS[form](value) : counted(value, form));
  return text.replace(/\{(\w+)(?::([^}]+))?\}/g, (_, name, form) => written(values[name], form));
}

const whole = (count) => String(count).replace(/\B(?=(\d{3})+(?!\d))/g, T("thousands"));
const plurals = new Intl.PluralRules(document.documentElement.lang);
/** Return a number with its noun, in the singular or the plural. */
const counted = (count, noun) => T(`${noun}_${plurals.select(count) === "one" ? "one" : "other"}`, { count: whole(count) });
const signed = (count) => (count > 0 ? `+${count}` : String(count));
const plus = (count) => `${count < 0 ? "-" : "+"} ${Math.abs(count)}`;
const controlName = (control) => T(`control_${control}`);
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

function hundredths(count, sign = false) {
  if (count === null || count === undefined) return "";
  const size = Math.abs(count);
  return `${count < 0 ? "-" : sign ? "+" : ""}${Math.floor(size / 100)}${T("decimal")}${String(size % 100).padStart(2, "0")}`;
}

const MINUS = "\u2212";
/** Return a change as people read it: with a true minus and its colour. */
function changeText(count, text = signed(count)) {
  return el("span", { class: count > 0 ? "gain" : count < 0 ? "loss" : null }, text.replace("-", MINUS));
}
const exact = (count) => changeText(count, hundredths(count, true));

/** Return YYYY-MM as people write it: December 2025. */
const monthName = (month) => T("month_of_year", { month: T(`month_${Number(month.slice(5, 7))}`), year: month.slice(0, 4) });
const shortMonth = (month) => T(`month_short_${Number(month.slice(5, 7))}`);

/** Return the days of an event: 20–22 November, 27 September – 3 October. */
function days(first, last) {
  const found = [...new Set([first, last].filter(Boolean))];
  if (found.length === 2 && first.slice(0, 7) === last.slice(0, 7)) {
    return T("days_of_month", { first: dayOf(first), last: dayOf(last), month: monthOfDay(first) });
  }
  return found.map((day) => T("day_of_month", { day: dayOf(day), month: monthOfDay(day) })).join(" – ");
}
const dayOf = (day) => Number(day.slice(8));
const monthOfDay = (day) => T(`month_${Number(day.slice(5, 7))}`);
const dayName = (day) => T("day_of_year", { day: dayOf(day), month: monthOfDay(day), year: day.slice(0, 4) });

function halves(count) {
  if (count === null || count === undefined) return "";
  const points = Math.floor(count / 2);
  return `${points || (count % 2 ? "" : 0)}${count % 2 ? "½" : ""}`;
}

function numbered(rounds) {
  const numbers = [...new Set(rounds)].sort((a, b) => a - b);
  const last = numbers.pop();
  return numbers.length ? T("more_rounds", { first: numbers.join(", "), last }) : T("one_round", { last });
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
