"""How strong a player is in a month: talent, age and form. Strength is what he is worth over the board.

A strength is looked up, not carried from month to month, so that any month can be written without the ones before.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import polars as pl

from ratinglist.period import Period
from ratinglist.simulation.keyed_random import roll

WEAKEST_TALENT, STRONGEST = 1300, 2860
_COMMON, _RARE, _DICE = 300, 1500, 6
_FORM = 60
_YEARS = (
    *((0, -1000), (7, -900), (10, -600), (14, -300), (18, -110), (22, -30), (26, 0), (40, 0), (50, -40), (60, -110)),
    *((70, -220), (80, -360), (100, -600)),
)
"""Age and what it takes away from a talent: juniors rise, veterans decline."""
GROWN_UP = 26 * 12
"""Age in months from which a talent is all there."""


def talent(seed: int, number: pl.Expr) -> pl.Expr:
    """The strength of the player ``number`` in his best years; few are strong, for the lowest of six dice counts."""
    rare = pl.min_horizontal(roll(seed, f"talent {die}", number, sides=_RARE) for die in range(_DICE))
    return (WEAKEST_TALENT + roll(seed, "talent", number, sides=_COMMON) + rare).clip(upper_bound=STRONGEST)


def age_months(birth: pl.Expr, period: Period) -> pl.Expr:
    """Age in whole months on the first day of ``period``, give or take the day of the month."""
    born = birth.dt.year().cast(pl.Int64) * 12 + birth.dt.month().cast(pl.Int64) - 1
    return pl.lit(period.index, dtype=pl.Int64) - born


def strength(seed: int, number: pl.Expr, birth: pl.Expr, period: Period) -> pl.Expr:
    """The strength of the player ``number``, born on ``birth``, during the month before the list of ``period``."""
    year, month = divmod(period.index, 12)
    this, following = (
        roll(seed, "form", number, pl.lit(one, dtype=pl.Int64), sides=2 * _FORM + 1) for one in (year, year + 1)
    )
    form = (this * (12 - month) + following * month) // 12 - _FORM
    taken = pl.lit(_by_age()).gather(age_months(birth, period).clip(0, len(_by_age()) - 1))
    return talent(seed, number) + taken + form


@cache
def _by_age() -> pl.Series:
    """What age takes away, by age in months."""
    found = []
    for (young, at_young), (old, at_old) in pairwise(_YEARS):
        span = (old - young) * 12
        found += [at_young + (at_old - at_young) * month // span for month in range(span)]
    return pl.Series([*found, _YEARS[-1][1]], dtype=pl.Int64)
