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
    ("stored", "in_file", "is_kept"),
    [
        ("Müller, Jörg", "Mueller, Joerg", True),
        ("Müller, Jörg", "Muller, Jorg", True),
        ("Łódź, Ąnna", "Lodz, Anna", True),
        ("Пешкаев, Остап", "Peshkaev, Ostap", True),
        ("Müller, Jörg", "Miller, Jorg", False),
        ("Müller, Jörg", "Møller, Jörg", False),
        ("Muller, Jorg", "Müller, Jörg", False),
        ("Mueller, Jorg", "Muller, Jorg", False),
    ],
)
def test_a_name_is_not_replaced_by_its_own_ascii_form(stored, in_file, is_kept):
    found = compare(players({"name": in_file}), players({"name": stored}))
    assert found.kept["name"].to_list() == [stored] * is_kept
    assert found.changed["name"].to_list() == [in_file] * (not is_kept)


@pytest.mark.parametrize(
    ("stored", "in_table", "is_kept"),
    [
        ("Müller, Jörg", "Müller Jörg", True),
        ("Müller, Jörg", "Jörg Müller", True),
        ("Müller, Jörg", "Jorg Muller", True),
        ("Muller, Jorg", "Müller Jörg", True),
        ("Muller, Jorg", "MULLER, JORG", True),
        ("Müller, Jörg", "MÜLLER Jörg", True),
        ("Muller, Jorg", "Müller, Jörg", False),
        ("Müller, Jörg", "Müller, Jürgen", False),
        ("Müller, Jörg", "Meier Jörg", False),
    ],
)
def test_a_table_of_another_program_does_not_reorder_a_name(stored, in_table, is_kept):
    found = compare(players({"name": in_table}), players({"name": stored}), partial=True)
    assert found.kept["name"].to_list() == [stored] * is_kept
    assert found.changed["name"].to_list() == [in_table] * (not is_kept)
    assert compare(players({"name": "Jörg Müller"}), players({"name": stored})).kept.is_empty()


def test_other_columns_change_with_a_name_that_is_kept():
    found = compare(players({"name": "Muller", "federation": "GER"}), players({"name": "Müller", "federation": "AUT"}))
    assert found.changed.select("name", "federation").rows() == [("Müller", "GER")]


def test_a_blank_text_of_a_partial_file_changes_nothing():
    stored = players({"name": "A", "sex": "F", "title": "WGM"})
    assert compare(players({"name": "A", "title": "WIM"}), stored).changed["sex"].to_list() == [""]
    found = compare(players({"name": "A", "title": "WIM"}), stored, partial=True)
    assert found.changed.select("sex", "title").rows() == [("F", "WIM")]


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
    found = compare(players({"sex": "F", "title": "FM"}), players({"sex": stored}), stated={"name", "title"})
    assert found.changed.select("sex", "title").rows() == [(after, "FM")]
