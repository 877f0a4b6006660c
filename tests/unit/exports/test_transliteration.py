from __future__ import annotations

import polars as pl
import pytest

from ratinglist.names.alike import to_ascii

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


def test_names_are_written_to_ascii_in_their_order():
    assert to_ascii(names(*WRITTEN))[0].rows() == list(enumerate(WRITTEN.values()))


@pytest.mark.parametrize(
    ("texts", "written", "counted"),
    [
        (("Émilé", "Emil", "Đ"), ["Emile", "Emil", "D"], (2, 3, 0)),
        (("A\ue000B",), ["AB"], (1, 0, 1)),
        (("e\u0301",), ["e"], (1, 1, 0)),
    ],
    ids=["names and letters", "a letter that ASCII has nothing for", "a letter and its accent"],
)
def test_changed_names_and_replaced_and_dropped_letters_are_counted(texts, written, counted):
    rows, counts = to_ascii(names(*texts))
    assert rows["name"].to_list() == written
    assert counts == dict(zip(("names_changed", "letters_replaced", "letters_dropped"), counted, strict=True))


def test_a_player_counts_once_however_many_texts_change():
    rows = names("É").with_columns(federation=pl.lit("ÉÉ"))
    assert to_ascii(rows)[1] == {"names_changed": 1, "letters_replaced": 3, "letters_dropped": 0}
