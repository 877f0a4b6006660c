"""The catalogue of reasons why an event, a game or an unrated player is not rated.

Each code has a sentence, a remedy and an article. The codes are published (``events``, ``games``, ``entries``) and
explained in GLOSSARY.md, which is tested against this module.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from ratinglist.messages import messages
from ratinglist.text import counted


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
    *("received_before_start", "two_reports"),
)
"""Reasons of an event, and findings, for which a report waits: a fact is missing or in doubt, the report is whole."""


def sentence(reason: str, *, uses_list_before: bool = False) -> str:
    """Return what the code of a reason of an event, a game or an entry says; the code itself where it is not known.

    ``uses_list_before``: the games use the ratings of the list before, whenever the event began.
    """
    if uses_list_before and reason in LIST_BEFORE_SENTENCES:
        return LIST_BEFORE_SENTENCES[reason]
    found = EVENT_REASONS.get(reason) or GAME_REASONS.get(reason) or ENTRY_REASONS.get(reason)
    return found.sentence if found else reason


def as_answer(remedy: str) -> str:
    """Return a remedy as the answer to *what to do*: ``nothing: ...`` for ``nothing to do: ...``."""
    return remedy.replace("nothing to do", "nothing", 1)


def status_word(status: str, reason: str = "") -> str:
    """Return the word for the status of a report: ``waits`` where a fact is missing, else the status."""
    return "waits" if status == "waiting" or reason in WAITING else status


STATUS_SENTENCES = {
    "rated": "",
    "waiting": "no list has been calculated since it was received",
    "replaced": "a newer version of the report was received",
}
"""What the statuses of a report that come without a reason mean."""


_SHOWN = 8
"""How many reasons fit on one screen; `ratinglist quarantine` shows every finding."""


def quarantine_text(rows: list[dict[str, object]]) -> str:
    """Return the quarantine as text: a line per finding, or per report that a list did not rate, with its status."""
    width = max((len(_status(row).rstrip()) for row in rows), default=0)
    lines = [f"{_status(row).rstrip():<{width}}  {finding_line(row)}" for row in rows]
    return "\n".join(lines) or "Nothing is refused."


def refused_reports(rows: Iterable[Mapping[str, object]]) -> int:
    """Return the number of reports that these rows of the quarantine refuse."""
    return len({(row["file"], row["event_id"]) for row in rows})


def waiting_reports(rows: Iterable[Mapping[str, object]]) -> int:
    """Return the number of reports that these rows of the quarantine name and that wait, with nothing wrong in them."""
    return len({(row["file"], row["event_id"]) for row in rows if row["status"] == "waiting"})


def counted_events(by_status: Mapping[str, int], waiting: int) -> dict[str, int]:
    """Return the counts of events by the word for their status; those that wait are not refused. No count is 0."""
    found: dict[str, int] = {}
    for status, count in by_status.items():
        found |= {"refused": count - waiting, "waits": waiting} if status == "refused" else {status: count}
    return {status: count for status, count in found.items() if count}


def by_reason(rows: Iterable[Mapping[str, object]]) -> list[tuple[int, Mapping[str, object]]]:
    """Return each reason of these rows of the quarantine once: in how many reports, and the first finding.

    Those that refuse a report are first, then that of most reports. A player who is not registered is a reason of its
    own, however many reports name the FIDE ID.
    """
    reports: dict[tuple[object, ...], dict[tuple[object, object], Mapping[str, object]]] = {}
    for row in rows:
        player = row.get("value") if row["reason"] == "unknown_player" else None
        of_reason = reports.setdefault((row["status"] == "waiting", row["reason"], player), {})
        of_reason.setdefault((row["file"], row["event_id"]), row)
    found = sorted(reports.items(), key=lambda one: (one[0][0], -len(one[1])))
    return [(len(of_reason), next(iter(of_reason.values()))) for _, of_reason in found]


def _status(row: Mapping[str, object]) -> str:
    """Return the status as a word of seven letters or more."""
    return f"{status_word(str(row['status'])):<7}"


def finding_line(row: Mapping[str, object]) -> str:
    """Return a finding as one line: file, line, column, what is wrong and what to do."""
    place = "".join(f", {part} {row[part]}" for part in ("line", "column") if row.get(part) is not None)
    remedy = f" → {row['remedy']}" if row["remedy"] else ""
    return f"{row['file']}{place}: {row['says']}{remedy}"


def refused_lines(rows: list[dict[str, object]], command: str) -> list[str]:
    """Return a line on each of the first reasons why reports are refused or wait.

    ``command`` shows the findings that are left out.
    """
    lines = [
        f"  {_status(row)}  {f'{number:,} reports, first ' if number > 1 else ''}{finding_line(row)}"
        for number, row in by_reason(rows)[:_SHOWN]
    ]
    left = len(rows) - len(lines)
    return [*lines, f"           and {counted(left, 'more finding')}: `{command}`"] if left else lines
