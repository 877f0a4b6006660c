"""Names as they are compared: marks, order, spelling."""

from __future__ import annotations

import polars as pl
import pytest

from ratinglist.names import alike


def of(form: pl.Expr, name: str) -> str:
    return str(pl.DataFrame({"name": [name]}).select(form).item())


NAME = pl.col("name")
FOLDED = alike.folded(NAME)
WORDS = alike.sorted_words(alike.one_spelling(FOLDED))


@pytest.mark.parametrize(
    ("name", "folded"),
    [
        ("Peñalver, Gonzalo", "penalver,gonzalo"),
        ("O'Brien, Seán-Paul", "obrien,sean paul"),
        ("  WOJTASZEK ,  Radosław ", "wojtaszek,radoslaw"),
        ("Groß, Jørn Æ.", "gross,jorn ae"),
        ("Smith", "smith"),
        ("Пешкаев, Остап", "peshkaev,ostap"),
        ("Ёлкин, Сергей", "elkin,sergey"),
        ("", ""),
        (",", ""),
    ],
)
def test_a_name_in_plain_small_letters(name: str, folded: str) -> None:
    assert of(FOLDED, name) == folded


@pytest.mark.parametrize(
    ("name", "other", "is_one_name"),
    [
        ("Müller, Jörg", "MUELLER JOERG", True),
        ("Smith, John", "John Smith", True),
        ("Khalifman, Yuri", "Halifman, Juri", True),
        ("Sjöberg, Mats", "Sjoberg, Mats", True),
        ("Wojtaszek, R.", "R Voitaszek", True),
        ("Philip, Anna", "Filip, Ana", True),
        ("Smith, John", "Smith, Joan", False),
        ("Li, Wei", "Li, Wen", False),
    ],
)
def test_two_spellings_of_one_name_have_the_same_words(name: str, other: str, is_one_name: bool) -> None:
    assert (of(WORDS, name) == of(WORDS, other)) is is_one_name
