"""Make the page of a month: readable without a script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from ratinglist import charts, html_pages
from ratinglist.charts import number_text
from ratinglist.site.month_facts import ControlFacts, EventFacts, Health
from ratinglist.site.pages import Cell, Frame, event_cell, player_cell, signed

_CORRECTED_SHOWN = 200
_MOVERS_HEAD = ("fide_id#", "name", "federation", "old_rating#", "games#", "k#", "change#", "new_rating#")


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
        "health": _health(frame, facts),
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


def _health(frame: Frame, facts: ControlFacts) -> list[list[Cell]]:
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
