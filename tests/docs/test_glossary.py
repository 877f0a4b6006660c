"""The glossary names every rule family, and columns are named as it says."""

from __future__ import annotations

import re

import polars as pl

from ratinglist import tables
from ratinglist.store.rule_files import rule_book
from tests.docs.session import ROOT

GLOSSARY = (ROOT / "GLOSSARY.md").read_text(encoding="utf-8")


def test_the_rule_families_are_named() -> None:
    (line,) = re.findall(r"^\*\*rule family\*\* .+$", GLOSSARY, re.MULTILINE)
    assert re.findall(r"`([^`]+)`", line) == sorted(rule_book().families, key=lambda family: (family != "fide", family))


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
