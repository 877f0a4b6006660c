"""Find the causes of differences in K, in the flag and in the descriptive columns.

Every function takes the rows in which a column differs and returns them with ``cause``, null where none is found.
"""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from ratinglist.analysis import name_forms
from ratinglist.analysis.alternatives import is_state_inferred, other_end_of_junior
from ratinglist.analysis.our_month import OurMonth
from ratinglist.rating.change import development_coefficient, is_junior, limited_coefficient
from ratinglist.rating.rules import DevelopmentCoefficientRules, RuleBook, RuleSet

DESCRIPTIVE_COLUMNS = ("name", "federation", "sex", "title", "women_title")
"""Columns that describe the player and change without a game."""


def causes_of_k(rows: pl.DataFrame, ours: OurMonth, rule_set: RuleSet) -> pl.DataFrame:
    """Find the causes of differences in K.

    In: ``fide_id``, ``k``, ``official_k``, ``games``, ``official_games``, ``official_rating``, ``rating_cause``.
    """
    rules = rule_set.development_coefficient
    state = ours.state.select("fide_id", "games_played", "reached_2400", "reached_2300")
    marks = {"before_2400": "reached_2400", "before_2300": "reached_2300"}
    before = ours.before.select("fide_id", pl.col("k").alias("k_before"), **{b: pl.col(a) for b, a in marks.items()})
    births = ours.players.select("fide_id", "birth_date", "birth_year")
    joined = rows
    for more in (state, before, births, ours.inferred):
        joined = joined.join(more, on="fide_id", how="left")
    first_day = pl.lit(ours.period.first_day)

    def k(text: DevelopmentCoefficientRules, games: pl.Expr, rating: pl.Expr, when: str = "reached") -> pl.Expr:
        reached = [
            pl.col(f"{when}_{mark}").fill_null(value=False) | (rating >= least)
            for mark, least in (("2400", text.master_from), ("2300", text.junior_below))
        ]
        birth = {"birth_date": pl.col("birth_date"), "birth_year": pl.col("birth_year")}
        return development_coefficient(
            text,
            games_played=games,
            reached_2400=reached[0],
            reached_2300=reached[1],
            junior=is_junior(text, judged_on=first_day, **birth),
        )

    played, own = pl.col("games_played").fill_null(0), pl.col("rating")
    theirs = played + pl.col("official_games").fill_null(pl.col("games")) - pl.col("games")
    other_junior = other_end_of_junior(rules)
    other_fixed = replace(rules, fixed=0 if rules.fixed else 20)
    limit = replace(rules, period_limit=rules.period_limit or 700)
    is_rapid_or_blitz = pl.lit(value=rule_set.time_control != "standard")
    official = pl.col("official_k")
    return joined.with_columns(
        pl.when(
            pl.col("rating_cause").is_not_null() & (official == k(rules, theirs, pl.col("official_rating"), "before"))
        )
        .then(pl.lit("follows_rating"))
        .when((pl.col("games") > 0) & (official == limited_coefficient(limit, pl.col("k"), pl.col("games"))))
        .then(pl.lit("k_limit"))
        .when(official == k(other_junior, played, own))
        .then(pl.lit("k_junior_until"))
        .when(official == pl.col("k_before"))
        .then(pl.lit("k_state"))
        .when(is_rapid_or_blitz & (official == k(other_fixed, played, own)))
        .then(pl.lit("k_fixed"))
        .when(is_state_inferred() & official.is_in(sorted({rules.new, rules.normal, rules.master, rules.junior})))
        .then(pl.lit("k_inferred"))
        .alias("cause")
    )


def causes_of_flag(rows: pl.DataFrame, ours: OurMonth, book: RuleBook) -> pl.DataFrame:
    """Find the causes of differences in the flag.

    In: ``fide_id``, ``flag``, ``official_flag``, ``games``, ``official_games``, ``rating_cause``.
    """
    texts = [one.list for one in book.of(ours.family) if one.time_control == ours.time_control]
    counts = {one.inactive_after_lists for one in texts} | {one.inactive_changed_after_lists for one in texts}
    officially_inactive = pl.col("official_flag").str.contains("i", literal=True)
    state = ours.state.select("fide_id", "last_played")
    joined = rows.join(state, on="fide_id", how="left").join(ours.inferred, on="fide_id", how="left")
    by_other_count = pl.any_horizontal(
        pl.lit(value=False),
        *(
            officially_inactive == (pl.col("last_played") < (ours.period - (lists - 1)).first_day)
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
    return name_forms.sorted_words(name_forms.one_spelling(name_forms.folded(name)))
