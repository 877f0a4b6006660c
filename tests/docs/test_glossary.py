"""The glossary has every code that is published, and no other."""

from __future__ import annotations

import re

import pytest

from ratinglist import result_codes
from ratinglist.rating.event_verdicts import STATUS
from ratinglist.reasons import ENTRY_REASONS, EVENT_REASONS, GAME_REASONS
from ratinglist.schemas import CHANGE, EVENT, LISTED, LISTS
from ratinglist.store.rule_files import rule_book
from tests.docs.session import ROOT

GLOSSARY = (ROOT / "GLOSSARY.md").read_text(encoding="utf-8")


def explained(section: str) -> list[str]:
    """The codes of a section of the glossary, in its order."""
    _, found, rest = GLOSSARY.partition(f"\n### {section}\n")
    assert found
    rows = re.findall(r"^\| (`.*?) \| .+ \|$", rest.partition("\n### ")[0], re.MULTILINE)
    return [code for row in rows for code in re.findall(r"`([^`]+)`", row)]


def said(words: str) -> list[str]:
    """The codes a column's meaning lists."""
    return re.findall(r"\b[a-z_]+\b", words)


@pytest.mark.parametrize(
    ("section", "codes"),
    [
        ("Event reasons", list(EVENT_REASONS)),
        ("Game reasons", list(GAME_REASONS)),
        ("Entry reasons", list(ENTRY_REASONS)),
        ("Event statuses", said(EVENT.columns["status"].description)),
        ("Event types", said(EVENT.columns["event_type"].description)),
        ("Player statuses", said(CHANGE.columns["status"].description)),
        ("List flags", re.findall(r"\b(i|w|wi)\b", LISTED.columns["flag"].description)),
        ("Time controls", list(LISTS)),
    ],
)
def test_every_code_is_explained_once(section: str, codes: list[str]) -> None:
    assert codes
    assert sorted(explained(section)) == sorted(codes)


def test_every_result_of_a_report_is_explained() -> None:
    codes = [*result_codes.PLAYED, *result_codes.UNPLAYED, *result_codes.BYES]
    assert sorted(explained("Results in a report")) == sorted(codes)


def test_the_statuses_are_those_an_event_can_get() -> None:
    assert set(explained("Event statuses")) == set(STATUS.values())


WORDS = (
    *("bye", "cap", "change", "closing date", "delisted", "entry", "event", "expected score", "floor", "forfeit"),
    *("inactive", "initial rating", "K", "period", "pool", "quarantine", "rating list", "report", "revision"),
    *("tranche", "waiting"),
)


@pytest.mark.parametrize("word", WORDS)
def test_a_word_of_the_field_is_explained(word: str) -> None:
    assert re.search(rf"^\*\*{word}\*\* \S", GLOSSARY, re.MULTILINE)


def test_the_words_are_in_order() -> None:
    _, _, rest = GLOSSARY.partition("\n## Words\n")
    words = re.findall(r"^\*\*([^*`]+)\*\*", rest.partition("\n## ")[0], re.MULTILINE)
    assert words == sorted(words, key=str.casefold)


def test_the_rule_families_are_named() -> None:
    (line,) = re.findall(r"^\*\*rule family\*\* .+$", GLOSSARY, re.MULTILINE)
    assert re.findall(r"`([^`]+)`", line) == sorted(rule_book().families, key=lambda one: (one != "fide", one))
