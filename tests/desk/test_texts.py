"""The texts of the desk: complete in each language, in words, and without dates of birth."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ratinglist.analysis.letter import WITHHELD
from ratinglist.desk.texts import day_text, language_of, languages, texts_of, without_births, word, worded
from ratinglist.files import resources
from ratinglist.lists.formats import FORMATS

ENGLISH = texts_of("en")
TEMPLATES = "\n".join(path.read_text("utf-8") for path in sorted((resources.data("desk") / "templates").glob("*.html")))


def test_every_language_has_every_text():
    """That it has the words in braces of the English text is checked where it is read."""
    assert languages() == ["en", "it"]
    for language in languages():
        texts = texts_of(language)
        assert [key for key, text in texts.items() if not text.strip()] == []
        assert len(texts["months"].split()) == 12
        assert {f"language_{one}" for one in languages()} <= set(texts)


def test_every_text_that_a_page_names_is_there_and_no_other():
    named = set(re.findall(r"\bt\.(\w+)", TEMPLATES)) - {"get"}
    prefixes = (*re.findall(r't(?:\.get\(|\[)"(\w+_)" [+~]', TEMPLATES), "word_", "moved_")
    assert named <= set(ENGLISH)
    unused = {key for key in set(ENGLISH) - named if not key.startswith(prefixes)}
    # Named in a module: a title of a page, and the names of the months.
    assert unused == {"months", "no_page"} | {key for key in ENGLISH if key.startswith("work_")} - named
    source = (Path(resources.__file__).parents[1] / "desk" / "orders.py").read_text("utf-8")
    assert set(re.findall(r'"(work_\w+)"', source)) == {key for key in ENGLISH if key.startswith("work_")}


def test_every_format_and_choice_has_a_word():
    for name, one in FORMATS.items():
        assert one.compares or f"format_{name}" in ENGLISH, name
    for code in ("standard", "rapid", "blitz", "swiss", "roundrobin", "double_roundrobin", "team", "match", "M", "F"):
        assert word(code, ENGLISH) == ENGLISH[f"word_{code}"]
    assert word("2025-10", texts_of("it")) == "ottobre 2025"


def test_days_and_months_of_a_sentence_are_words():
    assert (
        worded("the list of 2025-10 (r1), on 2025-09-28.", ENGLISH)
        == "the list of October 2025 (r1), on 28 September 2025."
    )
    for kept in ("players-2025-10.csv", "fide/standard/2024-03-01", "published/2025-10/r1", "2025-13"):
        assert kept in worded(f"of {kept}", ENGLISH)
    assert worded("<script> by `ratinglist load`", ENGLISH) == "&lt;script&gt; by <code>ratinglist load</code>"
    assert day_text("soon", ENGLISH) == "soon"


@pytest.mark.parametrize(
    "birth",
    [
        *("1961-04-05", "1961/04/05", "1961.04.05", "05.04.1961", "5/4/1961", "5-4-1961", "05.04.61", "1961_04_05"),
        *("1961·04·05", "1961–04–05", "'19610405'", "'05041961'", "'1961 04 05'", "'5 4 1961'", "2019-04-05"),
    ],
)
def test_a_date_of_birth_is_not_in_what_a_command_printed(birth: str):
    shown = without_births(f"players.csv, line 3: birth_date {birth} is not like the one before", 2025)
    assert birth.strip("'") not in shown
    assert WITHHELD in shown


def test_what_is_no_date_of_birth_is_shown():
    for kept in ("2025-09-28", "fide/standard/2017-07-01", "99900143", "1822 + 2 = 1824", "r1, line 12, 8.3.1", "1961"):
        assert kept in without_births(f"by {kept}, then", 2025)


def test_the_language_is_that_of_the_browser():
    assert language_of("it-IT,it;q=0.9,en;q=0.8") == "it"
    assert language_of("de, en") == "en"
    assert language_of("") == "en"


def test_an_example_of_a_month_stays_as_it_is_typed():
    text = "'August' is not a month: write YYYY-MM, for example 2025-11."
    assert worded(text, ENGLISH).unescape() == text
