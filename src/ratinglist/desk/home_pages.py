"""The first page, a month as a checklist, and the log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ratinglist.config import LOG
from ratinglist.desk.page import Page, Visit
from ratinglist.errors import NothingReadError
from ratinglist.home import lock
from ratinglist.home.kinds import KINDS
from ratinglist.workflows import log as log_workflow
from ratinglist.workflows.status_summary import OpenMonth, StatusSummary

DONE: Final = "done"
NEXT: Final = "next"
LATER: Final = "later"
_HELD: Final = 6
_LOOKED_AT: Final = 12
_LATELY: Final = 5
_LISTS: Final = ("publish", "revise", "import-list")
_ENTRIES: Final = 300
"""How many entries the log shows, unless all are wanted."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the month. ``key``: of its text; ``state``: done, next or later; ``address``: where it is done."""

    key: str
    state: str
    address: str
    counts: tuple[int, ...] = ()


def home(visit: Visit) -> Page:
    """Return the month as a checklist, what is to be done next, and the reports that need a hand."""
    is_new = not (visit.settings.home / LOG).is_dir()
    begin = Page("begin.html", {"home": str(visit.settings.home.resolve()), "is_new": is_new})
    if is_new:
        return begin
    try:
        found = visit.status
    except NothingReadError:
        return begin
    month = month_in_hand(found)
    if month is None:
        return begin
    reports = visit.received
    hands = [one for one in reports if one.needs_a_hand]
    of_month = [one for one in reports if one.list_month in ("", month) and one.state != "dismissed"]
    ready = sum(one.state in ("ready", "rated") for one in of_month)
    open_month = next((one for one in found.open_months if one.month == month), None)
    changes = log_workflow.changes(visit.settings)
    is_current = open_month is not None and bool(open_month.digest) and not is_outdated(visit, month)
    counts = (len(of_month), ready, len(hands))
    steps = _steps(month, open_month, is_current=is_current, counts=counts, has_players=_has_players(visit))
    closing = found.next_list.closing_date if found.next_list and found.next_list.month == month else None
    published = [one for one in found.published if one.revision]
    to_look_at = [*found.to_do, *found.doubtful_ids]
    values = {
        "month": month,
        "closing": closing,
        "days_left": (closing - found.today).days if closing else None,
        "steps": steps,
        "next_step": next((one for one in steps if one.state == NEXT), steps[-1]),
        "hands": hands[:_HELD],
        "more_hands": max(len(hands) - _HELD, 0),
        "status": found,
        "to_look_at": to_look_at[:_LOOKED_AT],
        "more_to_look_at": max(len(to_look_at) - _LOOKED_AT, 0),
        "withdrawn": list(visit.withdrawn.values()),
        "rolled_back": open_month.rolled_back if open_month else "",
        "newest": published[-1] if published else None,
        "lately": list(reversed(changes[-_LATELY:])),
        "is_written": lock.is_being_written(visit.settings.home),
    }
    return Page("home.html", values)


def month_in_hand(found: StatusSummary) -> str | None:
    """Return the month that is worked on: the oldest that is calculated and not published, else the next."""
    if found.open_months:
        return min(one.month for one in found.open_months)
    return found.next_list.month if found.next_list else None


def _has_players(visit: Visit) -> bool:
    """Return whether a file of players was imported since the newest list was published."""
    kinds = [one.kind for one in reversed(visit.log.entries)]
    return "import-players" in kinds[: next((at for at, kind in enumerate(kinds) if kind in _LISTS), len(kinds))]


def is_outdated(visit: Visit, month: str) -> bool:
    """Return whether what a month was calculated from has changed since; a load for later lists changes nothing."""
    for one in reversed(visit.log.entries):
        if one.kind == "calculate" and one.facts["month"] == month:
            return False
        if KINDS[one.kind].changes_lists and (one.kind != "load" or _came_in_time(visit, month)):
            return True
    return False


def _came_in_time(visit: Visit, month: str) -> bool:
    """Return whether a report that no list looked at, or put off, was received by the closing date of a month."""
    found = visit.status.next_list
    if found is None or found.month != month:
        return True
    is_open = (one for one in visit.received if not one.list_month or one.state == "deferred")
    return any(one.received_on <= str(found.closing_date) for one in is_open)


def _steps(
    month: str, open_month: OpenMonth | None, *, is_current: bool, counts: tuple[int, int, int], has_players: bool
) -> list[Step]:
    page = f"/month/{month}"
    questions = open_month.unanswered if open_month else []
    needed = open_month.approvals_needed if open_month else 0
    approved = len(open_month.approved_by) if open_month else 0
    done = {
        "reports": counts[0] > 0 or open_month is not None,
        "preview": is_current,
        "questions": is_current and not questions,
        "approvals": is_current and not questions and approved >= needed,
        "publish": False,
    }
    # Who is new is not known before the reports are: this step is never waited for.
    steps, is_first = [Step("players", DONE if has_players else LATER, "/players#import")], True
    for key, is_done in done.items():
        state = DONE if is_done else NEXT if is_first else LATER
        is_first = is_first and is_done
        of_step = {"reports": counts, "questions": (len(questions),), "approvals": (approved, needed)}
        steps.append(Step(key, state, "/inbox" if key == "reports" else page, of_step.get(key, ())))
    return steps


def log(visit: Visit) -> Page:
    """Return what was done, by whom, and what can be undone, the newest first."""
    rows = log_workflow.changes(visit.settings)
    shown_rows = len(rows) if "all" in visit.query else _ENTRIES
    entries = {one.number: one.kind for one in visit.log.entries}
    shown = [
        {**row, "can_be_undone": KINDS[entries[int(str(row["entry"]))]].can_be_undone and not row["retracted_by"]}
        for row in reversed(rows[-shown_rows:])
    ]
    return Page("log.html", {"rows": shown, "left_out": len(rows) - len(shown)})
