"""Read the texts of the site in a language: a TOML file of texts by name, complete and with the same braces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from string import Formatter
from typing import ClassVar

from ratinglist import strict_toml
from ratinglist.analysis.letter import CatalogueText
from ratinglist.reasons import ENTRY_REASONS, EVENT_REASONS, GAME_REASONS, Reason, as_answer
from ratinglist.site.language import language
from ratinglist.strict_toml import Text

ENGLISH = "en"
_CATALOGUES: Mapping[str, Mapping[str, Reason]] = {
    "events": EVENT_REASONS,
    "games": GAME_REASONS,
    "entries": ENTRY_REASONS,
}


@dataclass(frozen=True, slots=True)
class _File:
    """A file of texts: those of the pages, those that the browser fills in, and those of the codes."""

    __pydantic_config__: ClassVar = strict_toml.FORBID_UNKNOWN_KEYS

    page: dict[str, Text]
    script: dict[str, Text]
    events: dict[str, CatalogueText] = field(default_factory=dict)
    games: dict[str, CatalogueText] = field(default_factory=dict)
    entries: dict[str, CatalogueText] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SiteTexts:
    """The texts of a language. ``page``: of the pages; ``script``: those that the browser fills in.

    ``reasons``: sentence, remedy and article of every code, by catalogue (``events``, ``games``, ``entries``).
    """

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
        plurals = language(file.page.get("language", ENGLISH)).plurals
        _compare("page", file.page, english.page, plurals)
        _compare("script", file.script, english.script, plurals)
    return SiteTexts(file.page, file.script, {name: _reasons(name, getattr(file, name)) for name in _CATALOGUES})


def _compare(section: str, texts: Mapping[str, str], english: Mapping[str, str], plurals: Sequence[str]) -> None:
    """Raise :class:`ValueError` unless ``texts`` has exactly the English texts, with the same words in braces.

    A noun that is counted, which has the keys ``…_one`` and ``…_other`` in English, has one for each of ``plurals``.
    """
    nouns = {key.removesuffix("_one") for key in english if key.endswith("_one")}
    nouns = {noun for noun in nouns if f"{noun}_other" in english}
    counted = {f"{noun}_{plural}" for noun in nouns for plural in ("one", "other")}
    wanted = {key: key for key in english if key not in counted}
    wanted |= {f"{noun}_{plural}": f"{noun}_other" for noun in nouns for plural in plurals}
    for wrong, keys in (("unknown text", set(texts) - set(wanted)), ("missing text", set(wanted) - set(texts))):
        if keys:
            raise ValueError(f"{wrong} '{min(keys)}' in [{section}]")
    for key, text in texts.items():
        if _braces(text) != _braces(english[wanted[key]]):
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
