"""The playing strength of a player in a month: talent, age and form, in rating points.

A strength is a function of the seed, the player and the month. Nothing is carried from month to month, so any month
can be computed without the ones before.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import polars as pl

from ratinglist.period import Period
from ratinglist.simulation.keyed_random import roll

WEAKEST_TALENT, STRONGEST = 1300, 2860
_COMMON_RANGE, _RARE_RANGE, _DICE = 300, 1500, 6
_FORM_RANGE = 60
_AGE_EFFECTS = (
    *((0, -1000), (7, -900), (10, -600), (14, -300), (18, -110), (22, -30), (26, 0), (40, 0), (50, -40), (60, -110)),
    *((70, -220), (80, -360), (100, -600)),
)
"""Age in years and its effect on the talent, in rating points: juniors rise, veterans decline."""
ADULT_MONTHS = 26 * 12
"""Age in months from which age no longer reduces a talent."""


def talent(seed: int, number: pl.Expr) -> pl.Expr:
    """Return the strength of the player ``number`` in their best years.

    Few players are strong: only the lowest of six dice counts.
    """
    rare = pl.min_horizontal(roll(seed, f"talent {die}", number, sides=_RARE_RANGE) for die in range(_DICE))
    return (WEAKEST_TALENT + roll(seed, "talent", number, sides=_COMMON_RANGE) + rare).clip(upper_bound=STRONGEST)


def age_months(birth: pl.Expr, period: Period) -> pl.Expr:
    """Return the age in whole months on the first day of ``period``; the day of the month is ignored."""
    born = birth.dt.year().cast(pl.Int64) * 12 + birth.dt.month().cast(pl.Int64) - 1
    return pl.lit(period.index, dtype=pl.Int64) - born


def strength(seed: int, number: pl.Expr, birth: pl.Expr, period: Period) -> pl.Expr:
    """Return the strength of the player ``number``, born on ``birth``, in the month before the list of ``period``.

    The form of a year is drawn once; within a year the form moves evenly to that of the next year.
    """
    year, month = divmod(period.index, 12)
    this, following = (
        roll(seed, "form", number, pl.lit(one, dtype=pl.Int64), sides=2 * _FORM_RANGE + 1) for one in (year, year + 1)
    )
    form = (this * (12 - month) + following * month) // 12 - _FORM_RANGE
    age_effect = pl.lit(_age_effects()).gather(age_months(birth, period).clip(0, len(_age_effects()) - 1))
    return talent(seed, number) + age_effect + form


@cache
def _age_effects() -> pl.Series:
    """Return the effect of age by age in months, interpolated between the years of ``_AGE_EFFECTS``."""
    effects = []
    for (young, at_young), (old, at_old) in pairwise(_AGE_EFFECTS):
        span = (old - young) * 12
        effects += [at_young + (at_old - at_young) * month // span for month in range(span)]
    return pl.Series([*effects, _AGE_EFFECTS[-1][1]], dtype=pl.Int64)
