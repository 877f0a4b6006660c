"""The words by which a player is found."""

from __future__ import annotations

import polars as pl
import pytest

from ratinglist.workflows.find import query_words, words_of_names


def index_of(*names: str) -> dict[str, list[int]]:
    """The players of each word, numbered in the order of ``names``."""
    rows = words_of_names(pl.DataFrame({"fide_id": range(1, len(names) + 1), "name": names}))
    return dict(rows.select("word", "fide_ids").iter_rows())


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("Карлсен, Магнус", ["karlsen", "magnus"]),
        ("Καραγιάννης", ["karagiannis"]),
        ("Peñalver  Ruíz", ["penalver", "ruiz"]),
        ("O'Brien", ["obrien"]),
        ("brien-smith", ["brien", "smith"]),
        ("Zoë zoë", ["zoe"]),
        (" , ", []),
    ],
)
def test_what_is_typed_becomes_words_of_plain_letters(typed: str, words: list[str]) -> None:
    assert query_words(typed)["word"].to_list() == words


def test_every_word_names_its_players_and_a_surname_of_several_is_one_word_too() -> None:
    assert index_of("van den Berg, Anna", "Berg, Jörg") == {
        "anna": [1],
        "berg": [1, 2],
        "den": [1],
        "jorg": [2],
        "van": [1],
        "vandenberg": [1],
    }


def test_a_name_without_a_letter_has_no_word() -> None:
    assert index_of("...", "") == {}


@pytest.mark.parametrize(("typed", "errors"), [("ivo", 0), ("ivan", 1), ("ivanov", 1), ("ivanova", 2), ("12345678", 0)])
def test_longer_words_may_have_more_typing_errors(typed: str, errors: int) -> None:
    assert query_words(typed)["errors"].to_list() == [errors]
