"""What is known of a player's birth and what is not, and a coefficient that is fixed for everybody."""

from dataclasses import replace
from datetime import date

import polars as pl
import pytest

from ratinglist import resources
from ratinglist.kfactor import development_coefficient, is_junior

BOOK = resources.rule_book()


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


def test_a_fixed_coefficient_is_the_fixed_one_and_no_other():
    rules = replace(BOOK.on("fide", "standard", date(2025, 10, 1)).development_coefficient, fixed=15)
    found = development_coefficient(
        rules,
        games_played=pl.lit(100),
        reached_2400=pl.lit(value=False),
        reached_2300=pl.lit(value=False),
        junior=pl.lit(value=False),
    )
    assert pl.select(found).item() == 15
