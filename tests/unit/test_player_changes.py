"""What an imported file changes in the data of the players."""

from __future__ import annotations

import polars as pl
import pytest

from ratinglist.analysis.player_changes import cell_text, compare
from ratinglist.tables import PLAYER

BLANK = {"federation": "", "sex": "", "title": "", "women_title": "", "other_titles": ""}


def players(*rows: dict[str, object]) -> pl.DataFrame:
    empty = {"fide_id": 7, "name": "A", "birth_date": None, "birth_year": None, **BLANK}
    return PLAYER.conform(pl.DataFrame([{**empty, **row} for row in rows], schema=PLAYER.schema))


@pytest.mark.parametrize(
    ("partial", "stored", "in_file", "is_kept"),
    [
        (False, "Müller, Jörg", "Mueller, Joerg", True),
        (False, "Müller, Jörg", "Muller, Jorg", True),
        (False, "Łódź, Ąnna", "Lodz, Anna", True),
        (False, "Пешкаев, Остап", "Peshkaev, Ostap", True),
        (False, "Müller, Jörg", "Miller, Jorg", False),
        (False, "Müller, Jörg", "Møller, Jörg", False),
        (False, "Muller, Jorg", "Müller, Jörg", False),
        (False, "Mueller, Jorg", "Muller, Jorg", False),
        (False, "Müller, Jörg", "Jörg Müller", False),
        # A table of another program does not reorder a name.
        (True, "Müller, Jörg", "Müller Jörg", True),
        (True, "Müller, Jörg", "Jörg Müller", True),
        (True, "Müller, Jörg", "Jorg Muller", True),
        (True, "Muller, Jorg", "Müller Jörg", True),
        (True, "Muller, Jorg", "MULLER, JORG", True),
        (True, "Müller, Jörg", "MÜLLER Jörg", True),
        (True, "Muller, Jorg", "Müller, Jörg", False),
        (True, "Müller, Jörg", "Müller, Jürgen", False),
        (True, "Müller, Jörg", "Meier Jörg", False),
    ],
)
def test_a_name_is_not_replaced_by_its_own_ascii_form(partial, stored, in_file, is_kept):
    comparison = compare(players({"name": in_file}), players({"name": stored}), partial=partial)
    assert comparison.kept["name"].to_list() == [stored] * is_kept
    assert comparison.changed["name"].to_list() == [in_file] * (not is_kept)


def test_other_columns_change_with_a_name_that_is_kept():
    comparison = compare(
        players({"name": "Muller", "federation": "GER"}), players({"name": "Müller", "federation": "AUT"})
    )
    assert comparison.changed.select("name", "federation").rows() == [("Müller", "GER")]


def test_a_blank_text_of_a_partial_file_changes_nothing():
    stored = players({"name": "A", "sex": "F", "title": "WGM"})
    assert compare(players({"name": "A", "title": "WIM"}), stored).changed["sex"].to_list() == [""]
    comparison = compare(players({"name": "A", "title": "WIM"}), stored, partial=True)
    assert comparison.changed.select("sex", "title").rows() == [("F", "WIM")]


@pytest.mark.parametrize(
    ("column", "before", "after", "words"),
    [
        ("birth_date", "", "", "7 A: birth date changed (not shown)"),
        ("birth_year", "1990", "1991", "7 A: birth year 1990 -> 1991"),
        ("women_title", "", "WIM", "7 A: women's title blank -> WIM"),
    ],
)
def test_a_change_is_named_in_words(column, before, after, words):
    cell = {"fide_id": 7, "name": "A", "column": column, "before": before, "after": after}
    assert cell_text(cell) == words


@pytest.mark.parametrize(("stored", "after"), [("", "F"), ("M", "M"), ("F", "F")])
def test_what_a_file_has_no_column_for_is_learnt_where_nothing_is_stored(stored, after):
    comparison = compare(players({"sex": "F", "title": "FM"}), players({"sex": stored}), stated={"name", "title"})
    assert comparison.changed.select("sex", "title").rows() == [(after, "FM")]
