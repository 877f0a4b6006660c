"""Compute what the page of a month shows: movers, first ratings, removals, events, distribution, the pool's health."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from ratinglist.publication.list_section import mean_hundredths
from ratinglist.publication.report_figures import rating_bands

Rows = list[dict[str, Any]]

MOVERS = 20
SHOWN = 100
_TOP = 100


@dataclass(frozen=True, slots=True)
class Health:
    """Figures of one list. Means are in hundredths; None where there is no player to take a mean of.

    ``same``: mean change of the players with rated games; ``points``: the sum of their changes. Both are changes from
    games, so a one-time step of the whole list is not in them.
    """

    players: int
    active: int
    mean: int | None
    top: int | None
    same: int | None = None
    points: int | None = None
    entered: int = 0
    entered_mean: int | None = None
    removed: int = 0
    removed_mean: int | None = None
    by_k: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class ControlFacts:
    """What the page shows of one time control. Rows are JSON-able; ``bands``: first rating, now, before."""

    control: str
    up: Rows
    down: Rows
    entered: Rows
    entered_count: int
    removed: Rows
    removed_count: int
    bands: list[tuple[int, int, int]]
    now: Health
    before: Health | None


@dataclass(frozen=True, slots=True)
class EventFacts:
    """The events of a month.

    ``refused``: those not rated, each with status and reason; ``reasons``: how many results are not rated, by reason.
    """

    rated: Rows
    rated_count: int
    refused: Rows
    refused_count: int
    reasons: Rows


def control_facts(
    control: str, now: pl.DataFrame, before: pl.DataFrame | None, changes: pl.DataFrame, names: pl.DataFrame
) -> ControlFacts:
    """Return what the page shows of a time control.

    In: ``LISTED`` of the list and of the list before (None: not published), ``CHANGE`` of the time control, ``names``
    with ``fide_id``, ``name``, ``federation``.
    """
    named = changes.join(names, on="fide_id", how="left", maintain_order="left")
    moved = named.filter((pl.col("status") != "entered") & (pl.col("games") > 0))
    entered = named.filter(pl.col("status") == "entered").sort("new_rating", "fide_id", descending=[True, False])
    removed = named.filter(pl.col("status") == "delisted").sort("old_rating", "fide_id", descending=[True, False])
    shown = ("fide_id", "name", "federation", "old_rating", "games", "k", "change", "new_rating")
    return ControlFacts(
        control=control,
        up=_most(moved.filter(pl.col("change") > 0), shown, falls=True),
        down=_most(moved.filter(pl.col("change") < 0), shown, falls=False),
        entered=entered.select(shown).head(SHOWN).to_dicts(),
        entered_count=entered.height,
        removed=removed.select(shown).head(SHOWN).to_dicts(),
        removed_count=removed.height,
        bands=rating_bands(now["rating"], (now.clear() if before is None else before)["rating"]),
        now=_health(now, moved, entered, removed),
        before=None if before is None else _health(before),
    )


def event_facts(events: pl.DataFrame, games: pl.DataFrame, reasons: Mapping[str, tuple[str, str, str]]) -> EventFacts:
    """Return the events of a month. In: ``EVENT``, ``GAME``, the texts of the reasons of games."""
    columns = ("event_id", "name", "federation", "time_control", "start_date", "end_date", "players", "games")
    is_rated = pl.col("status") == "rated"
    rated = events.filter(is_rated).sort("start_date", "event_id", nulls_last=True)
    refused = events.filter(~is_rated).sort("status", "reason", "event_id", nulls_last=True)
    unrated = (
        games.filter(~pl.col("rated") & pl.col("reason").is_in(list(reasons)))
        .group_by("reason")
        .agg(pl.len().alias("results"))
        .sort("results", "reason", descending=[True, False])
    )
    return EventFacts(
        rated=rated.select(columns).head(SHOWN).to_dicts(),
        rated_count=rated.height,
        refused=refused.select(*columns, "status", "reason").head(SHOWN).to_dicts(),
        refused_count=refused.height,
        reasons=unrated.to_dicts(),
    )


def _most(moved: pl.DataFrame, shown: tuple[str, ...], *, falls: bool) -> Rows:
    return moved.sort("change", "fide_id", descending=[falls, False]).select(shown).head(MOVERS).to_dicts()


def _health(
    rows: pl.DataFrame,
    moved: pl.DataFrame | None = None,
    entered: pl.DataFrame | None = None,
    removed: pl.DataFrame | None = None,
) -> Health:
    inactive = rows["flag"].fill_null("").str.contains("i", literal=True).sum()
    by_k = rows.drop_nulls("k").group_by("k").agg(pl.len().alias("players")).sort("k", descending=True)
    return Health(
        players=rows.height,
        active=rows.height - int(inactive),
        mean=mean_hundredths(rows["rating"]),
        top=mean_hundredths(rows["rating"].top_k(min(_TOP, rows.height))),
        same=None if moved is None else mean_hundredths(moved["change"]),
        points=None if moved is None else int(moved["change"].sum()),
        entered=0 if entered is None else entered.height,
        entered_mean=None if entered is None else mean_hundredths(entered["new_rating"]),
        removed=0 if removed is None else removed.height,
        removed_mean=None if removed is None else mean_hundredths(removed["old_rating"]),
        by_k=tuple((int(k), int(players)) for k, players in by_k.iter_rows()),
    )
