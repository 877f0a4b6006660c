"""The pages of the desk: the first page, the months, the inbox, players, publications, and what was done."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

from ratinglist.errors import NothingReadError, RatinglistError
from ratinglist.findings import without_births
from ratinglist.home.history import KINDS
from ratinglist.home.log import Log
from ratinglist.lists.formats import FORMATS
from ratinglist.pages.html_pages import shown_parts
from ratinglist.period import Period
from ratinglist.publication import revisions
from ratinglist.publication.doubts import cell_text
from ratinglist.settings import LOG, Settings
from ratinglist.summaries import NOTED_FOR_PROGRAMS, fact_lines, refused_lines, waiting_reports
from ratinglist.tables import words_of
from ratinglist.workflows import quarantine, status, undo
from ratinglist.workflows.correct import corrections_made
from ratinglist.workflows.explain import explain_calculated, explain_player
from ratinglist.workflows.find import FoundPlayer, find
from ratinglist.workflows.for_readers import month_changes
from ratinglist.workflows.quarantine import ReportState, opened_report
from ratinglist.workflows.status import OpenMonth, StatusSummary
from ratinglist_desk.work import Bench, Form, Order, Work


@dataclass(frozen=True)
class Visit:
    """A request for a page, which shows one state of the office.

    ``path`` and ``query``: the variable parts of its address.
    """

    settings: Settings
    bench: Bench
    language: str
    path: Mapping[str, object] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def status(self) -> StatusSummary:
        """The state of the office."""
        return status.status(self.settings)

    @cached_property
    def received(self) -> Sequence[ReportState]:
        """The reports received, those that need a hand first."""
        return quarantine.received(self.settings)

    @cached_property
    def log(self) -> Log:
        """The log of the office, to be read alone."""
        return Log.open(self.settings.home)

    @property
    def withdrawn(self) -> dict[str, dict[str, Any]]:
        """The rollback by which each month that has no list now was taken back."""
        return self.log.history.withdrawn_months()

    @property
    def period(self) -> Period:
        """The month in the address; raises :class:`~ratinglist.errors.CommandLineError` where it is none."""
        return Period.parse(str(self.path["month"]))


@dataclass(frozen=True, slots=True)
class Page:
    """A page: a template and its values.

    ``refresh``: after how many seconds the browser loads it again; 0: never. ``goes_to``: the address shown instead.
    """

    template: str
    values: Mapping[str, object]
    refresh: int = 0
    goes_to: str = ""


_SHOWN: Final = 300
"""How many entries, reports or players a page shows at most: one of a hundred thousand helps nobody."""
_FOUND: Final = 20
"""How many players who fit a name are shown."""


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
        status = visit.status
    except NothingReadError:
        return begin
    month = month_in_hand(status)
    if month is None:
        return begin
    reports = visit.received
    hands = [report for report in reports if report.needs_a_hand]
    of_month = [report for report in reports if report.list_month in ("", month) and report.state != "dismissed"]
    ready = sum(report.state in ("ready", "rated") for report in of_month)
    open_month = next((open_month for open_month in status.open_months if open_month.month == month), None)
    is_current = open_month is not None and bool(open_month.digest) and not is_outdated(visit, month)
    counts = (len(of_month), ready, len(hands))
    needed = visit.settings.office.publication.approvals
    steps = _steps(month, open_month, needed, is_current=is_current, counts=counts)
    closing = status.next_list.closing_date if status.next_list and status.next_list.month == month else None
    published = [month for month in status.published if month.revision]
    values = {
        "month": month,
        "closing": closing,
        "days_left": (closing - status.today).days if closing else None,
        "steps": steps,
        "next_step": next((step for step in steps if step.state == "next"), steps[-1]),
        "hands": hands,
        "status": status,
        "withdrawn": list(visit.withdrawn.values()),
        "rolled_back": open_month.rolled_back if open_month else "",
        "newest": published[-1] if published else None,
    }
    return Page("home.html", values)


def month_in_hand(status: StatusSummary) -> str | None:
    """Return the month that is worked on: the oldest that is calculated and not published, else the next."""
    if status.open_months:
        return min(month.month for month in status.open_months)
    return status.next_list.month if status.next_list else None


def is_outdated(visit: Visit, month: str) -> bool:
    """Return whether anything was loaded, imported, corrected or undone since a month was calculated."""
    for entry in reversed(visit.log.entries):
        if entry.kind == "calculate" and entry.facts["month"] == month:
            return False
        kind = KINDS[entry.kind]
        if kind.makes_store or kind.judges:
            return True
    return False


def _steps(
    month: str, open_month: OpenMonth | None, needed: int, *, is_current: bool, counts: tuple[int, int, int]
) -> list[Step]:
    page = f"/month/{month}"
    questions = open_month.unanswered if open_month else []
    approved = len(open_month.approved_by) if open_month else 0
    done = {
        "reports": counts[1] > 0 or open_month is not None,
        "preview": is_current,
        "questions": is_current and not questions,
        "approvals": is_current and not questions and approved >= needed,
        "publish": False,
    }
    # Who is new is not known before the reports are: this step is never waited for.
    steps, is_first = [Step("players", "later", "/players#import")], True
    for key, is_done in done.items():
        state = "done" if is_done else "next" if is_first else "later"
        is_first = is_first and is_done
        of_step = {"reports": counts, "questions": (len(questions),), "approvals": (approved, needed)}
        steps.append(Step(key, state, "/inbox" if key == "reports" else page, of_step.get(key, ())))
    return steps


def log(visit: Visit) -> Page:
    """Return what was done, by whom, and what can be undone, the newest first."""
    changes = undo.changes(visit.settings)
    entries = {entry.number: entry.kind for entry in visit.log.entries}
    shown = [
        {**row, "can_be_undone": KINDS[entries[int(str(row["entry"]))]].can_be_undone and not row["retracted_by"]}
        for row in reversed(changes[-_SHOWN:])
    ]
    return Page("log.html", {"rows": shown, "left_out": len(changes) - len(shown)})


def month(visit: Visit) -> Page:
    """Return a month with what it moves and what is missing until it is published."""
    period = visit.period
    status = visit.status
    open_month = next((month for month in status.open_months if month.month == str(period)), None)
    published = next((month for month in status.published if month.month == str(period) and month.revision), None)
    changes = month_changes(visit.settings, period)
    office = visit.settings.office
    shown = _preview(visit, str(period), open_month.digest if open_month else "")
    values = {
        "month": str(period),
        "open": open_month,
        "is_outdated": bool(open_month and open_month.digest) and is_outdated(visit, str(period)),
        "published": published,
        "withdrawn": visit.withdrawn.get(str(period)),
        "hands": [
            report for report in visit.received if report.needs_a_hand and report.list_month in ("", str(period))
        ],
        "counts": {} if changes is None else dict(changes.group_by("status").len().sort("status").iter_rows()),
        "movers": [] if changes is None else changes.head(_SHOWN).to_dicts(),
        "moved": 0 if changes is None else len(changes),
        "questions": _questions(visit, shown["questions"]) if shown else [],
        "typed": shown["typed"] if shown else [],
        "notes": _notes(visit, str(period)),
        "approvers": [approver.name for approver in office.approvers],
        "with_keys": [approver.name for approver in office.approvers if approver.key],
        "unanswered": open_month.unanswered if open_month and not open_month.published else [],
    }
    return Page("month.html", values)


def _preview(visit: Visit, month: str, digest: str) -> dict[str, Any] | None:
    """Return what the command that made the preview with this digest printed; None where this desk did not make it."""
    document, _ = visit.bench.newest_document(month, "digest")
    return document if document is not None and digest and document["digest"] == digest else None


def _questions(visit: Visit, doubts: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return questions with their evidence as a table, and the command that mends what is wrong."""
    year = visit.settings.today.year
    return [
        {
            "name": doubt["code"],
            "asks": doubt["sentence"],
            "reason": doubt["answer"],
            "head": [words_of(name) for name in doubt["rows"][0]],
            "rows": [
                {name: without_births(cell_text(name, cell), year) for name, cell in row.items()}
                for row in doubt["rows"]
            ],
            "more": doubt["count"] - len(doubt["rows"]),
            "remedy": doubt["remedy"],
        }
        for doubt in doubts
    ]


def _notes(visit: Visit, month: str) -> list[str] | None:
    """Return the notes of the calculation; None where this run of the desk did not make it."""
    document, entry = visit.bench.newest_document(month, "notes")
    entries = visit.log.entries
    newest = max(
        (entry.number for entry in entries if entry.kind == "calculate" and entry.facts["month"] == month), default=0
    )
    return document["notes"] if document is not None and newest <= int(entry) else None


def inbox(visit: Visit) -> Page:
    """Return the reports received, those that need a hand first."""
    reports = visit.received
    values = {
        "hands": [report for report in reports if report.needs_a_hand],
        "others": [report for report in reports if not report.needs_a_hand][:_SHOWN],
        "left_out": max(sum(not report.needs_a_hand for report in reports) - _SHOWN, 0),
    }
    return Page("inbox.html", values)


def report(visit: Visit) -> Page:
    """Return one report: the wrong lines in their context, what to do, the letter, and what a manifest would say."""
    month = month_in_hand(visit.status) or ""
    opened = opened_report(visit.settings, visit.received, str(visit.path["key"]), month, visit.language)
    # One at a time: a report may name a hundred, whose file was forgotten.
    unknown = next((player for player in opened.unknown if str(player[0]) == visit.query.get("who")), None)
    unknown = unknown or next(iter(opened.unknown), None)
    values = {
        "report": opened.report,
        "opened": opened,
        "unknown": unknown,
        "others_unknown": [player for player in opened.unknown if player != unknown],
        "candidates": _matching(visit, unknown[1]) if unknown else [],
    }
    return Page("report.html", values)


def _matching(visit: Visit, query: str) -> list[FoundPlayer]:
    """Return the registered players whose names or FIDE IDs fit best; none where nobody is like that."""
    try:
        return find(visit.settings, query, _FOUND).players
    except RatinglistError:
        return []


def corrections(visit: Visit) -> Page:
    """Return the forms of corrections, and the corrections made."""
    events = sorted({(report.event_id, report.event) for report in visit.received}, key=lambda event: event[1])
    values = {
        "events": events,
        "corrections": corrections_made(visit.settings),
        "event": visit.query.get("event", ""),
        "fide_id": visit.query.get("player", ""),
        "months": [month.month for month in visit.status.published if month.revision],
    }
    return Page("corrections.html", values)


def players(visit: Visit) -> Page:
    """Return the players whose names fit, and the forms to register and import."""
    query = visit.query.get("q", "").strip()
    return Page("players.html", {"query": query, "players": _matching(visit, query) if query else []})


def player(visit: Visit) -> Page:
    """Return a player's ratings on the published lists, and the account of one of them."""
    fide_id = int(str(visit.path["fide_id"]))
    settings, month = visit.settings, visit.query.get("month", "")
    is_preview = "preview" in visit.query
    explained = explain_calculated if is_preview else explain_player
    document = explained(settings, fide_id, Period.parse(month) if month else None).document()
    values = {
        "fide_id": fide_id,
        "data": next(iter(_matching(visit, str(fide_id))), None),
        "months": [month.month for month in visit.status.published if month.revision],
        "title": document.title,
        "parts": list(shown_parts(document.parts)),
        "month": month,
        "is_preview": is_preview,
    }
    return Page("player.html", values)


def publications(visit: Visit) -> Page:
    """Return the published months, the newest first, with what can be done with all of them."""
    status = visit.status
    return Page("publications.html", {"published": list(reversed(status.published)), "backup": status.backup})


def publication(visit: Visit) -> Page:
    """Return a published month with the differences of its revisions, and the forms for its files."""
    period = visit.period
    shown_month = next((month for month in visit.status.published if month.month == str(period)), None)
    if shown_month is None:
        raise NothingReadError(f"Nothing is published for {period}.")
    folder = visit.settings.published / str(period)
    folders = sorted((path for path in folder.glob("r*") if path.is_dir()), key=revisions.number_of, reverse=True)
    current = int(shown_month.revision[1:] or 0)
    values = {
        "month": str(period),
        "published": shown_month,
        "earlier": [revision.name for revision in folders if revisions.number_of(revision) < current],
        "later": [revision.name for revision in folders if revisions.number_of(revision) > current],
        "withdrawn": visit.withdrawn.get(str(period)),
        "diffs": [
            (revision.name, file.read_text("utf-8")) for revision in folders if (file := revision / "DIFF.md").is_file()
        ],
        "formats": [(name, kind.description) for name, kind in FORMATS.items()],
        "can_be_signed": bool(visit.settings.office.publication.signing_key),
    }
    return Page("publication.html", values)


_QUICK: Final = 2
"""Seconds that the page waits for the end of a work before it shows how far it is."""


def work(visit: Visit) -> Page:
    """Return the page of a work; it is loaded again until the work is done."""
    work = visit.bench.get(int(str(visit.path["number"])))
    is_done = work.ended.wait(_QUICK)
    if is_done and work.order.at_once and work.code == 0:
        return Page("", {}, goes_to=work.order.then)
    values = {
        "work": work,
        "title": work.order.title,
        "commands": [command.shown() for command in work.order.given()],
        "then": work.order.then,
        "said": without_births("\n".join(work.said or _facts(work)), visit.settings.today.year),
        "complaint": without_births("\n".join(work.complaint), visit.settings.today.year),
        "questions": work.questions,
        "evidence": {question["name"]: question for question in _questions(visit, work.doubts)},
        **_loaded(work),
        "corrected": work.document if "corrections" in work.document else None,
        "files": _files(work),
    }
    return Page("work.html", values, refresh=0 if is_done else 1)


def _facts(work: Work) -> list[str]:
    """Return what the last command did, a line for each field; nothing where the page shows it otherwise."""
    document = work.document
    if work.order.applies or "accepted" in document or "corrections" in document:
        return []
    return fact_lines(
        {name: value for name, value in document.items() if value and not isinstance(value, list | dict | bool)}
    )


def _loaded(work: Work) -> Mapping[str, Any]:
    """Return what a load counted, its notes, and the lines on what it refused; None where nothing was loaded."""
    document = work.document
    if "accepted" not in document:
        return {"loaded": None}
    notes = [note for note in document["notes"] if note["reason"] not in NOTED_FOR_PROGRAMS]
    refused = refused_lines(document["refused"], "ratinglist quarantine")
    return {"loaded": document, "notes": notes, "refused": refused, "waiting": waiting_reports(document["refused"])}


def _files(work: Work) -> list[str]:
    """Return the files that the work made in its folder."""
    folder = work.order.folder
    if folder is None or not work.order.makes_files or work.code is None:
        return []
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def again(visit: Visit, _form: Form) -> Order:
    """Give an order again."""
    return _work(visit).order


def apply(visit: Visit, _form: Form) -> Order:
    """Do what an order only showed."""
    order = _work(visit).order
    return replace(order, commands=order.applies, applies=())


def answer(visit: Visit, form: Form) -> Order:
    """Give an order again with reasons for the questions that it raised."""
    work = _work(visit)
    reasons = {name: form.needed(f"because_{name}") for name in work.questions}
    return work.order.answered(reasons, work.questions)


def _work(visit: Visit) -> Work:
    return visit.bench.get(int(str(visit.path["number"])))


STEPS: Final[Mapping[str, Callable[[Visit, Any], Order]]] = {"again": again, "apply": apply, "answer": answer}
"""How a work goes on, by the last part of the form's address."""
