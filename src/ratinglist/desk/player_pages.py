"""The players: search, a player's ratings and how each came about, registration and imports."""

from __future__ import annotations

from typing import Any, Final

from ratinglist.desk.page import Page, Visit
from ratinglist.errors import RatinglistError
from ratinglist.pages.html_pages import shown_parts
from ratinglist.period import Period
from ratinglist.workflows import sql
from ratinglist.workflows.explain import explain_calculated, explain_player
from ratinglist.workflows.find import find, imported_ratings
from ratinglist.workflows.opening import check_published

_FOUND: Final = 50


def players(visit: Visit) -> Page:
    """Return the players whose names fit, and the forms to register and import."""
    query = visit.query.get("q", "").strip()
    found, problem = None, ""
    if query:
        try:
            found = find(visit.settings, query, _FOUND)
        except RatinglistError as error:
            problem = str(error)
    return Page("players.html", {"query": query, "found": found, "problem": problem})


def player(visit: Visit) -> Page:
    """Return a player's ratings on the published lists, and the account of one of them."""
    fide_id = int(str(visit.path["fide_id"]))
    settings, month = visit.settings, visit.query.get("month", "")
    is_preview = "preview" in visit.query
    explained = explain_calculated if is_preview else explain_player
    document = explained(settings, str(fide_id), Period.parse(month) if month else None).document()
    try:
        data = find(settings, str(fide_id), 1).players[0]
    except RatinglistError:
        data = None
    values = {
        "fide_id": fide_id,
        "data": data,
        "history": _history(visit, fide_id),
        "title": document.title,
        "parts": list(shown_parts(document.parts)),
        "month": month,
        "is_preview": is_preview,
    }
    return Page("player.html", values)


def _history(visit: Visit, fide_id: int) -> list[dict[str, Any]]:
    """Return the player's ratings on the published lists and on those imported, the newest first."""
    check_published(visit.settings)
    rows = [{**row, "is_imported": True} for row in imported_ratings(visit.settings, fide_id)]
    if visit.settings.published.is_dir():
        published = sql.run(
            visit.settings.published,
            "select list_month, time_control, rating, games, k from lists "  # noqa: S608 - a number
            f"where fide_id = {fide_id:d}",
        )
        rows += [{**row, "is_imported": False} for row in published.iter_rows(named=True)]
    rows.sort(key=lambda one: one["time_control"])
    return sorted(rows, key=lambda one: one["list_month"], reverse=True)
