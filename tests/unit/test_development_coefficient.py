"""The development coefficient K: its order, every boundary, and the limit on K × games."""

from dataclasses import replace
from datetime import date

import polars as pl
import pytest

from ratinglist.rating.change import development_coefficient, is_junior, limited_coefficient
from ratinglist.rating.rules import DevelopmentCoefficientRules
from ratinglist.store import rule_files
from ratinglist.tables import GAME
from tests.months import Event, Office, Player, day


def rules_of(family: str) -> DevelopmentCoefficientRules:
    rule_set = rule_files.rule_book().on(family, "standard", date(2025, 10, 1))
    assert rule_set is not None
    return rule_set.development_coefficient


FIDE, COURSE = rules_of("fide"), rules_of("course")


DISTINCT = replace(FIDE, new=41, normal=21, master=11, junior=31)
"""The text of 2025 with a different K for each kind of player."""


def k(
    games: int,
    *,
    ever_2400: bool = False,
    ever_2300: bool = False,
    junior: bool = False,
    fixed: int = 0,
    rules: DevelopmentCoefficientRules = FIDE,
) -> int:
    coefficient = development_coefficient(
        replace(rules, fixed=fixed),
        games_played=pl.lit(games),
        reached_2400=pl.lit(ever_2400),
        reached_2300=pl.lit(ever_2300),
        junior=pl.lit(junior),
    )
    return pl.select(coefficient).item()


def junior(rules: DevelopmentCoefficientRules, on: str, *, born: str | None = None, year: int | None = None) -> bool:
    expression = is_junior(
        rules,
        judged_on=pl.lit(day(on)),
        birth_date=pl.lit(day(born), dtype=pl.Date),
        birth_year=pl.lit(year, dtype=pl.Int32),
    )
    return pl.select(expression).item()


def k_applied(player: Player, *, games: str = "", family: str = "fide", **event: str) -> int:
    """Return K of the first game of a player in an event of October 2025."""
    office = Office(player, family=family)
    office.receive(Event("Open", games or f"{player.name}: 1 2000", **event))
    return office.rate("2025-11").games(player.name)[0]["k"]


# ------------------------------------------------------------------------------------------------------ order


@pytest.mark.parametrize(
    ("games", "facts", "coefficient"),
    [
        *((games, {}, coefficient) for games, coefficient in [(0, 40), (29, 40), (30, 20), (31, 20)]),
        (0, {"ever_2400": True, "ever_2300": True, "junior": True}, 10),
        (500, {"junior": True}, 40),
        (500, {"ever_2300": True, "junior": True}, 20),
        (29, {"ever_2300": True, "junior": True}, 40),
        # New players, juniors, masters and the others each have their own.
        (0, {"rules": DISTINCT}, 41),
        (100, {"rules": DISTINCT}, 21),
        (100, {"junior": True, "rules": DISTINCT}, 31),
        (0, {"junior": True, "rules": DISTINCT}, 31),
        (100, {"ever_2400": True, "ever_2300": True, "rules": DISTINCT}, 11),
        (100, {"fixed": 15, "rules": DISTINCT}, 15),
    ],
)
def test_k_goes_by_2400_then_new_then_junior(games, facts, coefficient):
    assert k(games, **facts) == coefficient


@pytest.mark.parametrize(
    ("player", "coefficient"),
    [
        (Player("Anna", 2399), 20),
        (Player("Anna", 2400), 10),
        (Player("Anna", 2350, ever_2400=True), 10),
        (Player("Anna", 2299, born=2010), 40),
        (Player("Anna", 2300, born=2010), 20),
        (Player("Anna", 2250, born=2010, ever_2300=True), 20),
    ],
)
def test_a_mark_on_the_list_before_holds_for_ever(player, coefficient):
    assert k_applied(player) == coefficient


# --------------------------------------------------------------------------------------------------- juniors


@pytest.mark.parametrize(
    ("rules", "on", "born", "year", "is_one"),
    [
        # By the course one is a junior strictly before the 18th birthday.
        *(
            (COURSE, on, "2007-10-11", None, is_one)
            for on, is_one in [("2025-10-10", True), ("2025-10-11", False), ("2025-10-12", False)]
        ),
        # Who was born on 29 February turns 18 on 1 March.
        (COURSE, "2026-02-28", "2008-02-29", None, True),
        (COURSE, "2026-03-01", "2008-02-29", None, False),
        # A year alone is taken as its 31 December.
        (COURSE, "2025-12-30", None, 2007, True),
        (COURSE, "2025-12-31", None, 2007, False),
        # Of unknown birth one is no junior; the date precedes the year.
        *((rules, "2025-10-04", None, None, False) for rules in (FIDE, COURSE)),
        *((rules, "2025-10-04", "2010-05-01", 1990, True) for rules in (FIDE, COURSE)),
        *((rules, "2025-10-04", "1990-05-01", 2010, False) for rules in (FIDE, COURSE)),
    ],
)
def test_who_is_a_junior(rules, on, born, year, is_one):
    assert junior(rules, on, born=born, year=year) is is_one


# ------------------------------------------------------------------------------------------- the limit of 700


@pytest.mark.parametrize(
    ("coefficient", "games", "reduced"),
    [(40, 17, 40), (40, 18, 38), (40, 22, 31), (20, 35, 20), (20, 36, 19), (20, 39, 17), (10, 70, 10), (10, 71, 9)],
)
@pytest.mark.parametrize("counted", [pl.Int32, pl.UInt32, pl.Int64])
def test_k_times_games_stays_within_700_and_k_keeps_its_type(counted, coefficient, games, reduced):
    limited = limited_coefficient(FIDE, pl.lit(coefficient, dtype=pl.Int32), pl.lit(games, dtype=counted))
    column = pl.select(limited).to_series()
    assert (column.to_list(), column.dtype) == ([reduced], GAME.columns["k"].dtype)


def test_without_a_limit_k_stays():
    assert pl.select(limited_coefficient(replace(FIDE, period_limit=0), pl.lit(40), pl.lit(100))).item() == 40


def test_games_that_are_not_rated_do_not_count_for_the_limit():
    office = Office(Player("Anna", 2000, games=10), Player("Newcomer"))
    office.receive(Event("Open", "Anna: " + ", ".join(["½ 2000"] * 17 + ["1 Newcomer"])))
    assert office.rate("2025-11").change("Anna")["k"] == 40


def test_the_published_k_is_the_one_before_the_limit():
    office = Office(Player("Anna", 2000, games=1))
    office.receive(Event("Open", "Anna: " + ", ".join(["½ 2000"] * 22)))
    november = office.rate("2025-11")
    assert (november.change("Anna")["k"], november.state("Anna")["k"]) == (31, 40)
