"""Read the texts of the site in a language: a TOML file of texts by name, complete and with the same braces.

The file also says how the language writes months, days and figures.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from string import Formatter
from typing import ClassVar

from ratinglist import strict_toml
from ratinglist.reasons import ENTRY_REASONS, EVENT_REASONS, GAME_REASONS, Reason, as_answer
from ratinglist.strict_toml import Flag, Text

ENGLISH = "en"
_CATALOGUES: Mapping[str, Mapping[str, Reason]] = {
    "events": EVENT_REASONS,
    "games": GAME_REASONS,
    "entries": ENTRY_REASONS,
}
_MONTHS = 12


@dataclass(frozen=True, slots=True)
class Format:
    """How a language writes months, days and figures.

    ``short_months``: on a chart. ``month_of_year``, ``day_of_month``, ``days_of_month`` and ``day_of_year``: the order
    of the parts, which stand in braces. ``thousands`` and ``decimal``: signs. ``zero_is_one``: 0 takes the singular.
    """

    months: tuple[Text, ...]
    short_months: tuple[Text, ...]
    month_of_year: Text
    day_of_month: Text
    days_of_month: Text
    day_of_year: Text
    thousands: Text
    decimal: Text
    zero_is_one: Flag = False

    def __post_init__(self) -> None:
        """Raise :class:`ValueError` where a month has no name."""
        if (len(self.months), len(self.short_months)) != (_MONTHS, _MONTHS):
            raise ValueError("'format.months' and 'format.short_months' must have twelve names each")

    @property
    def words(self) -> dict[str, str]:
        """The words by name: the patterns, the signs, and each month as ``month_1`` and ``month_short_1``."""
        months = {
            f"{key}_{number}": name
            for key, names in (("month", self.months), ("month_short", self.short_months))
            for number, name in enumerate(names, 1)
        }
        return {name: getattr(self, name) for name in _PATTERNS} | months


_PATTERNS = ("month_of_year", "day_of_month", "days_of_month", "day_of_year", "thousands", "decimal")


@dataclass(frozen=True, slots=True)
class CatalogueText:
    """The text of a code in another language; what is empty is taken from the catalogue."""

    sentence: Text = ""
    remedy: Text = ""


@dataclass(frozen=True, slots=True)
class _File:
    """A file of texts: those of the pages, those that the browser fills in, and those of the codes."""

    __pydantic_config__: ClassVar = strict_toml.FORBID_UNKNOWN_KEYS

    format: Format
    page: dict[str, Text]
    script: dict[str, Text]
    events: dict[str, CatalogueText] = field(default_factory=dict)
    games: dict[str, CatalogueText] = field(default_factory=dict)
    entries: dict[str, CatalogueText] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SiteTexts:
    """The texts of a language. ``page``: of the pages; ``script``: those that the browser fills in.

    ``format``: how months, days and figures are written.

    ``reasons``: sentence, remedy and article of every code, by catalogue (``events``, ``games``, ``entries``).
    """

    format: Format
    page: Mapping[str, str]
    script: Mapping[str, str]
    reasons: Mapping[str, Mapping[str, tuple[str, str, str]]]


def parse_texts(text: str, english: SiteTexts | None = None) -> SiteTexts:
    """Return the texts of a TOML file. ``english``: the texts that another language has to have too.

    A reason without a text of its own has the English one of the catalogue. Raises :class:`ValueError` with one
    sentence where a text is missing, unknown or has other words in braces.
    """
    file = strict_toml.checked(_File, strict_toml.parse(text))
    if english is not None:
        _compare("format", file.format.words, english.format.words)
        _compare("page", file.page, english.page)
        _compare("script", file.script, english.script)
    reasons = {name: _reasons(name, getattr(file, name)) for name in _CATALOGUES}
    return SiteTexts(file.format, file.page, file.script, reasons)


def _compare(section: str, texts: Mapping[str, str], english: Mapping[str, str]) -> None:
    """Raise :class:`ValueError` unless ``texts`` has exactly the English texts, with the same words in braces."""
    for wrong, keys in (("unknown text", set(texts) - set(english)), ("missing text", set(english) - set(texts))):
        if keys:
            raise ValueError(f"{wrong} '{min(keys)}' in [{section}]")
    for key, text in texts.items():
        if _braces(text) != _braces(english[key]):
            raise ValueError(f"'{key}' in [{section}] must have the words in braces that the English text has")


def _braces(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def _reasons(name: str, own: Mapping[str, CatalogueText]) -> dict[str, tuple[str, str, str]]:
    """Return the reasons of a catalogue; a language may give a sentence and a remedy of its own."""
    catalogue = _CATALOGUES[name]
    if unknown := set(own) - set(catalogue):
        raise ValueError(f"unknown code '{min(unknown)}' in [{name}]")
    texts = {code: own.get(code, CatalogueText()) for code in catalogue}
    return {
        code: (texts[code].sentence or reason.sentence, texts[code].remedy or as_answer(reason.remedy), reason.article)
        for code, reason in catalogue.items()
    }
