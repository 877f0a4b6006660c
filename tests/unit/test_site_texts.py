"""The texts of the site: every language is complete, and a wrong file is named by its key."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

from ratinglist.files import resources
from ratinglist.reasons import EVENT_REASONS, GAME_REASONS, as_answer
from ratinglist.site.cells import Words, player_cell, was_and_is
from ratinglist.site.correction_page import words_of_corrections
from ratinglist.site.pages import Frame, list_page
from ratinglist.site.texts import parse_texts
from ratinglist.tables import LISTED
from ratinglist.workflows.letters import template_of

FOLDER = Path(__file__).resolve().parents[2] / "data" / "site"
ENGLISH = (FOLDER / "en.toml").read_text(encoding="utf-8")
FORMAT = "[format]\n" + ENGLISH.partition("\n[format]\n")[2].partition("[page]\n")[0]
SMALL = parse_texts(FORMAT + '[page]\nsite = "Lists"\n[script]\nfound = "{count} found"\n')


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_a_language_has_every_text(path):
    texts = parse_texts(path.read_text(encoding="utf-8"), parse_texts(ENGLISH))
    assert texts.page["language"] == path.stem
    assert all(sentence for catalogue in texts.reasons.values() for sentence, _, _ in catalogue.values())


def test_the_english_reasons_are_those_of_the_catalogue():
    reasons = parse_texts(ENGLISH).reasons["events"]
    assert reasons == {code: (one.sentence, as_answer(one.remedy), one.article) for code, one in EVENT_REASONS.items()}


@pytest.mark.parametrize("path", sorted(resources.data("letters").glob("*.toml")), ids=lambda path: path.stem)
def test_a_reason_has_one_sentence_on_the_site_and_in_letters(path):
    on_site = parse_texts((FOLDER / path.name).read_text(encoding="utf-8"), parse_texts(ENGLISH)).reasons
    letter = template_of(path.stem)
    for section, own, known in (
        ("events", letter["reasons"], EVENT_REASONS),
        ("games", letter.get("games", {}), GAME_REASONS),
    ):
        in_letters = {code: own.get(code, {}).get("sentence", known[code].sentence) for code in known}
        assert {code: on_site[section][code][0] for code in known} == in_letters


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[page]\nsite = "Liste"\n[script]\n', r"missing text 'found' in \[script\]"),
        ('[page]\nsite = "Liste"\nx = ""\n[script]\nfound = "{count}"\n', r"unknown text 'x' in \[page\]"),
        ('[page]\nsite = "Liste"\n[script]\nfound = "trovati"\n', "'found' .* words in braces"),
        ('[page]\nsite = 1\n[script]\nfound = "{count}"\n', "site.* must be a text in quotes"),
        (
            '[page]\nsite = "a"\n[script]\nfound = "{count}"\n[games.x]\nsentence = "y"\n',
            r"unknown code 'x' in \[games\]",
        ),
    ],
)
def test_a_wrong_file_is_refused_with_the_key(text, message):
    with pytest.raises(ValueError, match=message):
        parse_texts(FORMAT + text, SMALL)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ('months = ["January"]', "'format.months' and 'format.short_months' must have twelve names each"),
        ('day_of_year = "{month}"', r"'day_of_year' in \[format\] must have the words in braces"),
    ],
)
def test_a_wrong_format_is_refused_with_the_key(wrong, message):
    text = re.sub(f"^{wrong.partition(' ')[0]} = .*$", wrong, ENGLISH, flags=re.MULTILINE)
    with pytest.raises(ValueError, match=message):
        parse_texts(text, parse_texts(ENGLISH))


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.toml")), ids=lambda path: path.stem)
def test_a_translation_that_nobody_has_read_says_so(path):
    by_machine = "Translated by a machine" in path.read_text(encoding="utf-8")
    assert bool(parse_texts(path.read_text(encoding="utf-8")).page["unread"]) == by_machine


def test_the_ratings_before_and_after_are_under_the_name_on_a_phone():
    row = {"fide_id": 1, "name": "A & B", "title": "GM"}
    assert '<span class="under">1802 → – · a &lt; b</span>' in player_cell(
        row, below=[was_and_is(1802, None), "", "a < b"]
    )


def test_every_text_that_the_script_names_is_there():
    script = "".join(path.read_text(encoding="utf-8") for path in (FOLDER / "script").glob("*.js"))
    used = set(re.findall(r"\bT\(\s*\"(\w+)\"", script))
    texts = parse_texts(ENGLISH)
    assert used - set(texts.script) - set(words_of_corrections(texts)) - set(texts.format.words) == set()


def test_the_page_of_a_list_of_one_player_says_so():
    row = dict.fromkeys(LISTED.columns) | {"fide_id": 1, "name": "Ravnik, Teodor", "rating": 2681, "games": 0}
    rows = pl.DataFrame([row], schema={**LISTED.schema, "change": pl.Int32})
    page = list_page(Frame(parse_texts(ENGLISH), "", "0", "2025-12"), "standard", ["standard"], rows, birth_years=True)
    assert "The whole list: 1 player." in page


def words_of(name):
    return Words(parse_texts((FOLDER / f"{name}.toml").read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("en", {0: "0 players", 1: "1 player", 1204: "1,204 players"}),
        ("it", {0: "0 giocatori", 1: "1 giocatore", 1204: "1.204 giocatori", 1_000_000: "1.000.000 giocatori"}),
        ("fr", {0: "0 joueur", 1: "1 joueur", 12345: "12\u202f345 joueurs"}),
    ],
)
def test_a_number_has_its_noun_in_the_form_of_the_language(name, written):
    assert {count: words_of(name).count("player", count) for count in written} == written


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
    words = words_of(name)
    assert words.month("2025-11") == month
    assert words.day("2025-11-01") == day
    assert words.days("2025-11-20", "2025-11-22") == days
    assert words.days("2025-11-20", "2025-11-20") == words.days("2025-11-20", None)
    assert words.days(None, None) == ""
