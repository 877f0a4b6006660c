"""The texts of the desk: complete in each language, in words, and without dates of birth."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import pytest

from ratinglist.births import WITHHELD, without_births
from ratinglist.desk.texts import day_text, language_of, languages, texts_of, word, worded
from ratinglist.files import resources
from ratinglist.lists.formats import FORMATS

ENGLISH = texts_of("en")
TEMPLATES = "\n".join(path.read_text("utf-8") for path in sorted((resources.data("desk") / "templates").glob("*.html")))


def test_every_language_has_every_text():
    assert languages() == ["en", "it"]
    for language in languages():
        texts = texts_of(language)
        assert {key: braces(text) for key, text in texts.items()} == {key: braces(ENGLISH[key]) for key in ENGLISH}
        assert [key for key, text in texts.items() if not text.strip()] == []
        assert len(texts["months"].split()) == 12
        assert {f"language_{one}" for one in languages()} <= set(texts)


def braces(text):
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_every_text_that_a_page_names_is_there_and_no_other():
    named = set(re.findall(r"\bt\.(\w+)", TEMPLATES)) - {"get"}
    prefixes = (*re.findall(r't(?:\.get\(|\[)"(\w+_)" [+~]', TEMPLATES), "word_", "moved_", "remedy_")
    assert named <= set(ENGLISH)
    unused = {key for key in set(ENGLISH) - named if not key.startswith(prefixes)}
    # Named in a module: the names of the months, and a word of a sentence.
    assert unused == {"months", "below"} | {key for key in ENGLISH if key.startswith("work_")} - named
    source = (Path(resources.__file__).parents[1] / "desk" / "orders.py").read_text("utf-8")
    assert set(re.findall(r'"(work_\w+)"', source)) == {key for key in ENGLISH if key.startswith("work_")}


def test_every_format_and_choice_has_a_word():
    assert {f"format_{name}" for name in FORMATS} <= set(ENGLISH)
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
    assert worded("<script> by `ratinglist doctor`", ENGLISH) == "&lt;script&gt; by <code>ratinglist doctor</code>"
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


@pytest.mark.parametrize("example", ["YYYY-MM, for example 2025-11", "YYYY-MM-DD, for example 2025-10-28"])
def test_what_says_how_a_day_is_typed_keeps_its_example(example: str):
    text = f"'August' cannot be used: write {example}."
    assert worded(text, ENGLISH).unescape() == text


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("--because: 'x' is no reason", "“Why”: &#39;x&#39; is no reason"),
        ("--received 2026-01-05 is after today", "“Received on” 5 January 2026 is after today"),
        ("Invalid value for 'FIDE_ID': 'Thor' cannot be used", "“FIDE ID”: &#39;Thor&#39; cannot be used"),
        ("Invalid value for '--received': 'May'", "“Received on”: &#39;May&#39;"),
        ("'birth_year=90': write a year", "&#39;Born: 90&#39;: write a year"),
        ("in calculations/month=2025-12/c4", "in calculations/month=2025-12/c4"),
        ("add --time-control standard", "add “Time control” standard"),
        (
            "12 is not registered: ratinglist import-players first. Nothing",
            '12 is not registered: <a href="/players#import">Import players</a> first. Nothing',
        ),
        (
            "Make one: ratinglist publish 2025-11 --preview",
            'Make one: <a href="/month/2025-11">Preview</a>',
        ),
        (
            "correct it: ratinglist correct report ORV25081 --id WRONG=RIGHT. Nothing",
            'correct it: <a href="/corrections">Corrections</a>. Nothing',
        ),
        ('write down why: ratinglist import-players x.csv --because unlike_name="..."', "write down why: below"),
        (
            "taken back with ratinglist rollback, a correction",
            'taken back with <a href="/publications">Publications</a>, a correction',
        ),
        (
            "from 2025-09 on: ratinglist rerate --from 2025-09",
            'from September 2025 on: <a href="/corrections#rerate">Calculate lists again</a>',
        ),
        # The desk has no form for these.
        (
            "ratinglist correct report ORV25081 --file REPORT.",
            "<code>ratinglist correct report ORV25081 --file REPORT</code>.",
        ),
        ("with: ratinglist doctor", "with: <code>ratinglist doctor</code>"),
    ],
)
def test_forms_and_fields_are_named_in_the_place_of_commands(said: str, shown: str):
    assert worded(said, ENGLISH) == shown


def test_a_sentence_of_the_program_is_marked_as_english():
    italian = texts_of("it")
    assert worded("--because: on 2025-09-28", italian, "it") == '<span lang="en">“Perché”: on 28 September 2025</span>'
