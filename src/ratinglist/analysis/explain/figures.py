"""Calculate the figures of other systems than FIDE's, for all players of a list, from what the list publishes.

An account prints those of one player. Before a list is published, those of all players are compared with it
(:func:`differing`). No formula is stated here a second time: the functions are those that calculate a list.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from ratinglist.analysis.explain.glicko import Deviations, games_with_terms, learning
from ratinglist.errors import CheckError
from ratinglist.rating.change import change_hundredths, rounded
from ratinglist.rating.expected import expected_units
from ratinglist.rating.rules import SystemRuleSet
from ratinglist.rating.system_rules import ClubRules, FfeRules, Fsi1998Rules, FsiRules, GlickoRules, UscfRules
from ratinglist.rating.systems import club, ffe, fsi_1998, glicko, uscf
from ratinglist.rating.systems.categories import best_promotions, event_performance, promotion_step
from ratinglist.rating.systems.month import change_thousandths, half_up, linear_performance, plus_thousandths

_DUE = "due_"


@dataclass(frozen=True, slots=True)
class Calculated:
    """What a list of another system is calculated from, as it is published.

    ``changes``: ``SYSTEM_CHANGE``. ``games``: ``SYSTEM_GAME`` of these players, with ``start_date`` and ``end_date`` of
    the event; ``reason`` is empty where a game counts. ``listed_events``: the events with a counted game of a listed
    player; None: not known. ``deviations``: those of the list before. ``tables``: expected scores by name.
    """

    changes: pl.DataFrame
    games: pl.DataFrame
    listed_events: frozenset[str] | None = None
    deviations: Deviations = field(default_factory=Deviations)
    tables: Mapping[str, pl.Series] = field(default_factory=dict)

    @property
    def counted(self) -> pl.DataFrame:
        """Return the games that change a rating."""
        return self.games.filter(pl.col("reason") == "").with_row_index("row")


def figures_of(calculated: Calculated, rule_set: SystemRuleSet) -> pl.DataFrame:
    """Return the operands and results of the system for every player of the changes or with a counted game.

    A column ``due_<name>`` is what the column ``<name>`` of the changes has to be; null where it may be anything.
    """
    return _FIGURES[rule_set.system](calculated, rule_set.own)


def differing(calculated: Calculated, rule_set: SystemRuleSet) -> pl.DataFrame:
    """Return the figures of players and games that do not follow from the others.

    Out: ``fide_id``, ``event_id`` and ``round`` (null where the figure is one of the player's change), ``figure``,
    ``published``, ``due``. Raises :class:`CheckError` for a system whose figures cannot be compared.
    """
    if rule_set.system not in _FIGURES:
        raise CheckError(
            f"The program has no check of the figures of the system '{rule_set.system}', so no list of it is published."
        )
    figures = figures_of(calculated, rule_set)
    due = [name for name in figures.columns if name.startswith(_DUE)]
    own = figures.select("fide_id", *due, event_id=pl.lit(None, pl.String), round=pl.lit(None, pl.Int32)).join(
        calculated.changes, on="fide_id", how="left"
    )
    games = calculated.counted.join(figures, on="fide_id", how="left", suffix="_of_player")
    if isinstance(rule_set.own, GlickoRules):
        listed = ("listed_rating", "listed_deviation", "opponent_listed_rating", "opponent_listed_deviation")
        terms = games_with_terms(calculated.counted, calculated.deviations, rule_set.own)
        games = games.join(terms.select("row", "expected", "weight", *listed), on="row", how="left")
    compared = [(own, name.removeprefix(_DUE), pl.col(name)) for name in due]
    compared += [(games, name, value) for name, value in _GAMES[rule_set.system](calculated, rule_set.own).items()]
    return pl.concat(
        rows.filter(value.is_not_null(), pl.col(name).ne_missing(value)).select(
            "fide_id",
            "event_id",
            "round",
            pl.lit(name).alias("figure"),
            pl.col(name).cast(pl.Int64).alias("published"),
            value.cast(pl.Int64).alias("due"),
        )
        for rows, name, value in compared
    ).sort("fide_id", "event_id", "round", "figure")


def _of_players(calculated: Calculated, *sums: pl.Expr) -> pl.DataFrame:
    """Return the changes with ``due_games`` and other sums of the counted games; null without a change or a game."""
    games = calculated.counted.group_by("fide_id").agg(pl.len().cast(pl.Int64).alias("due_games"), *sums)
    wide = calculated.changes.with_columns(pl.col(pl.Int32).cast(pl.Int64))
    return wide.join(games, on="fide_id", how="full", coalesce=True).with_columns(pl.col("due_games").fill_null(0))


def _expected(calculated: Calculated, table: str, whole: int) -> pl.Expr:
    """Return the expected score of the difference used; null where the tables are not at hand."""
    found = calculated.tables.get(table)
    return pl.lit(None, pl.Int64) if found is None else expected_units(pl.col("difference_used"), found, whole)


_CHANGE = {
    "hundredths": change_hundredths(pl.col("k"), pl.col("score_halves"), pl.col("expected_hundredths")),
    "thousandths": change_thousandths(pl.col("k"), pl.col("score_halves"), pl.col("expected_thousandths")),
}


def _fsi(calculated: Calculated, rules: FsiRules) -> pl.DataFrame:
    exact = pl.col("change_hundredths")
    events = (
        calculated.counted.group_by("fide_id", "event_id")
        .agg(pl.col("start_date", "end_date").first(), exact.sum())
        .sort("fide_id", "start_date", "end_date", "event_id", nulls_last=True)
        .group_by("fide_id", maintain_order=True)
        .agg(rounded(exact).alias("events"), exact.sum().alias("due_change_hundredths"))
        .with_columns(pl.col("events").list.sum().alias("total"))
    )
    stays = pl.col("status") != "lapsed"
    return (
        _of_players(calculated)
        .join(events, on="fide_id", how="left")
        .with_columns(
            pl.col("due_change_hundredths", "total").fill_null(0),
            pl.col("old_rating").fill_null(rules.entry.rating).alias("counted_as"),
        )
        .select(
            *("fide_id", "counted_as", "events", "due_games", "due_change_hundredths"),
            pl.when(stays).then("total").alias("due_change"),
            pl.when(stays).then(pl.col("counted_as") + pl.col("total")).alias("due_new_rating"),
        )
    )


def _fsi_games(calculated: Calculated, rules: FsiRules) -> dict[str, pl.Expr]:
    return {
        "k": pl.lit(rules.development_coefficient.k),
        "expected_hundredths": _expected(calculated, rules.expected_score.table, 100),
        "change_hundredths": _CHANGE["hundredths"],
    }


def _club(calculated: Calculated, rules: ClubRules) -> pl.DataFrame:
    minima = list(club.minima(rules.title_minimum).values())
    counted_as = pl.coalesce("old_rating", pl.col("new_rating") - pl.col("change"))
    is_entry = (pl.col("counted_as") == rules.entry.rating) | pl.col("counted_as").is_in(minima)
    return (
        _of_players(calculated, pl.col("change_thousandths").sum().alias("due_change_thousandths"))
        .with_columns(counted_as.alias("counted_as"), pl.col("due_change_thousandths").fill_null(0))
        .with_columns(
            (1000 * pl.col("counted_as") + pl.col("change_thousandths")).alias("exact_thousandths"),
            plus_thousandths(pl.col("counted_as"), pl.col("change_thousandths")).alias("by_games"),
        )
        .with_columns(pl.when(pl.col("new_rating") > pl.col("by_games")).then("new_rating").alias("raised_to"))
        .select(
            *("fide_id", "counted_as", "games_before", "exact_thousandths", "by_games", "raised_to"),
            *("due_games", "due_change_thousandths"),
            pl.when(pl.col("raised_to").is_in(minima)).then("raised_to").otherwise("by_games").alias("due_new_rating"),
            # An unlisted player begins at the entry rating or at the minimum of a title.
            pl.when(pl.col("old_rating").is_null() & ~is_entry)
            .then(pl.col("new_rating") - rules.entry.rating)
            .alias("due_change"),
        )
    )


def _club_games(calculated: Calculated, rules: ClubRules) -> dict[str, pl.Expr]:
    return {
        "k": club.coefficient(rules.development_coefficient, pl.col("games_before"), pl.col("counted_as")),
        "expected_thousandths": _expected(calculated, rules.expected_score.table, 1000),
        "change_thousandths": _CHANGE["thousandths"],
    }


def _uscf(calculated: Calculated, rules: UscfRules) -> pl.DataFrame:
    is_averaged = pl.col("k").is_null()
    worth = linear_performance(pl.col("opponent_rating"), pl.col("score_halves"), rules.provisional.points)
    exact = pl.col("change_thousandths")
    left = uscf.games_left(pl.col("old_rating"), pl.col("games_before"), rules)
    first = pl.min_horizontal(left, "due_games")
    return (
        _of_players(
            calculated,
            worth.filter(is_averaged).sum().cast(pl.Int64).alias("worth"),
            exact.sum().alias("others"),
            (~is_averaged).sum().cast(pl.Int64).alias("established_games"),
        )
        .with_columns(
            uscf.average(
                pl.col("old_rating"),
                pl.col("games_before"),
                pl.col("performance_games").fill_null(0),
                pl.col("performance_sum").fill_null(0),
            ).alias("average")
        )
        .select(
            *("fide_id", "games_before", "performance_games", "performance_sum", "average", "established_games"),
            (1000 * pl.col("average") + exact).alias("exact_thousandths"),
            "due_games",
            pl.when(first > 0).then(first).alias("due_performance_games"),
            pl.when(first > 0).then("worth").alias("due_performance_sum"),
            pl.when(pl.col("established_games") > 0).then("others").alias("due_change_thousandths"),
            plus_thousandths(pl.col("average"), exact.fill_null(0)).alias("due_new_rating"),
        )
    )


def _uscf_games(calculated: Calculated, rules: UscfRules) -> dict[str, pl.Expr]:
    figures = {
        "difference_used": pl.col("average") - pl.col("opponent_rating"),
        "k": uscf.coefficient(rules, pl.col("average")),
        "expected_thousandths": _expected(calculated, rules.expected_score.table, 1000),
        "change_thousandths": _CHANGE["thousandths"],
    }
    return {name: pl.when(pl.col("k").is_not_null()).then(value) for name, value in figures.items()}


def _ffe(calculated: Calculated, rules: FfeRules) -> pl.DataFrame:
    worth = linear_performance(pl.col("opponent_rating"), pl.col("score_halves"), rules.update.points)
    n, x, old = pl.col("performance_games"), pl.col("performance_sum"), pl.col("old_rating")
    quotient = dict(zip(("case", "numerator", "denominator"), ffe.quotient(n, x, old, rules), strict=True))
    has_entered = pl.col("status") == "entered"
    is_updated = pl.when(~has_entered & n.is_not_null() & x.is_not_null() & old.is_not_null())
    return _of_players(calculated, worth.sum().cast(pl.Int64).alias("worth")).select(
        *("fide_id", "games", "performance_games", "performance_sum"),
        *(is_updated.then(value).alias(name) for name, value in quotient.items()),
        # All games of a player who enters have waited.
        pl.when(has_entered)
        .then(pl.max_horizontal("games", rules.entry.min_games))
        .otherwise("due_games")
        .alias("due_games"),
        pl.when(has_entered).then("games").otherwise("due_games").alias("due_performance_games"),
        pl.when(~has_entered).then("worth").alias("due_performance_sum"),
        pl.when(~has_entered).then(half_up(quotient["numerator"], quotient["denominator"])).alias("due_new_rating"),
    )


def _ffe_games(calculated: Calculated, rules: FfeRules) -> dict[str, pl.Expr]:
    del calculated
    # A game counts between players of near strength only.
    is_far = (pl.col("rating") - pl.col("opponent_rating")).abs() > rules.update.compatible
    return {"opponent_rating": pl.when(is_far).then(pl.col("rating"))}


def _fsi_1998(calculated: Calculated, rules: Fsi1998Rules) -> pl.DataFrame:
    key = ("fide_id", "event_id")
    every = rules.change.refresh_every
    place = pl.int_range(pl.len()).over("fide_id")
    used = fsi_1998.expected_used(pl.col("expected_hundredths"), rules)
    events = (
        calculated.counted.filter(pl.col("k").is_not_null(), pl.col("expected_hundredths").is_not_null())
        .group_by(key)
        .agg(
            pl.col("start_date", "end_date", "rating", "k").first(),
            pl.col("score_halves", "expected_hundredths").cast(pl.Int64).sum(),
        )
        .sort("fide_id", "end_date", "start_date", "event_id")
        .with_columns(used.alias("expected_used"), (place // every if every else pl.lit(0)).alias("block"))
        .with_columns(
            change_hundredths(pl.col("k"), pl.col("score_halves"), pl.col("expected_used")).alias("change_hundredths")
        )
    )
    blocks = (
        events.group_by("fide_id", "block", maintain_order=True)
        .agg(pl.col("rating").first(), pl.col("change_hundredths").sum())
        .with_columns(fsi_1998.after_events(pl.col("rating"), pl.col("change_hundredths")).alias("after"))
        .with_columns(pl.col("after").shift(1).over("fide_id").alias("in_use"))
    )
    shown = ("event_id", "rating", "k", "score_halves", "expected_hundredths", "expected_used", "change_hundredths")
    of_events = events.group_by("fide_id", maintain_order=True).agg(
        pl.struct(shown).alias("events"), pl.col("change_hundredths").sum().alias("due_change_hundredths")
    )
    of_blocks = blocks.group_by("fide_id", maintain_order=True).agg(
        pl.col("after").last(),
        pl.col("rating").first().alias("due_old_rating"),
        # Each block begins with the rating after the one before.
        (pl.col("in_use").is_null() | (pl.col("in_use") == pl.col("rating"))).all().alias("goes_on"),
    )
    promotions = _promotions(calculated, rules)
    by_games, old, promoted = pl.col("by_games"), pl.col("old_rating"), pl.col("promoted_to")
    found = (
        _of_players(calculated)
        .join(of_events, on="fide_id", how="left")
        .join(of_blocks, on="fide_id", how="left")
        .join(promotions, on="fide_id", how="full", coalesce=True)
        .with_columns(pl.when(old.is_not_null()).then(pl.coalesce("after", "old_rating")).alias("by_games"))
    )
    is_promoted = pl.col("new_rating").is_not_null() & (by_games.is_null() | (pl.col("new_rating") > by_games))
    may_be_promoted = is_promoted & (pl.col("step") == 2)
    return found.select(
        *("fide_id", "by_games", "events"),
        pl.when(is_promoted).then("new_rating").alias("promoted_to"),
        pl.when(is_promoted & (calculated.listed_events is not None)).then("promotions").alias("promotions"),
        pl.when(old.is_null()).then("games").otherwise("due_games").alias("due_games"),
        "due_old_rating",
        pl.when(old.is_not_null()).then(pl.col("due_change_hundredths").fill_null(0)).alias("due_change_hundredths"),
        # A listed player is promoted from category 3N only, which these tables do not have.
        pl.when(old.is_null())
        .then(promoted if calculated.listed_events is not None else "new_rating")
        .when(may_be_promoted)
        .then(promoted)
        .when(~pl.col("goes_on").fill_null(value=True))
        .then(pl.lit(0))
        .otherwise(by_games)
        .alias("due_new_rating"),
    )


def _promotions(calculated: Calculated, rules: Fsi1998Rules) -> pl.DataFrame:
    """Return the best promotion of every player: ``step``, ``promoted_to`` and the events that give it."""
    judged = calculated.games.filter(pl.col("reason").is_in(["", "counts_for_promotion"]))
    listed = list(calculated.listed_events or ())
    games = (
        judged.group_by("fide_id", "event_id")
        .agg(
            pl.len().cast(pl.Int64).alias("games"),
            pl.col("score_halves").cast(pl.Int64).sum(),
            pl.col("opponent_rating").cast(pl.Int64).sum().alias("opponent_sum"),
            pl.col("opponent_rating").null_count().alias("unknown"),
            pl.col("rating").first().is_not_null().alias("is_listed"),
            pl.col("start_date", "end_date").first(),
        )
        .filter(pl.col("games") >= rules.entry.min_games, pl.col("unknown") == 0)
        .with_columns((~pl.col("event_id").is_in(listed)).alias("is_unlisted_event"))
        .with_columns(promotion_step(rules.entry).alias("step"), event_performance().alias("performance_sum"))
        .filter(pl.col("step") > 0, pl.col("step") == pl.col("step").max().over("fide_id"))
        .sort("fide_id", "start_date", "end_date", "event_id", nulls_last=True)
    )
    shown = ("event_id", "games", "score_halves", "opponent_sum", "performance_sum", "is_unlisted_event")
    best = games.group_by("fide_id", maintain_order=True).agg(
        pl.col("step").first(), pl.struct(shown).alias("promotions")
    )
    return best.join(best_promotions(best.select("fide_id", "step"), rules.entry), on="fide_id").drop("promotion")


def _fsi_1998_games(calculated: Calculated, rules: Fsi1998Rules) -> dict[str, pl.Expr]:
    cap = rules.expected_score.cap
    return {
        "difference_used": (pl.col("rating") - pl.col("opponent_rating")).clip(-cap, cap),
        "k": fsi_1998.coefficient(rules.development_coefficient, pl.col("rating")),
        "expected_hundredths": _expected(calculated, rules.expected_score.table, 100),
        "change_hundredths": _CHANGE["hundredths"],
    }


def _glicko(calculated: Calculated, rules: GlickoRules) -> pl.DataFrame:
    found = learning(calculated.counted, calculated.deviations, rules)
    rating = pl.col("due_rating_hundredths")
    return (
        _of_players(
            calculated,
            pl.col("rating_hundredths").first().alias("rating_before"),
            pl.col("deviation_hundredths").first().alias("deviation_grown"),
            pl.col("score_halves").cast(pl.Int64).sum(),
            pl.col("expected_thousandths").cast(pl.Int64).sum(),
        )
        .rename({"rating_hundredths": "rating_after", "deviation_hundredths": "deviation_after"})
        .join(found, on="fide_id", how="left")
        .with_columns(((rating + 50) // 100).alias("due_new_rating"))
    )


def _glicko_games(calculated: Calculated, rules: GlickoRules) -> dict[str, pl.Expr]:
    del calculated
    has_weights = rules.expected_score.weights != "equal"
    return {
        "rating_hundredths": pl.col("listed_rating"),
        "deviation_hundredths": pl.col("listed_deviation"),
        "opponent_rating_hundredths": pl.col("opponent_listed_rating"),
        "opponent_deviation_hundredths": pl.col("opponent_listed_deviation"),
        "expected_thousandths": glicko.half_up_thousandths(pl.col("expected")),
        **({"weight_thousandths": glicko.half_up_thousandths(pl.col("weight"))} if has_weights else {}),
    }


_FIGURES: dict[str, Callable[[Calculated, Any], pl.DataFrame]] = {
    "fsi": _fsi,
    "club": _club,
    "uscf": _uscf,
    "ffe": _ffe,
    "fsi-1998": _fsi_1998,
    "glicko": _glicko,
}
"""The figures of every player, by system."""

_GAMES: dict[str, Callable[[Calculated, Any], dict[str, pl.Expr]]] = {
    "fsi": _fsi_games,
    "club": _club_games,
    "uscf": _uscf_games,
    "ffe": _ffe_games,
    "fsi-1998": _fsi_1998_games,
    "glicko": _glicko_games,
}
"""What the columns of a counted game have to be, by system: from its other columns and the player's figures."""
