"""The preview of a month: what moves and why, the questions, the approvals, and the publication."""

from __future__ import annotations

from typing import Any, Final

import polars as pl

from ratinglist.desk.home_pages import is_outdated
from ratinglist.desk.page import Page, Visit
from ratinglist.errors import NothingReadError
from ratinglist.publication.questions import row_text
from ratinglist.workflows import publish

_MOVERS: Final = 20
_ALL: Final = 1000
"""How many players are shown at most: a page of a hundred thousand helps nobody."""


def month(visit: Visit) -> Page:
    """Return a month with what it moves and what is missing until it is published."""
    period = visit.period
    found = visit.status
    open_month = next((one for one in found.open_months if one.month == str(period)), None)
    published = next((one for one in found.published if one.month == str(period) and one.revision), None)
    changes = visit.changes
    everything = "all" in visit.query
    office = visit.settings.office
    made = _preview(visit, str(period), open_month.digest if open_month else "")
    values = {
        "month": str(period),
        "open": open_month,
        "is_outdated": bool(open_month and open_month.digest) and is_outdated(visit, str(period)),
        "published": published,
        "withdrawn": visit.withdrawn.get(str(period)),
        "counts": _counts(changes),
        "movers": [] if changes is None else changes.head(_ALL if everything else _MOVERS).to_dicts(),
        "moved": 0 if changes is None else min(len(changes), _ALL),
        "everything": everything,
        "questions": _questions(made) if made else [],
        "typed": made["typed"] if made else [],
        "notes": _notes(visit, str(period)),
        "approvals": _approvals(visit) if open_month and open_month.digest else [],
        "approvers": [one.name for one in office.approvers],
        "with_keys": [one.name for one in office.approvers if one.key],
        "unanswered": open_month.unanswered if open_month else [],
        "to_do": found.to_do,
        "is_rerated": bool(open_month and "rerate" in open_month.go_on),
        "closing": found.next_list.closing_date if found.next_list and found.next_list.month == str(period) else None,
        "today": found.today,
    }
    return Page("month.html", values)


def _counts(changes: pl.DataFrame | None) -> dict[str, int]:
    if changes is None:
        return {}
    return dict(changes.group_by("status").len().sort("status").iter_rows())


def _preview(visit: Visit, month: str, digest: str) -> dict[str, Any] | None:
    """Return what the command that made the preview with this digest printed; None where this desk did not make it."""
    made, _ = visit.bench.newest_document(month, "digest")
    return made if made is not None and digest and made["digest"] == digest else None


def _questions(made: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the questions of a preview with their evidence."""
    return [
        {
            "name": one["question"],
            "asks": one["asks"],
            "reason": one["reason"],
            "rows": [{"text": row_text(row), "fide_id": row.get("fide_id")} for row in one["found"]["rows"]],
            "more": one["found"]["count"] - len(one["found"]["rows"]),
        }
        for one in made["questions"]
    ]


def _notes(visit: Visit, month: str) -> list[str] | None:
    """Return the notes of the calculation; None where this run of the desk did not make it."""
    made, entry = visit.bench.newest_document(month, "notes")
    entries = visit.log.entries
    newest = max((one.number for one in entries if one.kind == "calculate" and one.facts["month"] == month), default=0)
    return made["notes"] if made is not None and newest <= int(entry) else None


def _approvals(visit: Visit) -> list[dict[str, str]]:
    try:
        return publish.approved(visit.settings, visit.period).approvals
    except NothingReadError:
        return []
