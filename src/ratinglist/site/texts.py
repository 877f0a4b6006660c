"""Read the texts of the site in a language: a TOML file of texts by name, complete and with the same braces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from string import Formatter

from ratinglist import strict_toml
from ratinglist.reasons import ENTRY_REASONS, EVENT_REASONS, GAME_REASONS, Reason

ENGLISH = "en"
_SECTIONS = ("page", "script")
_CATALOGUES: Mapping[str, Mapping[str, Reason]] = {
    "events": EVENT_REASONS,
    "games": GAME_REASONS,
    "entries": ENTRY_REASONS,
}


@dataclass(frozen=True, slots=True)
class SiteTexts:
    """The texts of a language. ``page``: of the pages; ``script``: those that the browser fills in.

    ``reasons``: sentence, remedy and article of every code, by catalogue (``events``, ``games``, ``entries``).
    """

    page: Mapping[str, str]
    script: Mapping[str, str]
    reasons: Mapping[str, Mapping[str, tuple[str, str, str]]]


def parse(text: str, english: SiteTexts | None = None) -> SiteTexts:
    """Return the texts of a TOML file. ``english``: the texts that another language has to have too.

    A reason without a text of its own has the English one of the catalogue. Raises :class:`ValueError` with one
    sentence where a text is missing, unknown or has other words in braces.
    """
    tables = strict_toml.parse(text)
    if unknown := sorted(set(tables) - {*_SECTIONS, *_CATALOGUES}):
        raise ValueError(f"unknown section [{unknown[0]}]")
    page, script = (_section(tables, name, None if english is None else getattr(english, name)) for name in _SECTIONS)
    return SiteTexts(page, script, {name: _reasons(tables, name) for name in _CATALOGUES})


def _section(tables: Mapping[str, object], name: str, english: Mapping[str, str] | None) -> dict[str, str]:
    section = tables.get(name)
    if not isinstance(section, dict):
        raise ValueError(f"the section [{name}] is missing")
    for key, text in section.items():
        if not isinstance(text, str):
            raise ValueError(f"'{key}' in [{name}] must be a text in quotes")
        if english is not None and key not in english:
            raise ValueError(f"unknown text '{key}' in [{name}]")
        if english is not None and _braces(text) != _braces(english[key]):
            raise ValueError(f"'{key}' in [{name}] must have the words in braces that the English text has")
    if missing := [key for key in english or () if key not in section]:
        raise ValueError(f"the text '{missing[0]}' in [{name}] is missing")
    return dict(section)


def _braces(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def _reasons(tables: Mapping[str, object], name: str) -> dict[str, tuple[str, str, str]]:
    """Return the reasons of a catalogue; a language may give a sentence and a remedy of its own."""
    own = tables.get(name, {})
    if not isinstance(own, dict) or (set(own) - set(_CATALOGUES[name])):
        raise ValueError(f"[{name}] has a code that is not in the catalogue")
    found = {}
    for code, reason in _CATALOGUES[name].items():
        texts = own.get(code, {})
        if not isinstance(texts, dict) or set(texts) - {"sentence", "remedy"}:
            raise ValueError(f"[{name}.{code}] may have a sentence and a remedy, and nothing else")
        found[code] = (
            str(texts.get("sentence", reason.sentence)),
            str(texts.get("remedy", reason.remedy)),
            reason.article,
        )
    return found
