"""Read the texts of the site in a language, and write months, days and figures as the language does."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ratinglist.files import resources
from ratinglist.messages import messages

ENGLISH = "en"
_FIGURE_SIGNS = re.compile(r"(?<=\d)[,.](?=\d)")
_CATALOGUES = {"events": "event", "games": "game", "entries": "entry"}


@dataclass(frozen=True, slots=True)
class SiteTexts:
    """The texts of a language.

    ``format``: its names of months, its patterns of days, and its signs in figures. ``texts``: by name, with values in
    braces. ``reasons``: the sentence and the article of every code, by catalogue (``events``, ``games``, ``entries``).
    """

    format: Mapping[str, str | list[str] | bool]
    texts: Mapping[str, str]
    reasons: Mapping[str, Mapping[str, tuple[str, str]]]

    def text(self, key: str, **values: object) -> str:
        """Return a text with ``values`` in the place of the words in braces."""
        return self.texts[key].format(**values)

    def reason(self, code: str | None) -> tuple[str, str]:
        """Return the sentence and the article of a code; both are empty without one."""
        known = [self.reasons[name].get(code or "") for name in _CATALOGUES]
        return next((reason for reason in known if reason), (code or "", ""))

    def count(self, noun: str, count: int) -> str:
        """Return a number with its noun, in the singular or the plural: ``1 player``, ``1,204 players``."""
        is_singular = count == 1 or (count == 0 and bool(self.format.get("zero_is_one")))
        return self.text(f"{noun}_{'one' if is_singular else 'other'}", count=self.whole(count))

    def whole(self, count: int | None) -> str:
        """Return a count with the language's sign between thousands; empty for None."""
        return "" if count is None else self._figures(f"{count:,}")

    def signed(self, count: int) -> str:
        """Return a count with its sign, a true minus, and the language's sign between thousands; 0 has no sign."""
        return self._figures(f"{count:+,}").replace("-", "\u2212") if count else "0"

    def mean(self, hundredths: int | None, *, sign: bool = False) -> str:
        """Return hundredths as a number with two decimals, without a sign between thousands; a dash for None."""
        if hundredths is None:
            return "–"
        size = self._figures(f"{abs(hundredths) // 100}.{abs(hundredths) % 100:02}")
        return ("\u2212" if hundredths < 0 else "+" if sign and hundredths else "") + size

    def _figures(self, text: str) -> str:
        return _FIGURE_SIGNS.sub(lambda sign: str(self.format["thousands" if sign[0] == "," else "decimal"]), text)

    def control(self, name: str) -> str:
        """Return the name of a time control, capitalized; empty for none."""
        return self.texts[f"control_{name}"].capitalize() if name else ""

    def month(self, month: str) -> str:
        """Return ``YYYY-MM`` as people write it, such as ``December 2025``."""
        return self._written("month_of_year", month=self._month_of(month), year=month[:4])

    def short_month(self, month: str) -> str:
        """Return ``YYYY-MM`` as it stands below a chart, such as ``Dec 2025``."""
        return f"{self._month_of(month, 'short_months')} {month[:4]}"

    def day(self, day: object) -> str:
        """Return ``YYYY-MM-DD`` as people write it, such as ``1 December 2025``."""
        return self._written("day_of_year", **self._parts(str(day)))

    def days(self, first: object, last: object) -> str:
        """Return the days of an event, such as ``20–22 November`` or ``27 September – 3 October``; empty without."""
        days = [self._parts(day) for day in dict.fromkeys(str(day) for day in (first, last) if day)]
        if len(days) == 2 and all(days[0][part] == days[1][part] for part in ("year", "month")):
            return self._written("days_of_month", first=days[0]["day"], last=days[1]["day"], month=days[0]["month"])
        return " – ".join(self._written("day_of_month", **day) for day in days)

    def _written(self, pattern: str, **parts: object) -> str:
        return str(self.format[pattern]).format(**parts)

    def _parts(self, day: str) -> dict[str, object]:
        return {"day": int(day[8:]), "month": self._month_of(day), "year": day[:4]}

    def _month_of(self, day: str, names_of: str = "months") -> str:
        names = self.format[names_of]
        return names[int(day[5:7]) - 1] if isinstance(names, list) else ""


def read_texts(language: str) -> SiteTexts:
    """Return the texts of a language; a code that has no sentence of the language has the English one.

    Raises :class:`~ratinglist.errors.CommandLineError` for a language that the site does not have.
    """
    content = resources.texts("site", language)
    reasons = {}
    for name, section in _CATALOGUES.items():
        own, catalogue = content.get(name, {}), messages(section, dict[str, str])
        reasons[name] = {
            code: (own.get(code, entry["sentence"]), entry["article"]) for code, entry in catalogue.items()
        }
    return SiteTexts(content["format"], content["texts"], reasons)
