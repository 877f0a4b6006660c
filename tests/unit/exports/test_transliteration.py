from __future__ import annotations

import polars as pl
import pytest

from ratinglist.names.folding import to_ascii

WRITTEN = {
    "Castellane, Émile": "Castellane, Emile",
    "Szendrő, Bálint": "Szendro, Balint",
    "Łukasz Đorđe": "Lukasz Dorde",
    "Groß, Jörg": "Gross, Jorg",
    "Верд, Захар": "Verd, Zakhar",
    "O\u2019Dal, Finn": "O'Dal, Finn",
    "Cafe\u0301, Ana": "Cafe, Ana",
    "two\r\nlines": "two  lines",
    "\x07bell": "bell",
    "plain ~ !": "plain ~ !",
}


def names(*texts: str) -> pl.DataFrame:
    return pl.DataFrame({"fide_id": range(len(texts)), "name": texts})


@pytest.mark.parametrize("name", WRITTEN, ids=ascii)
def test_a_name_is_written_to_ascii(name):
    assert to_ascii(names(name))[0]["name"].to_list() == [WRITTEN[name]]


def test_names_and_letters_are_counted():
    assert to_ascii(names("Émilé", "Emil", "Đ"))[1] == {"names_changed": 2, "letters_replaced": 3, "letters_dropped": 0}


def test_a_letter_that_ascii_has_nothing_for_is_counted_as_dropped():
    rows, counted = to_ascii(names("A\ue000B"))
    assert (rows["name"][0], counted) == ("AB", {"names_changed": 1, "letters_replaced": 0, "letters_dropped": 1})


def test_a_letter_and_its_accent_are_one_letter():
    assert to_ascii(names("e\u0301"))[1] == {"names_changed": 1, "letters_replaced": 1, "letters_dropped": 0}


def test_a_player_counts_once_however_many_texts_change():
    rows = names("É").with_columns(federation=pl.lit("ÉÉ"))
    assert to_ascii(rows)[1] == {"names_changed": 1, "letters_replaced": 3, "letters_dropped": 0}


def test_rows_stay_in_order():
    assert to_ascii(names("Zoë", "Ana", "Émile"))[0]["fide_id"].to_list() == [0, 1, 2]
