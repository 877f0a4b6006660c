"""What is known of a player's birth and what is not, and a coefficient that is fixed for everybody."""

from dataclasses import replace
from datetime import date

import polars as pl
import pytest

from ratinglist.rating.development_coefficient import development_coefficient, is_junior, limited_coefficient
from ratinglist.schemas import GAME
from ratinglist.store import rule_files

BOOK = rule_files.rule_book()


def junior(family: str, *, born: date | None, year: int | None) -> bool | None:
    """Whether a player is a junior in October 2025; None where the answer is unknown, which it must not be."""
    rule_set = BOOK.on(family, "standard", date(2025, 10, 1))
    assert rule_set is not None
    found = is_junior(
        rule_set.development_coefficient,
        judged_on=pl.lit(date(2025, 10, 4)),
        birth_date=pl.lit(born, dtype=pl.Date),
        birth_year=pl.lit(year, dtype=pl.Int32),
    )
    return pl.select(found).item()


both_readings = pytest.mark.parametrize("family", ["fide", "course"])


@both_readings
def test_an_unknown_birth_gives_a_plain_no(family):
    assert junior(family, born=None, year=None) is False


@both_readings
def test_the_birth_date_goes_before_the_birth_year(family):
    assert junior(family, born=date(2010, 5, 1), year=1990) is True
    assert junior(family, born=date(1990, 5, 1), year=2010) is False


def k(games: int, *, ever_2400: bool = False, junior: bool = False, fixed: int = 0) -> int:
    """K by the text of 2025, with a value of its own for each kind of player."""
    of_2025 = BOOK.on("fide", "standard", date(2025, 10, 1)).development_coefficient
    found = development_coefficient(
        replace(of_2025, new=41, normal=21, master=11, junior=31, fixed=fixed),
        games_played=pl.lit(games),
        reached_2400=pl.lit(ever_2400),
        reached_2300=pl.lit(ever_2400),
        junior=pl.lit(junior),
    )
    return pl.select(found).item()


def test_new_players_juniors_masters_and_the_others_have_each_their_own_coefficient():
    found = {
        "new": k(0),
        "normal": k(100),
        "junior": k(100, junior=True),
        "new junior": k(0, junior=True),
        "master": k(100, ever_2400=True),
    }
    assert found == {"new": 41, "normal": 21, "junior": 31, "new junior": 31, "master": 11}


def test_a_fixed_coefficient_is_the_fixed_one_and_no_other():
    assert k(100, fixed=15) == 15


@pytest.mark.parametrize("fixed", [0, 15])
def test_a_coefficient_has_the_type_of_the_published_one(fixed):
    of_2025 = BOOK.on("fide", "standard", date(2025, 10, 1)).development_coefficient
    found = development_coefficient(
        replace(of_2025, fixed=fixed),
        games_played=pl.lit(0),
        reached_2400=pl.lit(value=False),
        reached_2300=pl.lit(value=False),
        junior=pl.lit(value=False),
    )
    assert pl.select(found).to_series().dtype == GAME.columns["k"].dtype


@pytest.mark.parametrize(("games", "k"), [(17, 40), (18, 38)])
@pytest.mark.parametrize("counted", [pl.Int32, pl.UInt32, pl.Int64])
def test_a_limited_coefficient_has_it_too_however_the_games_were_counted(games, k, counted):
    of_2025 = BOOK.on("fide", "standard", date(2025, 10, 1)).development_coefficient
    found = pl.select(
        limited_coefficient(of_2025, pl.lit(40, dtype=pl.Int32), pl.lit(games, dtype=counted))
    ).to_series()
    assert (found.to_list(), found.dtype) == ([k], GAME.columns["k"].dtype)
