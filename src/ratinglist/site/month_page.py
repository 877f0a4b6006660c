"""Make the page of a month, readable without a script, and compute what it shows.

It shows movers, first ratings, removals, events, the distribution and the health of the pool.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from ratinglist import charts, html_pages
from ratinglist.charts import number_text
from ratinglist.publication.list_section import mean_hundredths
from ratinglist.publication.report_figures import rating_bands
from ratinglist.site.pages import Cell, Frame, event_cell, player_cell, signed

Rows = list[dict[str, Any]]

MOVERS = 20
SHOWN = 100
_TOP = 100
_CORRECTED_SHOWN = 200
_MOVERS_HEAD = ("fide_id#", "name", "federation", "old_rating#", "games#", "k#", "change#", "new_rating#")


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


@dataclass(frozen=True, slots=True)
class MonthContent:
    """What the page of a month shows.

    ``corrections``: the revisions with their diffs (``DIFF``). ``downloads``: name, address, bytes and digest of files.
    """

    month: str
    day: str
    revision: str
    digest: str
    earlier: str
    later: str
    controls: Sequence[ControlFacts]
    events: EventFacts
    corrections: Sequence[tuple[str, pl.DataFrame]]
    downloads: Sequence[tuple[str, str, int, str]]


def month_page(frame: Frame, content: MonthContent) -> str:
    """Return the page of a month."""
    month = content.month
    return frame.page(
        "month.html",
        file=f"month-{month}.html",
        month=month,
        day=content.day,
        revision=content.revision,
        digest=content.digest,
        earlier=content.earlier,
        later=content.later,
        controls=[_control(frame, facts, month) for facts in content.controls],
        events=_events(frame, content.events, month),
        corrections=[_correction(frame, revision, diff) for revision, diff in content.corrections],
        corrections_head=frame.head("name", "old_rating#", "new_rating#", "because", "correction_numbers"),
        downloads_head=frame.head("file", "bytes#", "sha256"),
        downloads=[[(name, address), f"{size:,}", sha256] for name, address, size, sha256 in content.downloads],
    )


def _control(frame: Frame, facts: ControlFacts, month: str) -> dict[str, Any]:
    tables = (
        ("movers_up", None, facts.up),
        ("movers_down", None, facts.down),
        ("entered", facts.entered_count, facts.entered),
        ("removed", facts.removed_count, facts.removed),
    )
    return {
        "name": frame.control(facts.control),
        "health_head": frame.head("figure", "now#", "before#"),
        "health": _health_cells(frame, facts),
        "chart": _distribution(frame, facts),
        "bands_head": frame.head("band", "now#", "before#"),
        "bands": [[f"{first}–{first + 99}", now, before] for first, now, before in reversed(facts.bands)],
        "movers_head": frame.head(*_MOVERS_HEAD),
        "tables": [(frame.text(key), count, [_mover(row, month) for row in rows]) for key, count, rows in tables],
    }


def _mover(row: Mapping[str, Any], month: str) -> list[Cell]:
    return [
        row["fide_id"],
        player_cell(row, month),
        row["federation"],
        row["old_rating"],
        row["games"],
        row["k"],
        signed(row["change"]),
        row["new_rating"],
    ]


def _health_cells(frame: Frame, facts: ControlFacts) -> list[list[Cell]]:
    def mean(value: int | None, *, sign: bool = False) -> str:
        return "–" if value is None else ("+" if sign and value > 0 else "") + number_text(value, 2)

    def counted(players: int, value: int | None) -> str:
        return f"{players:,} ({mean(value)})" if players else "0"

    def column(one: Health, *, is_now: bool) -> list[str]:
        figures = [f"{one.players:,}", f"{one.active:,}", mean(one.mean), mean(one.top)]
        if is_now:
            figures += [mean(one.same, sign=True), f"{one.points or 0:+,}"]
            figures += [counted(one.entered, one.entered_mean), counted(one.removed, one.removed_mean)]
        else:
            figures += [""] * 4
        return [*figures, ", ".join(f"K {k}: {players:,}" for k, players in one.by_k)]

    keys = ("players", "active", "mean", "top", "same", "points", "entered", "removed", "k")
    now = column(facts.now, is_now=True)
    before = [""] * len(keys) if facts.before is None else column(facts.before, is_now=False)
    return [[frame.text(f"health_{key}"), new, old] for key, new, old in zip(keys, now, before, strict=True)]


def _distribution(frame: Frame, facts: ControlFacts) -> object:
    if not facts.bands:
        return None
    chart = charts.Chart(
        f"distribution-{facts.control}",
        frame.text("distribution"),
        frame.text("distribution_text"),
        frame.text("rating"),
        frame.text("players"),
    )
    series = [
        charts.Series(frame.text("distribution_now"), [(first, now) for first, now, _ in facts.bands]),
        charts.Series(frame.text("distribution_before"), [(first, before) for first, _, before in facts.bands]),
    ]
    return html_pages.drawing(charts.line_chart(chart, series if facts.before is not None else series[:1]))


def _events(
    frame: Frame, facts: EventFacts, month: str
) -> list[tuple[str, int, list[tuple[str, bool]], list[list[Cell]]]]:
    reasons = frame.texts.reasons
    rated = [
        [
            event_cell(row, month),
            row["federation"],
            _control_name(frame, row),
            _day(row["start_date"]),
            _day(row["end_date"]),
            row["players"],
            row["games"],
        ]
        for row in facts.rated
    ]
    refused: list[list[Cell]] = []
    for row in facts.refused:
        sentence, _, article = reasons["events"].get(row["reason"] or "", ("", "", ""))
        status = (
            frame.text(f"status_{row['status']}") if f"status_{row['status']}" in frame.texts.page else row["status"]
        )
        refused.append([event_cell(row, month), row["federation"], status, sentence, article])
    games: list[list[Cell]] = []
    for row in facts.reasons:
        sentence, _, article = reasons["games"].get(row["reason"], (row["reason"], "", ""))
        games.append([sentence, article, row["results"]])
    columns = ("event", "federation", "lists", "start", "end", "players#", "games#")
    return [
        (frame.text("events_rated"), facts.rated_count, frame.head(*columns), rated),
        (
            frame.text("events_not_rated"),
            facts.refused_count,
            frame.head("event", "federation", "status", "why", "article"),
            refused,
        ),
        (frame.text("results_not_rated"), len(games), frame.head("why", "article", "results#"), games),
    ]


def _control_name(frame: Frame, row: Mapping[str, Any]) -> str:
    return frame.control(row["time_control"]) if row["time_control"] else ""


def _day(day: object) -> str:
    return "" if day is None else str(day)


def _correction(frame: Frame, revision: str, diff: pl.DataFrame) -> tuple[str, int, list[list[Cell]]]:
    heading = frame.text("against", revision=revision, count=f"{diff.height:,}")
    rows: list[list[Cell]] = [
        [player_cell(row), row["old_rating"], row["new_rating"], row["because"], row["corrections"]]
        for row in diff.head(_CORRECTED_SHOWN).iter_rows(named=True)
    ]
    return heading, diff.height, rows
