"""Make the page of corrections and rollbacks: what was changed after it was published, when, why, and whom it moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
from markupsafe import Markup

from ratinglist.home.kinds import WITHDRAWN
from ratinglist.schemas import DIFF, LISTS
from ratinglist.site.cells import Cell, change_cell, player_cell, was_and_is
from ratinglist.site.corrections_behind import Correction, Known, because, corrections_behind, earlier
from ratinglist.site.frame import Frame
from ratinglist.site.published_months import PublishedMonth, WithdrawnMonth

_SHOWN = 200


@dataclass(frozen=True, slots=True)
class ChangedMonth:
    """What changed the list of a month after it was published.

    ``corrections``: the revisions with their ``DIFF``; ``behind``: the corrections behind each. ``rollbacks``: the
    steps (``ROLLED_BACK``) with whom each moved. ``known``: what the sentences on them name.
    """

    month: str
    corrections: Sequence[tuple[int, pl.DataFrame]]
    behind: Mapping[int, Sequence[Correction]]
    rollbacks: Sequence[tuple[Mapping[str, Any], pl.DataFrame]]
    known: Known

    @property
    def is_changed(self) -> bool:
        """Whether anything changed it."""
        return bool(self.corrections or self.rollbacks)


def changed_months(months: Sequence[PublishedMonth]) -> dict[str, ChangedMonth]:
    """Return what changed the lists of months, oldest first, by month."""
    diffs = {month.name: month.diffs() for month in months}
    behind = {month.name: _behind(month, diffs[month.name]) for month in months}
    first: dict[int, str] = {}
    for name, revisions in behind.items():
        for one in (one for corrections in revisions.values() for one in corrections):
            first.setdefault(one.number, name)
    players = _opponents([diff for rows in diffs.values() for _, diff in rows])
    found = {}
    for month in months:
        events = dict(month.table("events", ["event_id", "name"]).iter_rows()) if diffs[month.name] else {}
        known = Known(month.name, events, players, first)
        found[month.name] = ChangedMonth(month.name, diffs[month.name], behind[month.name], _rollbacks(month), known)
    return found


def _opponents(diffs: Sequence[pl.DataFrame]) -> dict[int, str]:
    """Return the names of the opponents whose ratings are the causes in the rows shown, by FIDE ID."""
    because = pl.concat([DIFF.empty(), *(diff.head(_SHOWN) for diff in diffs)])["because"]
    ids = because.str.extract(r"rating of the opponent (\d+) ").drop_nulls().cast(pl.Int64).unique()
    named = [diff.select("fide_id", "name").filter(pl.col("fide_id").is_in(ids.implode())) for diff in diffs]
    return dict(pl.concat([DIFF.empty().select("fide_id", "name"), *named]).iter_rows())


def _behind(month: PublishedMonth, diffs: Sequence[tuple[int, pl.DataFrame]]) -> dict[int, list[Correction]]:
    """Return the corrections behind each revision of a month."""
    return {number: corrections_behind(month.folder.with_name(f"r{number}")) for number, _ in diffs}


def first_corrections(changed: Sequence[ChangedMonth]) -> dict[int, tuple[str, str, str]]:
    """Return the corrections by number: the first month that each changed, the day it was reported, and its reason."""
    every = [one for month in changed for corrections in month.behind.values() for one in corrections]
    return {one.number: (changed[0].known.first[one.number], one.day, one.reason) for one in every}


def _rollbacks(month: PublishedMonth) -> list[tuple[Mapping[str, Any], pl.DataFrame]]:
    """Return the rollbacks of a month; a step to or from no list moves nobody from one rating to another."""
    steps: list[tuple[Mapping[str, Any], pl.DataFrame]] = []
    for step in month.rollbacks().iter_rows(named=True):
        between = (step["from_revision"], step["to_revision"])
        moved = month.moved(*between) if WITHDRAWN not in between else month.moved(1, 1)
        steps.append((step, moved))
    return steps


def sections(frame: Frame, changed: ChangedMonth) -> list[dict[str, Any]]:
    """Return what pages show of the changes of a month, the newest first: ``heading``, ``reason``, ``head``, ``rows``.

    ``earlier``: links to the earlier lists with whose corrections a change began. ``count``: how many players differ;
    the rows are the first of them.
    """
    corrected = [_correction(frame, changed, number, diff) for number, diff in changed.corrections]
    rolled_back = [_rollback(frame, changed.month, step, moved) for step, moved in changed.rollbacks]
    return [*reversed(rolled_back), *reversed(corrected)]


def _correction(frame: Frame, changed: ChangedMonth, number: int, diff: pl.DataFrame) -> dict[str, Any]:
    behind = changed.behind[number]
    rows = [
        _moved(frame, row, changed.month, because(frame, row, changed.known))
        for row in diff.head(_SHOWN).iter_rows(named=True)
    ]
    reasons = [
        (frame.text("reported_on", day=frame.day(one.day)), frame.text("reason_given", reason=one.reason.rstrip(".")))
        for one in behind
    ]
    origins = changed.known.origins(one.number for one in behind)
    return {
        "heading": _of_lists(
            frame, diff, frame.text("against", revision=f"r{number}", players=frame.count("player", diff.height))
        ),
        "reason": " ".join(one for reason in reasons for one in reason),
        "earlier": [earlier(frame, month) for month in origins],
        "count": diff.height,
        "head": frame.head(*_HEAD, "because@"),
        "rows": rows,
    }


def _of_lists(frame: Frame, rows: pl.DataFrame, text: str) -> str:
    """Return a heading with the names of the lists before it on which ratings differ."""
    differ = set(rows["time_control"].unique())
    return " · ".join([*(frame.control(one).capitalize() for one in LISTS if one in differ), text])


_HEAD = ("name", "lists@", "before#@", "now#!", "change#")


def _rollback(frame: Frame, month: str, step: Mapping[str, Any], moved: pl.DataFrame) -> dict[str, Any]:
    day, before, after = str(step["rolled_back_on"]), f"r{step['from_revision']}", f"r{step['to_revision']}"
    key = "rolled_back" if step["to_revision"] != WITHDRAWN else "withdrawn_on"
    by = frame.text("decided_by", who=step["who"]) if step["who"] else ""
    return {
        "heading": _of_lists(frame, moved, frame.text(key, day=frame.day(day), before=before, after=after)),
        "reason": " ".join(filter(None, (frame.text("reason_given", reason=step["reason"]), by))),
        "earlier": [],
        "count": moved.height,
        "head": frame.head(*_HEAD),
        "rows": [_moved(frame, row, month) for row in moved.head(_SHOWN).iter_rows(named=True)],
    }


def _moved(frame: Frame, row: Mapping[str, Any], month: str, why: Markup | None = None) -> list[Cell]:
    was, now = row["old_rating"], row["new_rating"]
    difference = None if was is None or now is None else now - was
    control = frame.control(row["time_control"]).capitalize()
    below = (control, "" if was is None else was_and_is(was, now), why)
    return [
        player_cell(row, month, below),
        control,
        was if was is not None else "–",
        now if now is not None else "–",
        change_cell(difference),
        *([] if why is None else [why]),
    ]


def correction_page(frame: Frame, changed: Sequence[ChangedMonth], withdrawn: Sequence[WithdrawnMonth]) -> str:
    """Return the page of all corrections and rollbacks of the months shown, the newest month first."""
    months = [
        (one.month, frame.month(one.month), f"month-{one.month}.html", sections(frame, one))
        for one in changed
        if one.is_changed
    ]
    months += [(one.month, frame.month(one.month), "", [withdrawn_section(frame, one)]) for one in withdrawn]
    ranked = sorted(months, key=lambda one: one[0], reverse=True)
    return frame.page("corrections.html", file="corrections.html", months=ranked)


def withdrawn_section(frame: Frame, month: WithdrawnMonth) -> dict[str, Any]:
    """Return what pages show of a month that has no list any more, as :func:`sections` does."""
    heading = frame.text("withdrawn_on", day=frame.day(month.day), before=f"r{month.revision}")
    return {
        "heading": heading,
        "reason": frame.text("reason_given", reason=month.reason),
        "earlier": [],
        "count": 0,
        "head": [],
        "rows": [],
    }
