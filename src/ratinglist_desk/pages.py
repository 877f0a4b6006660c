"""The pages of the desk: the first page, the months, the inbox, players, publications, and what was done."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import polars as pl

from ratinglist.births import without_births
from ratinglist.errors import CommandLineError, NothingReadError, RatinglistError
from ratinglist.home.history import KINDS
from ratinglist.home.location import is_being_written
from ratinglist.lists.formats import FORMATS
from ratinglist.pages.facts import fact_lines
from ratinglist.pages.html_pages import shown_parts
from ratinglist.period import Period
from ratinglist.publication import revisions
from ratinglist.publication.doubts import row_text
from ratinglist.settings import LOG
from ratinglist.summaries import NOTED_FOR_PROGRAMS, refused_lines, waiting_reports
from ratinglist.tables import published_table
from ratinglist.workflows import log as log_workflow, publish, sql
from ratinglist.workflows.correct import corrections_made
from ratinglist.workflows.explain import explain_calculated, explain_player
from ratinglist.workflows.find import FoundPlayer, find, imported_ratings
from ratinglist.workflows.inbox import opened_report
from ratinglist.workflows.opening import check_published
from ratinglist.workflows.status import OpenMonth, StatusSummary
from ratinglist_desk.forms import Form
from ratinglist_desk.page import Page, Visit
from ratinglist_desk.work import Order, Work

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
    to_look_at = found.to_do
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
        "is_written": is_being_written(visit.settings.home),
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
        kind = KINDS[one.kind]
        if (kind.makes_store or kind.judges) and (one.kind != "load" or _came_in_time(visit, month)):
            return True
    return False


def _came_in_time(visit: Visit, month: str) -> bool:
    """Return whether a report that no list looked at, or put off, was received by the closing date of a month."""
    found = visit.status.next_list
    if found is None or found.month != month:
        return True
    is_open = (one for one in visit.received if not one.list_month or one.state == "deferred")
    return any(one.received_on <= found.closing_date for one in is_open)


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
        "questions": _questions(visit, made["questions"]) if made else [],
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


def _questions(visit: Visit, doubts: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return questions with their evidence, and the command that mends what is wrong."""
    return [
        {
            "name": one["code"],
            "asks": one["sentence"],
            "reason": one["answer"],
            "rows": [
                {"text": without_births(row_text(row), visit.settings.today.year), "fide_id": row.get("fide_id")}
                for row in one["rows"]
            ],
            "more": one["count"] - len(one["rows"]),
            "remedy": one["remedy"],
        }
        for one in doubts
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
    opened = opened_report(visit.settings, visit.received, str(visit.path["key"]), month, visit.language)
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


def _diff(file: Path) -> pl.DataFrame:
    """Return the players that a revision changed; a column that the office leaves out is null."""
    players = pl.read_parquet(file)
    return published_table("diff", players.schema).completed(players)


def publications(visit: Visit) -> Page:
    """Return the published months, the newest first, with what can be done with all of them."""
    found = visit.status
    return Page("publications.html", {"published": list(reversed(found.published)), "backup": found.backup})


def publication(visit: Visit) -> Page:
    """Return a published month with the differences of its revisions, and the forms for its files."""
    period = visit.period
    found = next((one for one in visit.status.published if one.month == str(period)), None)
    if found is None:
        raise NothingReadError(f"Nothing is published for {period}.")
    folder = visit.settings.published / str(period)
    made = sorted((one for one in folder.glob("r*") if one.is_dir()), key=revisions.number_of, reverse=True)
    current = int(found.revision[1:] or 0)
    diffs = {one.name: _diff(file) for one in made if (file := one / "diff.parquet").is_file()}
    values = {
        "month": str(period),
        "published": found,
        "earlier": [one.name for one in made if revisions.number_of(one) < current],
        "later": [one.name for one in made if revisions.number_of(one) > current],
        "withdrawn": visit.withdrawn.get(str(period)),
        "diffs": [(name, players.head(_ALL).to_dicts(), len(players)) for name, players in diffs.items()],
        "formats": [(name, one.description) for name, one in FORMATS.items()],
        "can_be_signed": bool(visit.settings.office.publication.signing_key),
    }
    return Page("publication.html", values)


_QUICK: Final = 2
"""Seconds that the page waits for the end of a work before it shows how far it is."""
_REFRESH: Final = 1


def work(visit: Visit) -> Page:
    """Return the page of a work; it is loaded again until the work is done."""
    found = visit.bench.get(int(str(visit.path["number"])))
    is_done = found.ended.wait(_QUICK)
    if is_done and found.order.at_once and found.code == 0:
        return Page("", {}, goes_to=found.order.then)
    values = {
        "work": found,
        "title": found.order.title,
        "commands": [command.shown() for command in found.order.given()],
        "then": found.order.then,
        "said": without_births("\n".join(found.said or _facts(found)), visit.settings.today.year),
        "complaint": without_births(found.complained, visit.settings.today.year),
        "questions": found.questions,
        "evidence": {question["name"]: question for question in _questions(visit, found.doubts)},
        **_loaded(found),
        "corrected": _corrected(found),
        "files": _files(found),
    }
    return Page("work.html", values, refresh=0 if is_done else _REFRESH)


def _facts(found: Work) -> list[str]:
    """Return what the last command did, a line for each field; nothing where the page shows it otherwise."""
    document = found.document
    if found.order.applies or "accepted" in document or _corrected(found):
        return []
    return fact_lines({name: value for name, value in document.items() if value and not isinstance(value, list | dict)})


def _loaded(found: Work) -> Mapping[str, Any]:
    """Return what a load counted, its notes, and the lines on what it refused; None where nothing was loaded."""
    document = found.document
    if "accepted" not in document:
        return {"loaded": None}
    notes = [one for one in document["notes"] if one["reason"] not in NOTED_FOR_PROGRAMS]
    refused = refused_lines(document["refused"], "ratinglist quarantine")
    return {"loaded": document, "notes": notes, "refused": refused, "waiting": waiting_reports(document["refused"])}


def _corrected(found: Work) -> Mapping[str, Any] | None:
    """Return what a correction says, and whom it moves where it was only shown; None where there is no correction."""
    document = found.document
    if "made" in document:
        return {"corrections": [one["description"] for one in document["made"]], "players": ()}
    return document if "corrections" in document else None


def _files(found: Work) -> list[tuple[str, str]]:
    """Return the files that the work made in its folder, each with what a page calls it: a letter by its event."""
    folder, title = found.order.folder, found.order.title
    if folder is None or title not in ("work_export", "work_letters") or found.code is None:
        return []
    files = {one: one.relative_to(folder).as_posix() for one in folder.rglob("*") if one.is_file()}
    called = {one: _letter_of(one) if title == "work_letters" else name for one, name in files.items()}
    return sorted(((name, called[one]) for one, name in files.items()), key=lambda one: (one[1], one[0]))


def _letter_of(file: Path) -> str:
    """Return the event that a letter is about, and whom it is to, as its second and first line say."""
    arbiter, event = (line.partition(": ")[2] for line in file.read_text(encoding="utf-8").splitlines()[:2])
    return f"{event} – {arbiter}"


def again(visit: Visit, _form: Form) -> Order:
    """Give an order again."""
    return _work(visit).order


def apply(visit: Visit, _form: Form) -> Order:
    """Do what an order only showed."""
    order = _work(visit).order
    if not order.applies:
        raise CommandLineError("Nothing is to be applied: the command did its work.")
    return replace(order, commands=order.applies, applies=())


def answer(visit: Visit, form: Form) -> Order:
    """Give an order again with reasons for the questions that it raised."""
    found = _work(visit)
    reasons = {name: form.needed(f"because_{name}") for name in found.questions}
    return found.order.answered(reasons, found.questions)


def _work(visit: Visit) -> Work:
    return visit.bench.get(int(str(visit.path["number"])))


STEPS: Final[Mapping[str, Callable[[Visit, Any], Order]]] = {"again": again, "apply": apply, "answer": answer}
"""How a work goes on, by the last part of the form's address."""
