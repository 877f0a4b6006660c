"""Make the page of corrections and rollbacks: what was changed after it was published, when, why, and whom it moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from ratinglist.home.kinds import WITHDRAWN
from ratinglist.site.cells import Cell, change_cell, player_cell, was_and_is
from ratinglist.site.frame import Frame
from ratinglist.site.published_months import PublishedMonth, WithdrawnMonth

_SHOWN = 200


@dataclass(frozen=True, slots=True)
class ChangedMonth:
    """What changed the list of a month after it was published.

    ``corrections``: the revisions with their ``DIFF``. ``rollbacks``: the steps (``ROLLED_BACK``) with whom each moved.
    """

    month: str
    corrections: Sequence[tuple[int, pl.DataFrame]]
    rollbacks: Sequence[tuple[Mapping[str, Any], pl.DataFrame]]

    @property
    def is_changed(self) -> bool:
        """Whether anything changed it."""
        return bool(self.corrections or self.rollbacks)


def changed_month(month: PublishedMonth) -> ChangedMonth:
    """Return what changed the list of a month; a step to or from no list moves nobody from one rating to another."""
    steps = []
    for step in month.rollbacks().iter_rows(named=True):
        between = (step["from_revision"], step["to_revision"])
        moved = month.moved(*between) if WITHDRAWN not in between else month.moved(1, 1)
        steps.append((step, moved))
    return ChangedMonth(month.name, month.diffs(), steps)


def sections(frame: Frame, changed: ChangedMonth) -> list[dict[str, Any]]:
    """Return what pages show of the changes of a month, the newest first: ``heading``, ``reason``, ``head``, ``rows``.

    ``count``: how many players differ; the rows are the first of them.
    """
    corrected = [_correction(frame, changed.month, number, diff) for number, diff in changed.corrections]
    rolled_back = [_rollback(frame, changed.month, step, moved) for step, moved in changed.rollbacks]
    return [*reversed(rolled_back), *reversed(corrected)]


def _correction(frame: Frame, month: str, number: int, diff: pl.DataFrame) -> dict[str, Any]:
    rows = [
        [*_moved(row, month), row["because"], row["corrections"]] for row in diff.head(_SHOWN).iter_rows(named=True)
    ]
    return {
        "heading": frame.text("against", revision=f"r{number}", players=frame.count("player", diff.height)),
        "reason": "",
        "count": diff.height,
        "head": frame.head("name", "old_rating#@", "new_rating#!", "change#", "because@", "correction_numbers@"),
        "rows": rows,
    }


def _rollback(frame: Frame, month: str, step: Mapping[str, Any], moved: pl.DataFrame) -> dict[str, Any]:
    day, before, after = str(step["rolled_back_on"]), f"r{step['from_revision']}", f"r{step['to_revision']}"
    key = "rolled_back" if step["to_revision"] != WITHDRAWN else "withdrawn_on"
    by = frame.text("decided_by", who=step["who"]) if step["who"] else ""
    return {
        "heading": frame.text(key, day=frame.day(day), before=before, after=after),
        "reason": " ".join(filter(None, (frame.text("reason_given", reason=step["reason"]), by))),
        "count": moved.height,
        "head": frame.head("name", "old_rating#@", "new_rating#!", "change#"),
        "rows": [_moved(row, month) for row in moved.head(_SHOWN).iter_rows(named=True)],
    }


def _moved(row: Mapping[str, Any], month: str) -> list[Cell]:
    was, now = row["old_rating"], row["new_rating"]
    difference = None if was is None or now is None else now - was
    below = ("" if was is None else was_and_is(was, now), row.get("because"))
    return [
        player_cell(row, month, below),
        was if was is not None else "–",
        now if now is not None else "–",
        change_cell(difference),
    ]


def correction_page(frame: Frame, changed: Sequence[ChangedMonth], withdrawn: Sequence[WithdrawnMonth]) -> str:
    """Return the page of all corrections and rollbacks of the months shown, the newest month first."""
    months = [
        (frame.month(one.month), f"month-{one.month}.html", sections(frame, one)) for one in changed if one.is_changed
    ]
    months += [(frame.month(one.month), "", [withdrawn_section(frame, one)]) for one in withdrawn]
    order = [one.month for one in changed if one.is_changed] + [one.month for one in withdrawn]
    ranked = sorted(zip(order, months, strict=True), key=lambda pair: pair[0], reverse=True)
    return frame.page("corrections.html", file="corrections.html", months=[shown for _, shown in ranked])


def withdrawn_section(frame: Frame, month: WithdrawnMonth) -> dict[str, Any]:
    """Return what pages show of a month that has no list any more, as :func:`sections` does."""
    heading = frame.text("withdrawn_on", day=frame.day(month.day), before=f"r{month.revision}")
    return {
        "heading": heading,
        "reason": frame.text("reason_given", reason=month.reason),
        "count": 0,
        "head": [],
        "rows": [],
    }
