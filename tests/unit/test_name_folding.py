"""Names as they are compared: marks, order, spelling."""

from __future__ import annotations

import polars as pl
import pytest

from ratinglist.names import folding


def of(form: pl.Expr, name: str) -> str:
    return str(pl.DataFrame({"name": [name]}).select(form).item())


NAME = pl.col("name")
FOLDED = folding.folded(NAME)
WORDS = folding.sorted_words(folding.one_spelling(FOLDED))


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
    ("one", "other"),
    [
        ("Müller, Jörg", "MUELLER JOERG"),
        ("Smith, John", "John Smith"),
        ("Khalifman, Yuri", "Halifman, Juri"),
        ("Sjöberg, Mats", "Sjoberg, Mats"),
        ("Wojtaszek, R.", "R Voitaszek"),
        ("Philip, Anna", "Filip, Ana"),
    ],
)
def test_two_spellings_of_one_name_have_the_same_words(one: str, other: str) -> None:
    assert of(WORDS, one) == of(WORDS, other)


@pytest.mark.parametrize(("one", "other"), [("Smith, John", "Smith, Joan"), ("Li, Wei", "Li, Wen")])
def test_two_different_names_have_different_words(one: str, other: str) -> None:
    assert of(WORDS, one) != of(WORDS, other)
