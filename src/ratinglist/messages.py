"""The sentences of the program (``messages.toml``): what the codes say that it publishes, and what `explain` prints.

A code says why an event, a game or an unrated player is not rated (``events``, ``games``, ``entries``); it has a
sentence, a remedy and an article.
"""

from __future__ import annotations

import pkgutil
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, TypeVar

Message = TypeVar("Message")


@cache
def _sections() -> dict[str, dict[str, Any]]:
    return tomllib.loads((pkgutil.get_data("ratinglist", "messages.toml") or b"").decode())


def messages(section: str, kind: Callable[..., Message]) -> dict[str, Message]:
    """Return the messages of a section by code, in their order; ``kind``: makes one of the keys that the file has."""
    return {code: kind(**texts) for code, texts in _sections()[section].items()}


def sentences(section: str) -> dict[str, str]:
    """Return the sentences of a section that has nothing else, by name."""
    return dict(_sections()[section])


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason. ``status``: the status it gives an event; empty for a reason of a single game or of an entry."""

    sentence: str
    article: str
    status: str = ""
    remedy: str = ""


EVENT_REASONS: Final = messages("event", Reason)
"""Reasons of events, in the order they are tested: the first that applies is given."""

GAME_REASONS: Final = messages("game", Reason)
"""Reasons of one player's side of a game in an event that is rated."""

LIST_BEFORE_SENTENCES: dict[str, str] = {"opponent_unrated": "the opponent had no rating on the list before"}
"""Sentences of game reasons where a family of another system uses the list before, whenever the event began."""

ENTRY_REASONS: Final = messages("entry", Reason)
"""Reasons why an unrated player with counted results is not published."""

WAITING = (
    *("unknown_player", "time_control_unknown", "time_control_contradicted", "dates_contradicted"),
    *("received_before_start", "two_reports", "player_twice"),
)
"""Reasons of an event, and findings, for which a report waits: a fact is missing or in doubt, the report is whole."""

SETTLED = ("rated", "late", "duplicate", "superseded", "replaced")
"""Statuses for which an officer has nothing to do: no later list judges the report. No list gives the last, which is of
a report in whose place another one was received. SQL has them as the macro ``is_settled``."""


def sentence(reason: str, *, uses_list_before: bool = False) -> str:
    """Return what the code of a reason of an event, a game or an entry says; the code itself where it is not known.

    ``uses_list_before``: the games use the ratings of the list before, whenever the event began.
    """
    if uses_list_before and reason in LIST_BEFORE_SENTENCES:
        return LIST_BEFORE_SENTENCES[reason]
    known = EVENT_REASONS.get(reason) or GAME_REASONS.get(reason) or ENTRY_REASONS.get(reason)
    return known.sentence if known else reason


def as_answer(remedy: str) -> str:
    """Return a remedy as the answer to *what to do*: ``nothing: ...`` for ``nothing to do: ...``."""
    return remedy.replace("nothing to do", "nothing", 1)


def status_word(status: str, reason: str = "") -> str:
    """Return the word for the status of a report: ``waits`` where a fact is missing, else the status."""
    return "waits" if status == "waiting" or reason in WAITING else status


_STATUS_SENTENCES = {
    "rated": "",
    "waiting": "no list that may rate it has been calculated",
    "replaced": "a newer version of the report was received",
}
"""What the statuses of a report that come without a reason mean."""


def why(status: str, reason: str) -> str:
    """Return why a report has its status, in one sentence; empty where nothing is to be said."""
    return EVENT_REASONS[reason].sentence if reason in EVENT_REASONS else _STATUS_SENTENCES.get(status, "")
