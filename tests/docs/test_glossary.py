"""The glossary has every code that is published, and no other, and columns are named as it says."""

from __future__ import annotations

import re

import polars as pl
import pytest

from ratinglist import result_codes, tables
from ratinglist.rating.event_verdicts import STATUS
from ratinglist.reasons import ENTRY_REASONS, EVENT_REASONS, GAME_REASONS, Reason
from ratinglist.store.rule_files import rule_book
from ratinglist.tables import CHANGE, EVENT, LISTED, LISTS
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


@pytest.mark.parametrize(
    ("section", "reasons"),
    [("Event reasons", EVENT_REASONS), ("Game reasons", GAME_REASONS), ("Entry reasons", ENTRY_REASONS)],
)
def test_a_reason_is_explained_as_the_program_does(section: str, reasons: dict[str, Reason]) -> None:
    rows = GLOSSARY.partition(f"\n### {section}\n")[2].partition("\n### ")[0]
    printed = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", rows, re.MULTILINE))
    # A remedy is of an event alone: a game and an entry wait for nothing that an officer does.
    assert printed == {
        code: " | ".join(filter(None, (reason.sentence, reason.remedy, reason.article)))
        for code, reason in reasons.items()
    }


def test_every_result_of_a_report_is_explained() -> None:
    codes = [*result_codes.PLAYED, *result_codes.UNPLAYED, *result_codes.BYES]
    assert sorted(explained("Results in a report")) == sorted(codes)


def test_the_statuses_are_those_an_event_can_get() -> None:
    assert set(explained("Event statuses")) == set(STATUS.values())


def test_the_rule_families_are_named() -> None:
    (line,) = re.findall(r"^\*\*rule family\*\* .+$", GLOSSARY, re.MULTILINE)
    assert re.findall(r"`([^`]+)`", line) == sorted(rule_book().families, key=lambda one: (one != "fide", one))


ENDINGS = {
    "_hundredths": pl.Int32,
    "_halves": pl.Int32,
    "_tenths": pl.Int32,
    "_no": (pl.Int32, pl.UInt32),
    "_month": pl.String,
    "_on": pl.Date,
    "_date": pl.Date,
    "_digest": pl.String,
    "_sha256": pl.String,
    "_id": (pl.Int64, pl.String),
}


def test_columns_are_named_as_the_glossary_says() -> None:
    columns = {
        (name, column.dtype.base_type())
        for table in vars(tables).values()
        if isinstance(table, tables.Table)
        for name, column in table.columns.items()
    }
    for ending, types in ENDINGS.items():
        named = {(name, dtype) for name, dtype in columns if name.endswith(ending)}
        allowed = types if isinstance(types, tuple) else (types,)
        assert named
        assert {name for name, dtype in named if dtype not in allowed} == set(), ending
        assert f"| ends in `{ending}` |" in GLOSSARY


def test_every_column_of_days_is_named_as_one() -> None:
    days = {
        name
        for table in vars(tables).values()
        if isinstance(table, tables.Table)
        for name, column in table.columns.items()
        if column.dtype == pl.Date
    }
    assert {name for name in days if not name.endswith(("_on", "date"))} == {
        "last_played",
        "member_until",
        "rateable_until",
    }
