"""Describe an unrated player's results: those that count, the first rating they give, and until when others wait."""

from __future__ import annotations

from typing import Any

import polars as pl

from ratinglist.analysis.explain.sources import Sources, of_time_control
from ratinglist.period import Period
from ratinglist.rating.rules import RuleSet
from ratinglist.reasons import ENTRY_REASONS
from ratinglist.schemas import POOL


def entry_account(
    entry: dict[str, Any], sources: Sources, time_control: str, rule_set: RuleSet | None
) -> dict[str, Any]:
    """Return the calculation of a first rating; ``entry`` is a row of ``ENTRY``.

    Out: JSON values; ``opponent_average_hundredths`` is Ra. ``tranches`` are the results counted, one per event.
    ``is_whole`` is false where results are missing: the earlier ones are in the list before, which this home need not
    have published.
    """
    tranches = _tranches(sources, time_control)
    reason = ENTRY_REASONS.get(entry["reason"] or "")
    average = entry["opponent_average"]
    return {
        **{name: entry[name] for name in ("games", "score_halves", "p_hundredths", "dp", "computed_rating")},
        "opponent_average_hundredths": None if average is None else int(average * 100),
        "published": entry["published"],
        "reason": None
        if reason is None
        else {"code": entry["reason"], "says": reason.sentence, "article": reason.article},
        "tranches": waiting_results(tranches, sources.events),
        "is_whole": entry["games"] is not None and tranches["games"].sum() == entry["games"],
        "rules": None
        if rule_set is None
        else {
            key: {"value": rule_set.values()[f"entry.{key}"], "article": rule_set.articles[f"entry.{key}"]}
            for key in ("method", "performance_table", "min_games", "maximum", "window_lists", "zero_first_event")
        },
    }


def waiting_results(pool: pl.DataFrame, events: pl.DataFrame) -> list[dict[str, Any]]:
    """Return the results of an unrated player, one entry per event: the rows of ``POOL`` with the event's name.

    ``last_month`` is the last list that counts the result.
    """
    named = pool.join(events.select("event_id", "name"), on="event_id", how="left", maintain_order="left").sort(
        "counted_month", "event_id", nulls_last=True
    )
    return [
        {
            **{name: row[name] for name in ("event_id", "name", "games", "score_halves", "opponent_rating_sum")},
            "counted_month": row["counted_month"],
            # Empty in a system whose results do not expire, null where the office leaves it out.
            "last_month": str(Period.parse(row["expires_month"]) - 1) if row["expires_month"] else None,
        }
        for row in named.iter_rows(named=True)
    ]


def _tranches(sources: Sources, time_control: str) -> pl.DataFrame:
    """Return all results that the entry counts (``POOL``).

    A player who does not enter has them in the pool of the list. A player who enters has left that pool: the earlier
    results are in the pool of the list before, those of the month in the games.
    """
    waiting = of_time_control(sources.pool, time_control)
    if not waiting.is_empty():
        return waiting
    month = str(sources.period)
    earlier = of_time_control(sources.earlier_pool, time_control).filter(pl.col("expires_month") > month)
    of_month = (
        of_time_control(sources.games, time_control)
        .filter(pl.col("reason") == "counts_for_entry")
        .group_by("time_control", "fide_id", "event_id")
        .agg(
            pl.len().alias("games"),
            pl.col("score_halves").sum(),
            pl.col("opponent_rating").sum().alias("opponent_rating_sum"),
        )
        .with_columns(pl.lit(month).alias("counted_month"), pl.lit(None).alias("expires_month"))
    )
    return pl.concat([earlier, POOL.conform(of_month)])
