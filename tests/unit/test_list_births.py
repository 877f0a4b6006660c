"""A birth that is not possible is noted, and left blank, in every format that has dates."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from pathlib import Path

import polars as pl
import pytest

from ratinglist.lists import list_reader
from ratinglist.period import Period

TODAY = date(2025, 12, 1)
MICROSECONDS = timedelta(microseconds=2**55)


def births(path: Path) -> tuple[list[tuple[int | None, date | None]], list[str]]:
    """The births of the players of a file, as read today, and the kinds of the notes."""
    (batch,) = list_reader.read_players(path, until=TODAY)
    return batch.rows.select("birth_year", "birth_date").rows(), [note.kind for note in batch.notes]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2999-01-01", (None, None)),
        ("2025-12-02", (None, None)),
        ("2025-01-01", (None, None)),
        ("1849-12-31", (None, None)),
        ("2021-12-31", (2021, date(2021, 12, 31))),
        ("1920-01-01", (1920, date(1920, 1, 1))),
    ],
)
def test_a_date_of_birth_that_is_not_possible_is_left_blank(
    tmp_path: Path, text: str, expected: tuple[int | None, date | None]
) -> None:
    (tmp_path / "players.csv").write_text(f'fide_id,name,birth_date\n7,"Prova, Anna",{text}\n', encoding="utf-8")
    read_births, notes = births(tmp_path / "players.csv")
    assert read_births == [expected]
    assert notes == ([] if expected[0] else ["impossible_birth_year"])


@pytest.mark.parametrize(("text", "year"), [("2024-12-31", 2024), ("2022", 2022), ("1850-01-01", 1850), ("1919", 1919)])
def test_a_birth_of_a_child_under_four_or_of_somebody_over_105_is_noted_and_kept(
    tmp_path: Path, text: str, year: int
) -> None:
    column = "birth_date" if "-" in text else "birth_year"
    (tmp_path / "players.csv").write_text(f"fide_id,name,{column}\n7,A,{text}\n", encoding="utf-8")
    read_births, notes = births(tmp_path / "players.csv")
    assert (read_births[0][0], notes) == (year, ["odd_age"])


def test_a_moment_of_the_fourth_millennium_is_no_birth(tmp_path: Path) -> None:
    moment = datetime(1970, 1, 1) + MICROSECONDS  # noqa: DTZ001 - Parquet has no zone here
    assert moment.year == 3111
    rows = pl.DataFrame({"fide_id": [7], "name": ["Prova, Anna"], "birth_date": [moment]})
    rows.write_parquet(tmp_path / "players.parquet")
    assert births(tmp_path / "players.parquet") == ([(None, None)], ["impossible_birth_year"])


def test_a_list_has_births_until_the_end_of_its_month(tmp_path: Path) -> None:
    lines = ['7,"Prova, Anna",blitz,1500,2025-11-30', '8,"Prova, Bruno",blitz,1500,2025-12-01']
    text = "\n".join(["fide_id,name,time_control,rating,birth_date", *lines, ""])
    (tmp_path / "list.csv").write_text(text, encoding="utf-8")
    (batch,) = list_reader.read(tmp_path / "list.csv", month=Period.parse("2025-11"))
    assert batch.rows["birth_date"].to_list() == [date(2025, 11, 30), None]
