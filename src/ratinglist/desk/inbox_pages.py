"""The inbox: what came, one report with what is wrong in it, and the corrections."""

from __future__ import annotations

from typing import Final

from ratinglist.desk.home_pages import month_in_hand
from ratinglist.desk.page import Page, Visit
from ratinglist.errors import RatinglistError
from ratinglist.workflows.find import FoundPlayer, find
from ratinglist.workflows.inbox import opened_report
from ratinglist.workflows.month_changes import corrections_made

SHOWN: Final = 200
_CANDIDATES: Final = 5
RESULTS: Final = ("1-0", "0-1", "1/2-1/2", "0-0", "not played")
EVENT_TYPES: Final = ("swiss", "roundrobin", "double_roundrobin", "team", "match")
TIME_CONTROLS: Final = ("standard", "rapid", "blitz")


def inbox(visit: Visit) -> Page:
    """Return the reports received, those that need a hand first."""
    reports = visit.received
    values = {
        "hands": [one for one in reports if one.needs_a_hand],
        "others": [one for one in reports if not one.needs_a_hand][:SHOWN],
        "left_out": max(sum(not one.needs_a_hand for one in reports) - SHOWN, 0),
        "today": visit.settings.today,
    }
    return Page("inbox.html", values)


def report(visit: Visit) -> Page:
    """Return one report: the wrong lines in their context, what to do, the letter, and what a manifest would say."""
    month = month_in_hand(visit.status) or ""
    opened = opened_report(visit.settings, str(visit.path["key"]), month, visit.language, visit.received)
    # One at a time: a report may name a hundred, whose file was forgotten.
    unknown = next((one for one in opened.unknown if str(one[0]) == visit.query.get("who")), None)
    unknown = unknown or next(iter(opened.unknown), None)
    values = {
        "report": opened.report,
        "opened": opened,
        "unknown": unknown,
        "others_unknown": [one for one in opened.unknown if one != unknown],
        "candidates": _candidates(visit, unknown[1]) if unknown else [],
        "event_types": EVENT_TYPES,
        "time_controls": TIME_CONTROLS,
    }
    return Page("report.html", values)


def _candidates(visit: Visit, name: str) -> list[FoundPlayer]:
    """Return the registered players whose names are most like that of a report."""
    try:
        return find(visit.settings, name, _CANDIDATES).players
    except RatinglistError:
        # Nobody is like that: the player has to be registered.
        return []


def corrections(visit: Visit) -> Page:
    """Return the forms of corrections, and the corrections made."""
    events = sorted({(one.event_id, one.event) for one in visit.received}, key=lambda one: one[1])
    values = {
        "events": events,
        "results": RESULTS,
        "made": corrections_made(visit.settings),
        "event": visit.query.get("event", ""),
        "fide_id": visit.query.get("player", ""),
        "months": [one.month for one in visit.status.published if one.revision],
    }
    return Page("corrections.html", values)
