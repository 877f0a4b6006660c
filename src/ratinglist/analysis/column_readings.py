"""Why K, the flag or what is said of a player differs: the causes of one column each.

Every function takes the rows in which the column differs and gives them back with ``cause``, null where there is none.
"""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from ratinglist.analysis import name_forms
from ratinglist.analysis.alternatives import other_end_of_junior, state_inferred
from ratinglist.analysis.our_month import OurMonth
from ratinglist.rating.development_coefficient import development_coefficient, is_junior, limited_coefficient
from ratinglist.rating.rules import DevelopmentCoefficientRules, RuleBook, RuleSet

SAID = ("name", "federation", "sex", "title", "women_title")
"""Columns that say who a player is, and change without a game."""


def causes_of_k(rows: pl.DataFrame, ours: OurMonth, rule_set: RuleSet) -> pl.DataFrame:
    """In: ``fide_id``, ``k``, ``official_k``, ``games``, ``official_games``, ``official_rating``, ``rating_cause``."""
    rules = rule_set.development_coefficient
    state = ours.state.select("fide_id", "games_played", "reached_2400", "reached_2300")
    marks = {"before_2400": "reached_2400", "before_2300": "reached_2300"}
    before = ours.before.select("fide_id", pl.col("k").alias("k_before"), **{b: pl.col(a) for b, a in marks.items()})
    births = ours.players.select("fide_id", "birth_date", "birth_year")
    known = rows
    for more in (state, before, births, ours.inferred):
        known = known.join(more, on="fide_id", how="left")
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
    is_fixed = pl.lit(value=rule_set.time_control != "standard")
    official = pl.col("official_k")
    return known.with_columns(
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
        .when(is_fixed & (official == k(other_fixed, played, own)))
        .then(pl.lit("k_fixed"))
        .when(state_inferred() & official.is_in(sorted({rules.new, rules.normal, rules.master, rules.junior})))
        .then(pl.lit("k_inferred"))
        .alias("cause")
    )


def causes_of_flag(rows: pl.DataFrame, ours: OurMonth, book: RuleBook) -> pl.DataFrame:
    """In: ``fide_id``, ``flag``, ``official_flag``, ``games``, ``official_games``, ``rating_cause``."""
    texts = [one.list for one in book.of(ours.family) if one.time_control == ours.time_control]
    counts = {one.inactive_after_lists for one in texts} | {one.inactive_changed_after_lists for one in texts}
    told_inactive = pl.col("official_flag").str.contains("i", literal=True)
    state = ours.state.select("fide_id", "last_played")
    known = rows.join(state, on="fide_id", how="left").join(ours.inferred, on="fide_id", how="left")
    by_other_count = pl.any_horizontal(
        pl.lit(value=False),
        *(
            told_inactive == (pl.col("last_played") < (ours.period - (lists - 1)).first_day)
            for lists in sorted(counts - {0})
        ),
    ).fill_null(value=False)
    differs = pl.col("flag").str.contains("i", literal=True) != told_inactive
    guessed = pl.col("inferred").fill_null("").str.contains("last_played", literal=True) & (pl.col("games") == 0)
    return known.with_columns(
        pl.when(differs & pl.col("rating_cause").is_not_null() & (told_inactive == (pl.col("official_games") == 0)))
        .then(pl.lit("follows_rating"))
        .when(differs & by_other_count)
        .then(pl.lit("inactive_after"))
        .when(differs & guessed)
        .then(pl.lit("last_game_inferred"))
        .alias("cause")
    )


def causes_of_what_is_said(rows: pl.DataFrame, column: str, ours: OurMonth) -> pl.DataFrame:
    """In: ``fide_id``, ``column`` and ``official_<column>``, of one of :data:`SAID`."""
    official = pl.col(f"official_{column}")
    once = ours.versions.select("fide_id", pl.col(column).alias(f"official_{column}")).unique()
    known = rows.join(
        once.with_columns(pl.lit(value=True).alias("once")), on=["fide_id", f"official_{column}"], how="left"
    )
    same = pl.lit(value=False)
    if column == "name":
        same = _spoken(pl.col(column)) == _spoken(official)
    return known.with_columns(
        pl.when(same)
        .then(pl.lit("transliteration"))
        .when(pl.col("once"))
        .then(pl.lit("another_version"))
        .alias("cause")
    )


def _spoken(name: pl.Expr) -> pl.Expr:
    return name_forms.words(name_forms.sounded(name_forms.folded(name)))
