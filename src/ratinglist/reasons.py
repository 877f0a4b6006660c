"""The catalogue of reasons why an event, a game or an unrated player is not rated.

Each code has a sentence, a remedy and an article. The codes are published (``events``, ``games``, ``entries``) and
explained in GLOSSARY.md, which is tested against this module.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ratinglist.text import counted


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason. ``status``: the status it gives an event; empty for a reason of a single game or of an entry."""

    status: str
    sentence: str
    remedy: str
    article: str


EVENT_REASONS: dict[str, Reason] = {
    "report_refused": Reason(
        "refused",
        "the report breaks the rules of the format",
        "see the lines named by `ratinglist quarantine`, have the report corrected and load it again",
        "C.04 Annex 2",
    ),
    "no_games": Reason(
        "refused",
        "the report has no game and no forfeit",
        "load the report that the pairing program exports after the last round",
        "C.04 Annex 2, record 001",
    ),
    "withdrawn": Reason(
        "refused",
        "the event was withdrawn by a correction",
        "nothing to do; if it is to count after all, undo that correction (`ratinglist correct`)",
        "readings",
    ),
    "code_of_another_event": Reason(
        "refused",
        "another report came under the same code, and the two have no game, nor half of the places, in common",
        "give it an event_id of its own in manifest.csv, or, if it is a later slice, the start_date of its first round",
        "readings",
    ),
    "rated_in_earlier_list": Reason(
        "superseded",
        "a new version of an event that an earlier list has rated",
        "nothing to do: that list stays, and the new version is kept for a correction (further rounds need a later "
        "start_date)",
        "readings",
    ),
    "two_reports": Reason(
        "refused",
        "two reports of it with one version number have different games, and it is not known which is right",
        "write a higher version in manifest.csv for the right one, and load it again",
        "readings",
    ),
    "time_control_unknown": Reason(
        "refused",
        "it is not known whether the event was standard, rapid or blitz",
        "write time_control in manifest.csv, or under [reports] in office.toml, or correct the one that is wrong where "
        "the manifest and the report contradict each other, and load the report again",
        "B.02 1.1, RB 1.1",
    ),
    "no_rule_set": Reason(
        "refused",
        "no text of the regulations is known for its time control on its start date",
        "check the start date and time control; else choose a rule family that covers them (--rules)",
        "B.02 0.1",
    ),
    "unknown_player": Reason(
        "refused",
        "a player's FIDE ID is not registered",
        "register the player (`ratinglist import-players`) or correct the ID in the report; the next run rates it",
        "Arbiters' Manual, note to B.02",
    ),
    "third_list_limit": Reason(
        "late",
        "it was not in time for the third list after its end and can never be rated",
        "nothing to do: the limit is final",
        "B.02 9.1",
    ),
    "received_after_closing": Reason(
        "deferred",
        "the report arrived after the closing date of this list",
        "nothing to do: the next list rates it; if it did arrive in time, give the day with --received or in "
        "manifest.csv",
        "B.02 7.1.3",
    ),
    "ended_after_closing": Reason(
        "deferred",
        "the event ended after the closing date of this list",
        "nothing to do: the next list rates it",
        "B.02 7.1.3",
    ),
    "no_list_in_force": Reason(
        "refused",
        "no list of its time control is known that was in force when it started",
        "import a list of that time control, of the month of the start or before (`ratinglist import-list`)",
        "B.02 7.1.1",
    ),
    "same_games": Reason(
        "duplicate",
        "the same event was received under another event code",
        "nothing to do if it is the same event; else check which file was sent",
        "readings",
    ),
    "registered_late": Reason(
        "refused",
        "the event was registered too late",
        "correct registered_on in manifest.csv if it is wrong; else the commission decides",
        "B.02 0.2",
    ),
    "time_limit": Reason(
        "refused",
        "the thinking time is too short for the ratings of the players",
        "correct minutes_per_60_moves in manifest.csv if it is wrong",
        "B.02 1.1",
    ),
    "too_many_rounds_a_day": Reason(
        "refused",
        "more rounds were played on one day than the rules allow",
        "correct the round dates (record 132) if they are wrong",
        "B.02 3.1",
    ),
    "too_many_hours_a_day": Reason(
        "refused",
        "more than 12 hours of play fell on one day",
        "correct the round dates (record 132) or minutes_per_60_moves if they are wrong",
        "B.02 3.1",
    ),
    "round_robin_unrated": Reason(
        "refused",
        "a round robin with unrated players has too few rated ones",
        "correct event_type in manifest.csv if it is wrong",
        "B.02 6.3, texts to 2021",
    ),
    "match_with_unrated_player": Reason(
        "refused",
        "a match with an unrated player is not rated",
        "correct event_type in manifest.csv if it is wrong",
        "B.02 6.1",
    ),
}
"""Reasons of events, in the order they are tested: the first that applies is given."""

GAME_REASONS: dict[str, Reason] = {
    "same_game": Reason(
        "", "the game counts in another report: a slice, or the same event under another code", "", "readings"
    ),
    "opponent_unrated": Reason("", "the opponent had no rating when the event started", "", "B.02 8.3.1"),
    "rating_gap": Reason("", "the players were 600 or more apart and one above 2600", "", "RB 7.3.1"),
    "time_limit": Reason("", "the thinking time is too short for this pair of players", "", "B.02 1.1"),
    "counts_for_entry": Reason("", "the player is unrated: the result counts for their entry", "", "B.02 7.1.4"),
    "zero_first_event": Reason(
        "", "an unrated player's first event without half a point is disregarded", "", "B.02 8.2.1"
    ),
    "tranche_too_small": Reason("", "the partial result is smaller than the rule set counts", "", "readings"),
    "counts_for_promotion": Reason(
        "", "the player is not listed: the result counts for a promotion in this event", "", "Italian Elo 1998-2000"
    ),
    "has_reference_rating": Reason(
        "", "the player had a rating on the reference list when the event began", "", "readings"
    ),
    "incompatible": Reason("", "the two ratings are too far apart for the game to count", "", "French Elo"),
    "match_not_rated": Reason(
        "", "a match counts only between established players whose ratings are near", "", "US Chess rating, 6"
    ),
}
"""Reasons of one player's side of a game in an event that is rated."""

LIST_BEFORE_SENTENCES: dict[str, str] = {"opponent_unrated": "the opponent had no rating on the list before"}
"""Sentences of game reasons where a family of another system uses the list before, whenever the event began."""

ENTRY_REASONS: dict[str, Reason] = {
    "too_few_games": Reason("", "fewer games against rated opponents than an entry needs", "", "B.02 7.1.4"),
    "below_floor": Reason("", "the rating is below the floor; the results wait in the pool", "", "B.02 7.1.4"),
}
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


_REPORTS_SHOWN = 5
_FINDINGS_SHOWN = 3
"""How many refused reports, and findings of each, fit on one screen; `ratinglist quarantine` shows all of them."""


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


def by_reason(rows: Iterable[dict[str, object]]) -> list[dict[str, object]]:
    """Return each reason of these rows of the quarantine once, that of most reports first.

    Out: ``reports`` (how many), ``first`` (a file), and ``why``, the sentence and the remedy of that file.
    """
    reports: dict[object, dict[tuple[object, object], dict[str, object]]] = {}
    for row in rows:
        reports.setdefault(row["reason"], {}).setdefault((row["file"], row["event_id"]), row)
    found = []
    for of_reason in sorted(reports.values(), key=len, reverse=True):
        first = next(iter(of_reason.values()))
        why = f"{first['says']} → {first['remedy']}"
        found.append({"reports": len(of_reason), "first": first["file"], "why": why})
    return found


def _status(row: Mapping[str, object]) -> str:
    """Return the status as a word of seven letters or more."""
    return f"{status_word(str(row['status'])):<7}"


def finding_line(row: Mapping[str, object]) -> str:
    """Return a finding as one line: file, line, column, what is wrong and what to do."""
    place = "".join(f", {part} {row[part]}" for part in ("line", "column") if row.get(part) is not None)
    remedy = f" → {row['remedy']}" if row["remedy"] else ""
    return f"{row['file']}{place}: {row['says']}{remedy}"


def reason_lines(refused: list[dict[str, object]]) -> list[str]:
    """Return each reason why reports are refused or wait as one line, with their number and the first of them."""
    lines = []
    for status in ("refused", "waiting"):
        for row in by_reason(one for one in refused if one["status"] == status):
            reports = counted(int(str(row["reports"])), "report")
            lines.append(f"  {_status({'status': status})}  {reports}, first {row['first']}: {row['why']}")
    return lines


def waiting_reasons(rows: Iterable[Mapping[str, object]]) -> list[tuple[int, Mapping[str, object]]]:
    """Return each fact that reports wait for: their number, and the first finding; that of most reports first.

    A player who is not registered is one fact, however many reports name the FIDE ID.
    """
    reports: dict[tuple[object, object], dict[tuple[object, object], Mapping[str, object]]] = {}
    for row in rows:
        if row["status"] == "waiting":
            fact = (row["reason"], row.get("value") if row["reason"] == "unknown_player" else None)
            reports.setdefault(fact, {}).setdefault((row["file"], row["event_id"]), row)
    return [(len(one), next(iter(one.values()))) for one in sorted(reports.values(), key=len, reverse=True)]


def _waiting_lines(rows: list[dict[str, object]], command: str) -> list[str]:
    """Return a line on each of the first facts that reports wait for."""
    reasons = waiting_reasons(rows)
    lines = [
        f"  {_status(row)}  {f'{number:,} reports, first ' if number > 1 else ''}{finding_line(row)}"
        for number, row in reasons[:_REPORTS_SHOWN]
    ]
    if len(reasons) > _REPORTS_SHOWN:
        lines.append(f"           and for {counted(len(reasons) - _REPORTS_SHOWN, 'more fact')}: `{command}`")
    return lines


def refused_lines(found: list[dict[str, object]], command: str) -> list[str]:
    """Return the first findings of the first refused reports, and each of the first facts that others wait for.

    A report with a hundred findings does not hide the others.
    """
    by_report: dict[tuple[object, object], list[dict[str, object]]] = {}
    for row in found:
        if row["status"] != "waiting":
            by_report.setdefault((row["file"], row["event_id"]), []).append(row)
    lines = []
    for rows in list(by_report.values())[:_REPORTS_SHOWN]:
        lines += [f"  {_status(row)}  {finding_line(row)}" for row in rows[:_FINDINGS_SHOWN]]
        if len(rows) > _FINDINGS_SHOWN:
            omitted = sum(int(str(row["value"])) - 1 for row in rows if row["reason"] == "more_findings")
            more = len(rows) - _FINDINGS_SHOWN + omitted
            lines.append(f"           and {more:,} more in this report: `{command}`")
    if len(by_report) > _REPORTS_SHOWN:
        lines.append(f"           and {counted(len(by_report) - _REPORTS_SHOWN, 'more report')}: `{command}`")
    lines += _waiting_lines(found, command)
    # A report on a wrong list would do harm, so those that wait for their time control are all named.
    without = dict.fromkeys(str(row["file"]) for row in found if str(row["reason"]).startswith("time_control_"))
    if len(without) > 1:
        lines.append(f"  without a time control, so on no list: {', '.join(without)}")
    return lines
