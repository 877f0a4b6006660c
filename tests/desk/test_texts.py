"""The texts of the desk: complete in each language, in words, and without dates of birth."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from ratinglist.files import resources
from ratinglist.findings import WITHHELD, without_births
from ratinglist.lists.formats import FORMATS
from ratinglist_desk import orders
from ratinglist_desk.texts import day_text, form_of, language_of, said, texts_of, word
from tests.unit.test_site_texts import braces

ENGLISH = texts_of("en")
TEMPLATES = "\n".join(path.read_text("utf-8") for path in sorted((resources.data("desk") / "templates").glob("*.html")))


def test_every_language_has_every_text():
    assert resources.languages("desk") == ["en", "it"]
    for language in resources.languages("desk"):
        texts = texts_of(language)
        assert {key: braces(text) for key, text in texts.items()} == {key: braces(ENGLISH[key]) for key in ENGLISH}
        assert [key for key, text in texts.items() if not text.strip()] == []
        assert len(texts["months"].split()) == 12


def test_every_text_that_a_page_names_is_there_and_no_other():
    named = set(re.findall(r"\bt\.(\w+)", TEMPLATES)) - {"get"}
    prefixes = (*re.findall(r't(?:\.get\(|\[)"(\w+_)" [+~]', TEMPLATES), "word_", "moved_", "remedy_")
    assert named <= set(ENGLISH)
    unused = {key for key in set(ENGLISH) - named if not key.startswith(prefixes)}
    # Named in a module: the names of the months, and a word of a sentence.
    assert unused == {"months"} | {key for key in ENGLISH if key.startswith("work_")} - named
    source = (Path(orders.__file__)).read_text("utf-8")
    assert set(re.findall(r'"(work_\w+)"', source)) == {key for key in ENGLISH if key.startswith("work_")}


def test_every_format_and_choice_has_a_word():
    assert {f"format_{name}" for name in FORMATS} <= set(ENGLISH)
    for code in ("standard", "rapid", "blitz", "swiss", "roundrobin", "double_roundrobin", "team", "match", "M", "F"):
        assert word(code, ENGLISH) == ENGLISH[f"word_{code}"]
    assert word("2025-10", texts_of("it")) == "ottobre 2025"


def test_what_a_command_said_is_shown_as_it_is():
    assert said("<script> by `ratinglist doctor` of 2025-10") == "&lt;script&gt; by `ratinglist doctor` of 2025-10"
    assert said("on 2025-09-28", "it") == '<span lang="en">on 2025-09-28</span>'
    assert day_text("", ENGLISH) == ""


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("rate 2025-11", '<a href="/month/2025-11">Calculate and preview</a> <code>ratinglist rate 2025-11</code>'),
        (
            "import-players 'of October'",
            '<a href="/players#import">Import players</a> <code>ratinglist import-players &#39;of October&#39;</code>',
        ),
        ("rollback --to r1", '<a href="/publications">Publications</a> <code>ratinglist rollback --to r1</code>'),
        # The desk has no form for it.
        ("doctor --rebuild", "<code>ratinglist doctor --rebuild</code>"),
    ],
)
def test_a_remedy_is_a_link_to_its_form(command: str, shown: str):
    name, *arguments = shlex.split(command)
    assert form_of({"command": name, "arguments": arguments}, ENGLISH) == shown


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
