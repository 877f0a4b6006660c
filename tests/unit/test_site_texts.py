"""The texts of the site: every language is complete, and writes months, days and figures in its own way."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from string import Formatter

import pytest

from ratinglist.files import resources
from ratinglist.messages import ENTRY_REASONS, EVENT_REASONS, GAME_REASONS
from ratinglist_site.texts import read_texts

FOLDER = Path(__file__).resolve().parents[2] / "data" / "site"
CODES = {"events": EVENT_REASONS, "games": GAME_REASONS, "entries": ENTRY_REASONS}
BY_CODE = ("control_", "status_", "cause_", "filter_")
"""How the names of texts begin that stand for a code."""


def content(language):
    return tomllib.loads((FOLDER / f"{language}.toml").read_text(encoding="utf-8"))


def braces(text):
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


@pytest.mark.parametrize("language", resources.languages("site"))
def test_a_language_has_every_text_with_the_same_words_in_braces(language):
    own, english = content(language), content("en")
    assert own["texts"]["language"] == language
    for section in ("texts", "format"):
        texts = {name: text for name, text in own[section].items() if name != "zero_is_one"}
        assert {name: braces(str(text)) for name, text in texts.items()} == {
            name: braces(str(text)) for name, text in english[section].items()
        }
    assert [len(own["format"][names]) for names in ("months", "short_months")] == [12, 12]
    for catalogue, known in CODES.items():
        assert set(own.get(catalogue, {})) <= set(known)


@pytest.mark.parametrize("language", sorted(path.stem for path in resources.data("letters").glob("*.toml")))
def test_a_reason_has_one_sentence_on_the_site_and_in_letters(language):
    on_site = read_texts(language).reasons
    letter = resources.texts("letters", language)
    for section, own, known in (
        ("events", letter["reasons"], EVENT_REASONS),
        ("games", letter.get("games", {}), GAME_REASONS),
    ):
        in_letters = {code: own.get(code, {}).get("sentence", known[code].sentence) for code in known}
        assert {code: on_site[section][code][0] for code in known} == in_letters


@pytest.mark.parametrize("language", resources.languages("site"))
def test_a_translation_that_nobody_has_read_says_so(language):
    text = (FOLDER / f"{language}.toml").read_text(encoding="utf-8")
    assert bool(content(language)["texts"]["unread"]) == ("Translated by a machine" in text)


def test_every_text_is_used_and_every_text_that_is_named_is_there():
    sources = [*(FOLDER / "script").glob("*.js"), *(FOLDER / "templates").glob("*.html")]
    sources += (Path(__file__).resolve().parents[2] / "src" / "ratinglist_site").glob("*.py")
    text = "".join(path.read_text(encoding="utf-8") for path in sources)
    texts = set(content("en")["texts"])
    assert len(texts) <= 200
    assert set(re.findall(r"\bT\(\s*\"(\w+)\"", text)) - texts == set()
    words = set(re.findall(r"\w+", text))
    nouns = {f"{noun}_{form}" for noun in ("player", "game") for form in ("one", "other")}
    assert {name for name in texts - words - nouns if not name.startswith(BY_CODE)} == set()


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("en", {0: "0 players", 1: "1 player", 1204: "1,204 players"}),
        ("it", {0: "0 giocatori", 1: "1 giocatore", 1204: "1.204 giocatori", 1_000_000: "1.000.000 giocatori"}),
        ("fr", {0: "0 joueur", 1: "1 joueur", 12345: "12\u202f345 joueurs"}),
    ],
)
def test_a_number_has_its_noun_in_the_form_of_the_language(name, written):
    assert {count: read_texts(name).count("player", count) for count in written} == written


@pytest.mark.parametrize(
    ("name", "month", "day", "days"),
    [
        ("en", "November 2025", "1 November 2025", "20–22 November"),
        ("it", "novembre 2025", "1 novembre 2025", "20–22 novembre"),
        ("de", "November 2025", "1. November 2025", "20.–22. November"),
        ("es", "noviembre de 2025", "1 de noviembre de 2025", "20–22 de noviembre"),
    ],
)
def test_days_are_written_as_in_the_language(name, month, day, days):
    words = read_texts(name)
    assert words.month("2025-11") == month
    assert words.day("2025-11-01") == day
    assert words.days("2025-11-20", "2025-11-22") == days
    assert words.days("2025-11-20", "2025-11-20") == words.days("2025-11-20", None)
    assert words.days(None, None) == ""
