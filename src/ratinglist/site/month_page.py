"""Make the page of a month, readable without a script, and compute what it shows.

It shows movers, first ratings, removals, events, the distribution and the health of the pool.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from ratinglist.analysis.list_statistics import mean_hundredths, rating_bands
from ratinglist.pages import charts, html_pages
from ratinglist.site.cells import (
    Cell,
    Head,
    bar_cell,
    change_cell,
    event_cell,
    minus,
    player_cell,
    tag,
    was_and_is,
)
from ratinglist.site.folder import Download
from ratinglist.site.frame import Frame
from ratinglist.site.published_months import PublishedMonth
from ratinglist.text import grouped

MOVERS = 20
SHOWN = 100
_TOP = 100
_MOVERS_HEAD = ("name", "was_is@", "length@", "change#!")
_LISTED_HEAD = ("name", "federation@", "games#@", "k#@", "rating#!")
_HEALTH = ("players", "active", "mean", "top", "same", "points", "entered", "removed", "k")


@dataclass(frozen=True, slots=True)
class Section:
    """A table of a page: its heading, how many rows there are in all, its head, and the rows shown."""

    heading: str
    count: int
    head: Head
    rows: list[list[Cell]]


@dataclass(frozen=True, slots=True)
class MonthOfControl:
    """What the pages of a month and the first page show of a time control.

    ``figures``: each with its name, the value, and a remark. ``health``: the figures now and before. ``chart``: the
    ratings in bands, or None; ``bands``: the same as rows.
    """

    control: str
    name: str
    figures: list[tuple[str, str, str]]
    health_head: Head
    health: list[list[str]]
    chart: object
    bands_head: Head
    bands: list[list[Cell]]
    gained: Section
    lost: Section
    entered: Section
    removed: Section


def month_page(
    frame: Frame,
    month: PublishedMonth,
    neighbours: tuple[str, str],
    controls: Sequence[MonthOfControl],
    events: Sequence[Section],
    changes: Sequence[dict[str, Any]],
    downloads: Sequence[Download],
) -> str:
    """Return the page of a month.

    ``neighbours``: the month before and the one after among those shown, or empty. ``controls``, ``events``: what
    :func:`month_of_control` and :func:`event_sections` return. ``changes``: what corrections and rollbacks changed
    (:func:`~ratinglist.site.correction_page.sections`). ``downloads``: name, address, bytes and digest of files.
    """
    earlier, later = ((one, frame.month(one) if one else "") for one in neighbours)
    checksums = "\n".join(f"{sha256}  {name}" for name, _, _, sha256 in downloads)
    return frame.page(
        "month.html",
        file=f"month-{month.name}.html",
        month=month.name,
        name=frame.month(month.name),
        day=frame.day(month.period.first_day),
        revision=month.folder.name,
        digest=month.manifest.digest,
        earlier=earlier,
        later=later,
        tabs=[(f"#{one.control}", one.name) for one in controls],
        controls=controls,
        events=events,
        changes=changes,
        downloads_head=frame.head("file", "bytes#"),
        downloads=[[(name, address), frame.whole(size)] for name, address, size, _ in downloads],
        checksums=checksums,
    )


def month_of_control(
    frame: Frame,
    month: str,
    control: str,
    now: pl.DataFrame,
    before: pl.DataFrame | None,
    changes: pl.DataFrame,
    names: pl.DataFrame,
) -> MonthOfControl:
    """Return what pages show of a time control.

    In: ``LISTED`` of the list and of the list before (None: not published), ``CHANGE`` of the time control, ``names``
    with ``fide_id``, ``name``, ``federation``, ``title``.
    """
    named = changes.join(names, on="fide_id", how="left", maintain_order="left")
    moved = named.filter((pl.col("status") != "entered") & (pl.col("games") > 0))
    entered = named.filter(pl.col("status") == "entered").sort("new_rating", "fide_id", descending=[True, False])
    removed = named.filter(pl.col("status") == "delisted").sort("old_rating", "fide_id", descending=[True, False])
    bands = rating_bands(now["rating"], (now.clear() if before is None else before)["rating"])
    health = _health(now, _by_games(moved, entered, removed))
    earlier = [""] * len(_HEALTH) if before is None else _health(before, [""] * 4)
    return MonthOfControl(
        control,
        frame.control(control).capitalize(),
        _figures(frame, now, before, moved, entered),
        frame.head("figure", "now#", "before#"),
        [
            [frame.text(f"health_{key}"), *map(frame.figures, row)]
            for key, *row in zip(_HEALTH, health, earlier, strict=True)
        ],
        _distribution(frame, month, control, bands, has_before=before is not None),
        frame.head("band", "now#", *([] if before is None else ["before#"])),
        [
            [f"{first}–{first + 99}", of_now, *([] if before is None else [of_before])]
            for first, of_now, of_before in reversed(bands)
        ],
        _movers(frame, month, "movers_up", _most(moved.filter(pl.col("change") > 0), falls=True)),
        _movers(frame, month, "movers_down", _most(moved.filter(pl.col("change") < 0), falls=False)),
        _players(frame, month, "entered", entered, "new_rating"),
        _players(frame, month, "removed", removed, "old_rating"),
    )


def _most(moved: pl.DataFrame, *, falls: bool) -> pl.DataFrame:
    return moved.sort("change", "fide_id", descending=[falls, False]).head(MOVERS)


def _movers(frame: Frame, month: str, key: str, rows: pl.DataFrame) -> Section:
    most = int(rows["change"].abs().max() or 1)  # type: ignore[arg-type]  # a whole number
    cells: list[list[Cell]] = []
    for row in rows.iter_rows(named=True):
        step = was_and_is(row["old_rating"], row["new_rating"], frame.text("off_the_list"))
        bar, change = bar_cell(row["change"], most), change_cell(row["change"])
        cells.append([player_cell(row, month, [step]), step, bar, change])
    return Section(frame.text(key), rows.height, frame.head(*_MOVERS_HEAD), cells)


def _players(frame: Frame, month: str, key: str, rows: pl.DataFrame, rating: str) -> Section:
    cells: list[list[Cell]] = [
        [player_cell(row, month), row["federation"], row["games"], row["k"], row[rating]]
        for row in rows.head(SHOWN).iter_rows(named=True)
    ]
    return Section(frame.text(key), rows.height, frame.head(*_LISTED_HEAD), cells)


def _figures(
    frame: Frame, now: pl.DataFrame, before: pl.DataFrame | None, moved: pl.DataFrame, entered: pl.DataFrame
) -> list[tuple[str, str, str]]:
    """Return the figures at the head of a time control: name, value, and what it was or is a mean of."""

    def since(value: int | None, earlier: int | None, decimals: int = 0) -> str:
        if value is None or earlier is None:
            return ""
        change = minus(grouped(value - earlier, decimals, sign=True)) if value != earlier else "0"
        return frame.text("since_before", change=written(change))

    written = frame.figures
    active, earlier = now.height - _inactive(now), None if before is None else before.height - _inactive(before)
    mean, mean_before = mean_hundredths(now["rating"]), None if before is None else mean_hundredths(before["rating"])
    gained = int(moved["change"].sum())
    return [
        (
            frame.text("players"),
            frame.whole(now.height),
            since(now.height, None if before is None else before.height),
        ),
        (frame.text("health_active"), frame.whole(active), since(active, earlier)),
        (frame.text("health_mean"), written(_as_rating(grouped(mean, 2))) or "–", since(mean, mean_before, 2)),
        (
            frame.text("points_by_games"),
            minus(written(f"{gained:+,}")) if gained else "0",
            frame.text("of_players", players=frame.count("player", moved.height)),
        ),
        (
            frame.text("entered"),
            frame.whole(entered.height),
            frame.text("mean_of", mean=written(_mean(entered["new_rating"]))) if entered.height else "",
        ),
    ]


def _inactive(rows: pl.DataFrame) -> int:
    return int(rows["flag"].fill_null("").str.contains("i", literal=True).sum())


def _health(rows: pl.DataFrame, by_games: Sequence[str]) -> list[str]:
    """Return the figures of one list, as texts in the order of ``_HEALTH``."""
    by_k = rows.drop_nulls("k").group_by("k").agg(pl.len().alias("players")).sort("k", descending=True)
    return [
        f"{rows.height:,}",
        f"{rows.height - _inactive(rows):,}",
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
    return _as_rating(grouped(mean, 2, sign=sign and mean != 0)) or "–"


def _as_rating(mean: str) -> str:
    """Return a mean rating without a sign between thousands, as ratings are written."""
    return mean.replace(",", "")


def _distribution(
    frame: Frame, month: str, control: str, bands: Sequence[tuple[int, int, int]], *, has_before: bool
) -> object:
    if not bands:
        return None
    chart = charts.Chart(
        f"distribution-{control}",
        frame.text("distribution"),
        frame.text("distribution_text"),
        frame.text("rating"),
        frame.text("players"),
    )
    return html_pages.drawing(
        charts.spread_chart(
            chart,
            charts.Series(frame.month(month), [(first, now) for first, now, _ in bands]),
            charts.Series(frame.text("distribution_before"), [(first, before) for first, _, before in bands])
            if has_before
            else None,
        )
    )


def event_sections(frame: Frame, month: str, events: pl.DataFrame, games: pl.DataFrame) -> list[Section]:
    """Return the events of a month, rated and not, and how many results are not rated. In: ``EVENT``, ``GAME``."""
    reasons = frame.texts.reasons
    is_rated = pl.col("status") == "rated"
    rated = events.filter(is_rated).sort("start_date", "event_id", descending=[True, False], nulls_last=True)
    refused = events.filter(~is_rated).sort(
        pl.col("status") == "refused", "status", "reason", "event_id", nulls_last=True
    )
    unrated = (
        games.filter(~pl.col("rated") & pl.col("reason").is_in(list(reasons["games"])))
        .group_by("reason")
        .agg(pl.len().alias("results"))
        .sort("results", "reason", descending=[True, False])
    )
    refused_rows: list[list[Cell]] = []
    for row in refused.head(SHOWN).iter_rows(named=True):
        sentence, _, article = reasons["events"].get(row["reason"] or "", ("", "", ""))
        status = tag(frame.texts.page.get(f"status_{row['status']}", row["status"]), row["status"])
        refused_rows.append([event_cell(row, month), row["federation"], sentence, article, status])
    unrated_rows: list[list[Cell]] = []
    for reason, results in unrated.iter_rows():
        sentence, _, article = reasons["games"][reason]
        unrated_rows.append([sentence, article, results])
    rated_head = frame.head("event", "federation@", "lists@", "dates@", "players#@", "games#")
    refused_head = frame.head("event", "federation@", "why", "article@%", "status")
    unrated_head = frame.head("why", "article@", "results#")
    count = int(unrated["results"].sum())
    return [
        Section(frame.text("events_rated"), rated.height, rated_head, event_rows(frame, month, rated.head(SHOWN))),
        Section(frame.text("events_not_rated"), refused.height, refused_head, refused_rows),
        Section(frame.text("results_not_rated"), count, unrated_head, unrated_rows),
    ]


def event_rows(frame: Frame, month: str, events: pl.DataFrame) -> list[list[Cell]]:
    """Return the rows of rated events."""
    return [
        [
            event_cell(row, month),
            row["federation"],
            frame.control(row["time_control"]) if row["time_control"] else "",
            frame.days(row["start_date"], row["end_date"]),
            frame.whole(row["players"]),
            frame.whole(row["games"]),
        ]
        for row in events.iter_rows(named=True)
    ]
