// The texts of the language (texts.js), and figures, months and days as the language writes them.

const { texts: TEXTS, format: FORMAT, reasons: REASONS } = window.RL_TEXTS;
const MINUS = "\u2212";

/** Return a text with values in the place of the words in braces. */
const T = (key, values = {}) => filled(TEXTS[key], values);
const filled = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
const whole = (count) => String(count).replace(/\B(?=(\d{3})+(?!\d))/g, FORMAT.thousands);
const isSingular = (count) => count === 1 || (count === 0 && FORMAT.zero_is_one === true);
/** Return a number with its noun, in the singular or the plural. */
const counted = (count, noun) => T(`${noun}_${isSingular(count) ? "one" : "other"}`, { count: whole(count) });
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
const controlName = (control) => capital(T(`control_${CONTROLS[control] ?? control}`));
const signed = (count) => (count > 0 ? `+${count}` : String(count).replace("-", MINUS));
const dash = (value) => value ?? "–";

function hundredths(count, sign = false) {
  if (!has(count)) return "";
  const size = Math.abs(count);
  const before = count < 0 ? MINUS : sign && count ? "+" : "";
  return `${before}${Math.floor(size / 100)}${FORMAT.decimal}${String(size % 100).padStart(2, "0")}`;
}

/** Return a change as people read it: with a true minus and its colour. */
const changeText = (count, text = signed(count)) =>
  el("span", { class: count > 0 ? "gain" : count < 0 ? "loss" : null }, text);
const exact = (count) => changeText(count, hundredths(count, true));

/** Return YYYY-MM as people write it: December 2025. */
const monthName = (month) => filled(FORMAT.month_of_year, { month: monthOf(month), year: month.slice(0, 4) });
const monthOf = (day) => FORMAT.months[Number(day.slice(5, 7)) - 1];
const monthAtName = (at) => monthName(meta.months[at].month);
const dayParts = (day) => ({ day: Number(day.slice(8)), month: monthOf(day), year: day.slice(0, 4) });
const dayName = (day) => filled(FORMAT.day_of_year, dayParts(day));

/** Return the days of an event: 20–22 November, 27 September – 3 October. */
function days(first, last) {
  const known = [...new Set([first, last].filter(Boolean))];
  if (known.length === 2 && first.slice(0, 7) === last.slice(0, 7)) {
    return filled(FORMAT.days_of_month, { first: Number(first.slice(8)), last: Number(last.slice(8)), month: monthOf(first) });
  }
  return known.map((day) => filled(FORMAT.day_of_month, dayParts(day))).join(" – ");
}

function halves(count) {
  if (!has(count)) return "";
  const points = Math.floor(count / 2);
  return `${points || (count % 2 ? "" : 0)}${count % 2 ? "½" : ""}`;
}

const sum = (rows, column) => rows.reduce((total, row) => total + (row[column] ?? 0), 0);

/** Return the sentence of a code, with its article. */
function reasonText(code) {
  const [sentence, article] = REASONS.events[code] ?? REASONS.games[code] ?? REASONS.entries[code] ?? [code, "readings"];
  return article === "readings" ? sentence : `${sentence} (${article})`;
}

/** Return a query or a name in lower-case ASCII words. */
function foldName(text) {
  const ascii = [...text.normalize("NFC")].map((letter) => meta.letters[letter] ?? letter).join("");
  return ascii.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().replace(/['`]/g, "").replace(/[^a-z0-9]+/g, " ").trim();
}
