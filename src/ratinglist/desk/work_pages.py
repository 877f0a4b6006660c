"""The page of a work: how far it is, what it said, and how it goes on; and the orders that go on with one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from ratinglist.desk.forms import Form
from ratinglist.desk.page import Page, Visit
from ratinglist.desk.texts import without_births
from ratinglist.desk.work import Order, Work, answered, shown
from ratinglist.errors import CommandLineError
from ratinglist.quarantine_text import refused_lines, waiting_reports
from ratinglist.summaries import NOTED_FOR_PROGRAMS

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
        "commands": [shown(one) for one in found.order.commands],
        "then": found.order.then,
        "said": without_births("\n".join(found.said), visit.settings.today.year),
        "complaint": without_births(found.complained, visit.settings.today.year),
        "questions": found.questions,
        **_loaded(found),
        "corrected": _corrected(found),
        "files": _files(found),
    }
    return Page("work.html", values, refresh=0 if is_done else _REFRESH)


def _loaded(found: Work) -> Mapping[str, Any]:
    """Return what a load counted, its notes, and the lines on what it refused; None where nothing was loaded."""
    document = found.documents[-1] if found.documents else {}
    if "accepted" not in document:
        return {"loaded": None}
    notes = [one for one in document["notes"] if one["reason"] not in NOTED_FOR_PROGRAMS]
    refused = refused_lines(document["refused"], "ratinglist quarantine")
    return {"loaded": document, "notes": notes, "refused": refused, "waiting": waiting_reports(document["refused"])}


def _corrected(found: Work) -> Mapping[str, Any] | None:
    """Return what a correction says, and whom it moves where it was only shown; None where there is no correction."""
    document = found.documents[-1] if found.documents else {}
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
    reasons = {name: form.needed(f"because_{name}", name) for name in found.questions}
    return answered(found.order, reasons)


def _work(visit: Visit) -> Work:
    return visit.bench.get(int(str(visit.path["number"])))


STEPS: Final[Mapping[str, Callable[[Visit, Any], Order]]] = {"again": again, "apply": apply, "answer": answer}
"""How a work goes on, by the last part of the form's address."""
