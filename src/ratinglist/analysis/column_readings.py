"""Find the causes of differences in K, in the flag and in the descriptive columns.

Every function takes the rows in which a column differs and returns them with ``cause``, null where none is found.
"""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from ratinglist.analysis.our_month import OurMonth
from ratinglist.names import folding
from ratinglist.rating.change import limited_coefficient
from ratinglist.rating.rules import DevelopmentCoefficientRules

DESCRIPTIVE_COLUMNS = ("name", "federation", "sex", "title", "women_title")
"""Columns that describe the player and change without a game."""

_OF_K = ("k_junior_until", "k_fixed", "k_inferred")
"""The causes of another rating that give another K on the list too."""


def causes_of_k(
    rows: pl.DataFrame, ours: OurMonth, rules: DevelopmentCoefficientRules, possible: pl.DataFrame
) -> pl.DataFrame:
    """Find the causes of differences in K.

    In: ``fide_id``, ``k``, ``official_k``, ``games``, ``rating_kind``, ``rating_cause``; ``possible``
    (:data:`~ratinglist.analysis.changed_months.ALTERNATIVE`).
    """
    official = pl.col("official_k")
    fits = possible.join(rows.select("fide_id", "official_k", "rating_cause"), on="fide_id").filter(
        pl.col("k") == official
    )
    of_k = fits.filter(pl.col("cause").is_in(_OF_K))
    of_k = of_k.group_by("fide_id").agg(pl.col("cause").first().alias("of_k"))
    following = fits.filter(pl.col("cause") == pl.col("rating_cause"), ~pl.col("cause").is_in(_OF_K))["fide_id"]
    before = ours.before.select("fide_id", pl.col("k").alias("k_before"))
    limit = replace(rules, period_limit=rules.period_limit or 700)
    # Of games that no report of ours has, no month can be calculated.
    is_possible = official.is_in(sorted({rules.new, rules.normal, rules.master, rules.junior}))
    follows = pl.col("fide_id").is_in(following.unique().implode()) | ((pl.col("rating_kind") == "event") & is_possible)
    return (
        rows.join(of_k, on="fide_id", how="left")
        .join(before, on="fide_id", how="left")
        .with_columns(
            pl.when(follows)
            .then(pl.lit("follows_rating"))
            .when((pl.col("games") > 0) & (official == limited_coefficient(limit, pl.col("k"), pl.col("games"))))
            .then(pl.lit("k_limit"))
            .when(pl.col("of_k") == "k_junior_until")
            .then("of_k")
            .when(official == pl.col("k_before"))
            .then(pl.lit("k_state"))
            .otherwise("of_k")
            .alias("cause")
        )
    )


def causes_of_flag(rows: pl.DataFrame, ours: OurMonth) -> pl.DataFrame:
    """Find the causes of differences in the flag.

    In: ``fide_id``, ``flag``, ``official_flag``, ``games``, ``official_games``, ``rating_cause``.
    """
    family = ours.inputs.rules.of(ours.inputs.family)
    texts = [one.list for one in family if one.time_control == ours.time_control]
    counts = {one.inactive_after_lists for one in texts} | {one.inactive_changed_after_lists for one in texts}
    officially_inactive = pl.col("official_flag").str.contains("i", literal=True)
    state = ours.state.select("fide_id", "last_played")
    joined = rows.join(state, on="fide_id", how="left").join(ours.inferred, on="fide_id", how="left")
    by_other_count = pl.any_horizontal(
        pl.lit(value=False),
        *(
            officially_inactive == (pl.col("last_played") < (ours.inputs.period - (lists - 1)).first_day)
            for lists in sorted(counts - {0})
        ),
    ).fill_null(value=False)
    differs = pl.col("flag").str.contains("i", literal=True) != officially_inactive
    is_inferred = pl.col("inferred").fill_null("").str.contains("last_played", literal=True) & (pl.col("games") == 0)
    return joined.with_columns(
        pl.when(
            differs & pl.col("rating_cause").is_not_null() & (officially_inactive == (pl.col("official_games") == 0))
        )
        .then(pl.lit("follows_rating"))
        .when(differs & by_other_count)
        .then(pl.lit("inactive_after"))
        .when(differs & is_inferred)
        .then(pl.lit("last_game_inferred"))
        .alias("cause")
    )


def causes_of_description(rows: pl.DataFrame, column: str, ours: OurMonth) -> pl.DataFrame:
    """Find the causes of differences in ``column``, one of :data:`DESCRIPTIVE_COLUMNS`.

    In: ``fide_id``, ``column`` and ``official_<column>``.
    """
    official = pl.col(f"official_{column}")
    versions = ours.versions.select("fide_id", pl.col(column).alias(f"official_{column}")).unique()
    joined = rows.join(
        versions.with_columns(pl.lit(value=True).alias("is_version")), on=["fide_id", f"official_{column}"], how="left"
    )
    same = pl.lit(value=False)
    if column == "name":
        same = _comparable(pl.col(column)) == _comparable(official)
    return joined.with_columns(
        pl.when(same)
        .then(pl.lit("transliteration"))
        .when(pl.col("is_version"))
        .then(pl.lit("another_version"))
        .alias("cause")
    )


def _comparable(name: pl.Expr) -> pl.Expr:
    return folding.sorted_words(folding.one_spelling(folding.folded(name)))
