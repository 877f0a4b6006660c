"""Make the page of a month, readable without a script, and compute what it shows.

It shows movers, first ratings, removals, events, the distribution and the health of the pool.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from ratinglist.analysis.list_statistics import mean_hundredths
from ratinglist.analysis.report_figures import rating_bands
from ratinglist.number_text import grouped, signed
from ratinglist.pages import charts, html_pages
from ratinglist.site.folder import Download
from ratinglist.site.pages import Cell, Frame, Head, event_cell, player_cell
from ratinglist.site.published_months import PublishedMonth

Section = tuple[str, int, Head, list[list[Cell]]]
"""A table of the page: its heading, how many rows there are in all, its head, and the rows shown."""

MOVERS = 20
SHOWN = 100
_TOP = 100
_CORRECTED_SHOWN = 200
_MOVERS_HEAD = ("fide_id#", "name", "federation", "old_rating#", "games#", "k#", "change#", "new_rating#")
_HEALTH = ("players", "active", "mean", "top", "same", "points", "entered", "removed", "k")


def month_page(
    frame: Frame,
    month: PublishedMonth,
    neighbours: tuple[str, str],
    controls: Sequence[dict[str, Any]],
    events: Sequence[Section],
    corrections: Sequence[tuple[str, pl.DataFrame]],
    downloads: Sequence[Download],
) -> str:
    """Return the page of a month.

    ``neighbours``: the month before and the one after among those shown, or empty. ``controls``, ``events``: what
    :func:`control_section` and :func:`event_sections` return. ``corrections``: the revisions with their diffs
    (``DIFF``). ``downloads``: name, address, bytes and digest of files.
    """
    earlier, later = neighbours
    return frame.page(
        "month.html",
        file=f"month-{month.name}.html",
        month=month.name,
        day=str(month.period.first_day),
        revision=month.folder.name,
        digest=month.manifest.digest,
        earlier=earlier,
        later=later,
        controls=controls,
        events=events,
        corrections=[_correction(frame, revision, diff) for revision, diff in corrections],
        corrections_head=frame.head("name", "old_rating#", "new_rating#", "because", "correction_numbers"),
        downloads_head=frame.head("file", "bytes#", "sha256"),
        downloads=[[(name, address), f"{size:,}", sha256] for name, address, size, sha256 in downloads],
    )


def control_section(
    frame: Frame,
    month: str,
    control: str,
    now: pl.DataFrame,
    before: pl.DataFrame | None,
    changes: pl.DataFrame,
    names: pl.DataFrame,
) -> dict[str, Any]:
    """Return what the page shows of a time control.

    In: ``LISTED`` of the list and of the list before (None: not published), ``CHANGE`` of the time control, ``names``
    with ``fide_id``, ``name``, ``federation``.
    """
    named = changes.join(names, on="fide_id", how="left", maintain_order="left")
    moved = named.filter((pl.col("status") != "entered") & (pl.col("games") > 0))
    entered = named.filter(pl.col("status") == "entered").sort("new_rating", "fide_id", descending=[True, False])
    removed = named.filter(pl.col("status") == "delisted").sort("old_rating", "fide_id", descending=[True, False])
    tables = (
        ("movers_up", None, _most(moved.filter(pl.col("change") > 0), falls=True)),
        ("movers_down", None, _most(moved.filter(pl.col("change") < 0), falls=False)),
        ("entered", entered.height, entered.head(SHOWN)),
        ("removed", removed.height, removed.head(SHOWN)),
    )
    bands = rating_bands(now["rating"], (now.clear() if before is None else before)["rating"])
    healths = (
        _health(now, _by_games(moved, entered, removed)),
        [""] * len(_HEALTH) if before is None else _health(before, [""] * 4),
    )
    return {
        "name": frame.control(control),
        "health_head": frame.head("figure", "now#", "before#"),
        "health": [[frame.text(f"health_{key}"), *row] for key, *row in zip(_HEALTH, *healths, strict=True)],
        "chart": _distribution(frame, control, bands, has_before=before is not None),
        "bands_head": frame.head("band", "now#", "before#"),
        "bands": [[f"{first}–{first + 99}", of_now, of_before] for first, of_now, of_before in reversed(bands)],
        "movers_head": frame.head(*_MOVERS_HEAD),
        "tables": [
            (frame.text(key), count, [_mover(row, month) for row in rows.iter_rows(named=True)])
            for key, count, rows in tables
        ],
    }


def _most(moved: pl.DataFrame, *, falls: bool) -> pl.DataFrame:
    return moved.sort("change", "fide_id", descending=[falls, False]).head(MOVERS)


def _mover(row: Mapping[str, Any], month: str) -> list[Cell]:
    return [
        row["fide_id"],
        player_cell(row, month),
        row["federation"],
        row["old_rating"],
        row["games"],
        row["k"],
        None if row["change"] is None else signed(row["change"]),
        row["new_rating"],
    ]


def _health(rows: pl.DataFrame, by_games: Sequence[str]) -> list[str]:
    """Return the figures of one list, as texts in the order of ``_HEALTH``."""
    inactive = rows["flag"].fill_null("").str.contains("i", literal=True).sum()
    by_k = rows.drop_nulls("k").group_by("k").agg(pl.len().alias("players")).sort("k", descending=True)
    return [
        f"{rows.height:,}",
        f"{rows.height - int(inactive):,}",
        _mean(rows["rating"]),
        _mean(rows["rating"].top_k(min(_TOP, rows.height))),
        *by_games,
        ", ".join(f"K {k}: {players:,}" for k, players in by_k.iter_rows()),
    ]


def _by_games(moved: pl.DataFrame, entered: pl.DataFrame, removed: pl.DataFrame) -> list[str]:
    """Return the mean and the sum of the changes from games, and who came and left: no one-time step is in them."""
    came, left = (
        f"{players.height:,} ({_mean(players[rating])})" if players.height else "0"
        for players, rating in ((entered, "new_rating"), (removed, "old_rating"))
    )
    return [_mean(moved["change"], sign=True), f"{int(moved['change'].sum()):+,}", came, left]


def _mean(values: pl.Series, *, sign: bool = False) -> str:
    mean = mean_hundredths(values)
    return grouped(mean, 2, sign=sign and mean != 0) or "–"


def _distribution(frame: Frame, control: str, bands: Sequence[tuple[int, int, int]], *, has_before: bool) -> object:
    if not bands:
        return None
    chart = charts.Chart(
        f"distribution-{control}",
        frame.text("distribution"),
        frame.text("distribution_text"),
        frame.text("rating"),
        frame.text("players"),
    )
    series = [
        charts.Series(frame.text("distribution_now"), [(first, now) for first, now, _ in bands]),
        charts.Series(frame.text("distribution_before"), [(first, before) for first, _, before in bands]),
    ]
    return html_pages.drawing(charts.line_chart(chart, series if has_before else series[:1]))


def event_sections(frame: Frame, month: str, events: pl.DataFrame, games: pl.DataFrame) -> list[Section]:
    """Return the events of a month, rated and not, and how many results are not rated. In: ``EVENT``, ``GAME``."""
    reasons = frame.texts.reasons
    is_rated = pl.col("status") == "rated"
    rated = events.filter(is_rated).sort("start_date", "event_id", nulls_last=True)
    refused = events.filter(~is_rated).sort("status", "reason", "event_id", nulls_last=True)
    unrated = (
        games.filter(~pl.col("rated") & pl.col("reason").is_in(list(reasons["games"])))
        .group_by("reason")
        .agg(pl.len().alias("results"))
        .sort("results", "reason", descending=[True, False])
    )
    dates = pl.col("start_date", "end_date").cast(pl.String).fill_null("")
    rated_rows: list[list[Cell]] = [
        [
            event_cell(row, month),
            row["federation"],
            frame.control(row["time_control"]) if row["time_control"] else "",
            *(row[name] for name in ("start_date", "end_date", "players", "games")),
        ]
        for row in rated.head(SHOWN).with_columns(dates).iter_rows(named=True)
    ]
    refused_rows: list[list[Cell]] = []
    for row in refused.head(SHOWN).iter_rows(named=True):
        sentence, _, article = reasons["events"].get(row["reason"] or "", ("", "", ""))
        status = frame.texts.page.get(f"status_{row['status']}", row["status"])
        refused_rows.append([event_cell(row, month), row["federation"], status, sentence, article])
    unrated_rows: list[list[Cell]] = []
    for reason, results in unrated.iter_rows():
        sentence, _, article = reasons["games"][reason]
        unrated_rows.append([sentence, article, results])
    columns = ("event", "federation", "lists", "start", "end", "players#", "games#")
    refused_head = frame.head("event", "federation", "status", "why", "article")
    return [
        (frame.text("events_rated"), rated.height, frame.head(*columns), rated_rows),
        (frame.text("events_not_rated"), refused.height, refused_head, refused_rows),
        (frame.text("results_not_rated"), unrated.height, frame.head("why", "article", "results#"), unrated_rows),
    ]


def _correction(frame: Frame, revision: str, diff: pl.DataFrame) -> tuple[str, int, list[list[Cell]]]:
    heading = frame.text("against", revision=revision, count=f"{diff.height:,}")
    rows: list[list[Cell]] = [
        [player_cell(row), row["old_rating"], row["new_rating"], row["because"], row["corrections"]]
        for row in diff.head(_CORRECTED_SHOWN).iter_rows(named=True)
    ]
    return heading, diff.height, rows
