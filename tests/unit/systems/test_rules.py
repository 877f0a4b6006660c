"""The rule sets of the other systems: their constants, and what a rule file of one may hold."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

import pytest

from ratinglist.errors import RulesError
from ratinglist.files.resources import data
from ratinglist.period import Period
from ratinglist.rating.rules import RuleSet, parse_rule_set
from ratinglist.store.rule_files import rule_book

BOOK = rule_book()
TEXT = (data("rules") / "ffe" / "standard" / "2000-01-01.toml").read_text(encoding="utf-8")


def in_force(family: str) -> RuleSet:
    rule_set = BOOK.on(family, "standard", date(2026, 1, 1))
    assert rule_set is not None
    return rule_set


@pytest.mark.parametrize(
    ("family", "values"),
    [
        ("fsi", {"entry.rating": 1440, "development_coefficient.k": 30, "expected_score.cap": 400}),
        (
            "club",
            {
                "entry.rating": 1400,
                **{f"title_minimum.{title}": least for title, least in (("gm", 2500), ("im", 2400), ("fm", 2300))},
                **{f"development_coefficient.{name}": k for name, k in (("new", 45), ("normal", 30), ("master", 10))},
            },
        ),
        (
            "fsi-1998",
            {
                "expected_score.cap": 350,
                "expected_score.sum_step": 5,
                "change.refresh_every": 4,
                "entry.unclassified": 1300,
                "entry.second_from": 1550,
                "entry.second_rating": 1600,
                "entry.third_from": 1450,
                "entry.third_rating": 1500,
            },
        ),
        ("uscf", {"provisional.games": 20, "development_coefficient.normal": 32, "development_coefficient.master": 16}),
        ("ffe", {"update.weight_games": 16, "update.compatible": 350, "entry.min_games": 8, "entry.start": 1300}),
        ("glicko", {"entry.rating": 1720, "deviation.initial": 350, "deviation.least": 30, "expected_score.white": 0}),
        ("wcc", {"expected_score.white": 32, "expected_score.weights": "harmonic"}),
    ],
)
def test_the_constants(family: str, values: dict[str, Any]):
    constants = in_force(family).values()
    assert {key: constants[key] for key in values} == values


@pytest.mark.parametrize(
    ("family", "months"),
    [("fsi", None), ("club", None), ("uscf", None), ("fsi-1998", (1, 7)), ("ffe", (1, 5, 9)), ("fide", None)],
)
def test_the_months_of_a_family(family: str, months: tuple[int, ...] | None):
    assert in_force(family).months == months


def test_the_next_list_of_a_family():
    assert BOOK.next_list("ffe", Period.parse("2025-10")) == Period.parse("2026-01")
    assert BOOK.next_list("ffe", Period.parse("2026-01")) == Period.parse("2026-01")
    assert BOOK.next_list("fide", Period.parse("2025-10")) == Period.parse("2025-10")
    # Before the first rule set no month is refused: the calculation says what is missing.
    assert BOOK.publishes_in("fsi-1998", Period.parse("1990-03"))


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            '"01, 05, 09"',
            '"13"',
            "'list.published_in' is '13': write 'every month', or months as numbers such as '01, 07'",
        ),
        ("weight_games = { value = 16,", 'weight_games = { value = "16",', "'update.weight_games' is '16'; it must be"),
        ("[update]", "[updates]", "unknown key 'updates'"),
        ("compatible = {", "compatibel = {", "unknown key 'compatibel' in [update]"),
        ('"list_before"', '"newest"', "'list.ratings_used' is 'newest'; it must be 'event_start', "),
    ],
)
def test_a_rule_file_of_a_system_is_read_strictly(old: str, new: str, says: str):
    text = re.sub(" +", " ", TEXT)
    assert old in text
    with pytest.raises(RulesError) as refused:
        parse_rule_set(text.replace(old, new), "ffe/standard/2000-01-01")
    assert says in str(refused.value)


def test_a_rule_set_of_a_system_names_it():
    assert in_force("wcc").as_dict()["system"] == "glicko"
    assert "system" not in in_force("fide").as_dict()
    assert len({in_force(family).digest for family in BOOK.families}) == len(BOOK.families)
