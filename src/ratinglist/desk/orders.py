"""The orders of the forms: which commands each form gives. A form decides nothing that the command does not."""

from __future__ import annotations

import csv
import re
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from ratinglist.desk.forms import Form
from ratinglist.desk.page import Visit
from ratinglist.desk.work import Command, Order, answered, with_options
from ratinglist.errors import CommandLineError
from ratinglist.period import Period
from ratinglist.workflows.inbox import FACTS, opened_report

_PLAYER: Final = ("fide_id", "name", "federation", "sex", "title", "women_title", "birth_year")
_DATA: Final = ("name", "federation", "sex", "title", "women_title", "birth_year", "birth_date")
_STATED: Final = (*FACTS, "name")
_STARTED: Final = re.compile(r"(\d+)=(\d+)")


def _command(*words: str, options: Mapping[str, str] | None = None) -> Command:
    """Return a command: its words, and the options that are filled in; no word is taken for an option."""
    name, *arguments = words
    given = [part for option, value in (options or {}).items() if value for part in (f"--{option}", value)]
    is_plain = not any(one.startswith("-") for one in arguments)
    return (name, *arguments, *given) if is_plain else (name, *given, "--", *arguments)


def _month(form: Form) -> str:
    return str(Period.parse(form.needed("month", "The month")))


def _shown_first(command: Command, title: str, then: str, folder: Path | None = None) -> Order:
    """Return the order of a command that first shows what it would change."""
    applied = command if "--json" in command else with_options(command, "--json")
    return Order(title, [with_options(command, "--preview")], then, applies=[applied], folder=folder)


def _delivered(form: Form) -> tuple[Path, list[str]]:
    """Return the folder of what was sent, and the names of the files and folders in it."""
    if form.folder is None:
        raise CommandLineError("No file was chosen. Nothing was changed.")
    return form.folder, sorted(one.name for one in form.folder.iterdir())


def load(_visit: Visit, form: Form) -> Order:
    """Load what was dropped into the inbox."""
    folder, names = _delivered(form)
    # A manifest names files of its own folder, so the folder is loaded as a whole.
    paths = names if len(names) == 1 else ["."]
    options = {"received": form.text("received")}
    command = with_options(_command("load", *paths, options=options), "--json")
    return Order("work_load", [command], "/inbox", folder=folder)


def state(visit: Visit, form: Form) -> Order:
    """Load a report again with what its manifest would say."""
    opened = opened_report(visit.settings, visit.received, form.needed("key", "The report"), "", visit.language)
    stated = {**opened.facts, **{name: form.text(name) for name in _STATED if name in form}}
    # The code stays, though name and days, which it may be made of, become others.
    before = opened.report.event_id
    stated["event_id"] = now = stated["event_id"] or before
    folder = _new_folder(form)
    (folder / opened.report.file).write_bytes(opened.data)
    with (folder / "manifest.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        filled = {name: value for name, value in stated.items() if value}
        rows.writerow(["file", *filled, "start_number", "fide_id"])
        rows.writerow([opened.report.file, *filled.values(), "", ""])
        rows.writerows([opened.report.file, *("" for _ in filled), *pair] for pair in _players(form))
    commands: list[Command] = [("load", ".", "--json")]
    if now != before:
        # The report with the other code would be refused for ever.
        commands.append(_command("dismiss", before, options={"because": f"loaded again as {now}"}))
    return Order("work_state", commands, "/inbox", folder=folder)


def _players(form: Form) -> list[tuple[str, str]]:
    """Return the start numbers and FIDE IDs that are filled in."""
    found = [_STARTED.fullmatch(one) for one in form.text("player_ids").replace(",", " ").split()]
    if None in found:
        raise CommandLineError(
            f"FIDE IDs that are missing: '{form.text('player_ids')}' is not like 3=99900208 12=99900347, a start "
            "number and a FIDE ID. Nothing was changed."
        )
    return [(one[1], one[2]) for one in found if one]


def _new_folder(form: Form) -> Path:
    form.place.mkdir(parents=True)
    return form.place


def dismiss(_visit: Visit, form: Form) -> Order:
    """Set a refused report aside, or take it up again."""
    code = form.needed("event", "The event")
    if form.text("undo"):
        return Order("work_dismiss", [with_options(_command("dismiss", code), "--undo")], "/inbox")
    because = {"because": form.needed("because", "The reason")}
    return Order("work_dismiss", [_command("dismiss", code, options=because)], "/inbox")


def import_file(_visit: Visit, form: Form) -> Order:
    """Show what a file of players, or a list, would change."""
    folder, names = _delivered(form)
    if len(names) != 1 or (folder / names[0]).is_dir():
        raise CommandLineError("Choose one file: a list or a table of players. Nothing was changed.")
    if form.text("month"):
        options = {"month": _month(form), "time-control": form.text("time_control")}
        command = _command("import-list", names[0], options=options)
    else:
        command = _command("import-players", names[0])
    return _shown_first(command, "work_import", "/players", folder)


def register(_visit: Visit, form: Form) -> Order:
    """Show what the registration of one player would change."""
    form.needed("fide_id", "The FIDE ID")
    form.needed("name", "The name")
    folder = _new_folder(form)
    name = "players.csv"
    with (folder / name).open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(_PLAYER)
        rows.writerow([form.text(one) for one in _PLAYER])
    return _shown_first(("import-players", name), "work_import", form.text("then") or "/players", folder)


def _answerable(form: Form) -> dict[str, str]:
    return {
        "because": form.needed("because", "Why it is wrong"),
        "by": form.needed("by", "Who answers for the correction"),
        "reported": form.text("reported"),
    }


def correct_result(_visit: Visit, form: Form) -> Order:
    """Show what the correction of a result would move."""
    fields = (("event", "The event"), ("round", "The round"), ("white", "White"), ("black", "Black"))
    words = [form.needed(name, what) for name, what in fields]
    return _correction(form, "result", *words, form.needed("result", "The result"))


def correct_id(_visit: Visit, form: Form) -> Order:
    """Show what another FIDE ID of a player of a report would move."""
    pair = f"{form.needed('wrong', 'The wrong FIDE ID')}={form.needed('right', 'The right FIDE ID')}"
    return _correction(form, "report", form.needed("event", "The event"), id=pair)


def correct_dates(_visit: Visit, form: Form) -> Order:
    """Show what another date, type or time control of a report would move."""
    fields = ("start_date", "end_date", "event_type", "time_control", "official")
    stated = [f"{name}={form.text(name)}" for name in fields if form.text(name)]
    if not stated:
        raise CommandLineError("Fill in what is wrong in the report: a date, its type or its time control.")
    order = _correction(form, "report", form.needed("event", "The event"))
    given = [part for one in stated for part in ("--field", one)]

    def with_fields(command: Command) -> Command:
        return (*command[:2], *given, *command[2:])

    return Order(order.title, [with_fields(order.commands[0])], order.then, [with_fields(order.applies[0])])


def correct_player(_visit: Visit, form: Form) -> Order:
    """Show what a correction of a player's data would move."""
    data = [f"{name}={form.text(name)}" for name in _DATA if form.text(name)]
    data += [f"{name}=" for name in ("title", "women_title") if form.text(f"no_{name}")]
    if not data:
        raise CommandLineError("Fill in what is wrong: nothing was.")
    return _correction(form, "player", form.needed("fide_id", "The FIDE ID"), *data)


def merge(_visit: Visit, form: Form) -> Order:
    """Show what making two FIDE IDs one person would move."""
    order = _correction(
        form, "merge", form.needed("old", "The FIDE ID that goes"), form.needed("new", "The one that stays")
    )
    unlike = form.text("unlike_person")
    return answered(order, {"unlike_person": unlike}, {}) if unlike else order


def withdraw(_visit: Visit, form: Form) -> Order:
    """Show what the withdrawal of an event would move."""
    return _correction(form, "withdraw", form.needed("event", "The event"))


def undo_correction(_visit: Visit, form: Form) -> Order:
    """Show what taking back a correction would move."""
    return _correction(form, "undo", form.needed("number", "The correction"))


def _correction(form: Form, action: str, *words: str, **options: str) -> Order:
    command = _command(action, *words, options={**options, **_answerable(form)})
    return _shown_first(("correct", *with_options(command, "--json")), "work_correct", "/corrections#rerate")


def rerate(_visit: Visit, form: Form) -> Order:
    """Show which lists would change if all from a month on were calculated again."""
    return _shown_first(("rerate", "--from", _month(form)), "work_rerate", "/publications")


def calculate(_visit: Visit, form: Form) -> Order:
    """Calculate a month and make its preview."""
    month = _month(form)
    return Order("work_rate", [("rate", month, "--json"), _preview(month)], f"/month/{month}", at_once=True)


def _preview(month: str, *because: str) -> Command:
    return ("publish", month, "--preview", *because, "--json")


def preview(visit: Visit, form: Form) -> Order:
    """Make the preview of a month as the status names it: with ``publish`` or ``rerate``; reasons may be given."""
    month = _month(form)
    go_on = _go_on(visit, month)
    given = {name.removeprefix("because_"): text for name, text in form.items() if name.startswith("because_") and text}
    because = [part for name, text in given.items() for part in ("--because", f"{name}={text}")]
    if go_on[0] == "rerate":
        return Order("work_rerate", [(*go_on, "--preview", *because)], f"/month/{month}")
    return Order("work_preview", [_preview(month, *because)], f"/month/{month}", at_once=True)


def _go_on(visit: Visit, month: str) -> Command:
    """Return the command that publishes a month, as ``ratinglist status`` names it."""
    found = next((one for one in visit.status.open_months if one.month == month), None)
    if found is None or found.rolled_back:
        return ("publish", month)
    return tuple(one for one in shlex.split(found.go_on)[1:] if one != "--preview")


def approve(_visit: Visit, form: Form) -> Order:
    """Approve a preview by the digest that the page showed."""
    month = _month(form)
    options = {
        "by": form.needed("by", "Who approves"),
        "digest": form.needed("digest", "The digest"),
        "remark": form.text("remark"),
        "key": form.text("key"),
    }
    return Order("work_approve", [_command("approve", month, options=options)], f"/month/{month}")


def publish(visit: Visit, form: Form) -> Order:
    """Publish a month."""
    month = _month(form)
    return Order("work_publish", [with_options(_go_on(visit, month), "--json")], f"/publications/{month}")


def rollback(_visit: Visit, form: Form) -> Order:
    """Take a published list back."""
    options = {
        "because": form.needed("because", "The reason"),
        "by": form.text("by"),
        "to": form.text("to"),
    }
    return Order("work_rollback", [_command("rollback", _month(form), options=options)], "/publications")


def sign(_visit: Visit, form: Form) -> Order:
    """Sign the revisions of a month."""
    month = _month(form)
    return Order("work_sign", [("sign", month)], f"/publications/{month}")


def verify(visit: Visit, _form: Form) -> Order:
    """Find published files that are not what was published."""
    return Order("work_verify", [("verify", str(visit.settings.published.resolve()))], "/publications")


def export(_visit: Visit, form: Form) -> Order:
    """Write a list for another program; its files can be kept from the page of the work."""
    month = _month(form)
    options = {
        "format": form.needed("format", "The format"),
        "time-control": form.text("time_control"),
        "federation": form.text("federation"),
    }
    command = _command("export", month, options=options)
    return Order("work_export", [command], f"/publications/{month}", folder=_new_folder(form))


def letters(visit: Visit, form: Form) -> Order:
    """Write the letters of a month."""
    month = _month(form)
    command = ("letters", month, "--language", visit.language)
    return Order("work_letters", [command], f"/publications/{month}", folder=_new_folder(form))


def site(visit: Visit, form: Form) -> Order:
    """Make the site to be looked at."""
    place = form.place.parent.parent / "site"
    command = ("site", "--out", str(place), "--language", visit.language)
    return Order("work_site", [command], visit.site)


def backup(_visit: Visit, form: Form) -> Order:
    """Copy the office into a folder of this computer."""
    # A name alone would be a folder in the home, which a backup must not be in.
    folder = Path.home() / form.needed("folder", "The folder")
    return Order("work_backup", [_command("backup", str(folder))], "/publications")


def retract(_visit: Visit, form: Form) -> Order:
    """Undo an entry of the log."""
    options = {"because": form.text("because")}
    return Order("work_retract", [_command("retract", form.needed("entry", "The entry"), options=options)], "/log")


ORDERS: Final[Mapping[str, Callable[[Visit, Form], Order]]] = {
    "load": load,
    "state": state,
    "dismiss": dismiss,
    "import": import_file,
    "register": register,
    "correct-result": correct_result,
    "correct-id": correct_id,
    "correct-report": correct_dates,
    "correct-player": correct_player,
    "merge": merge,
    "withdraw": withdraw,
    "undo-correction": undo_correction,
    "rerate": rerate,
    "calculate": calculate,
    "preview": preview,
    "approve": approve,
    "publish": publish,
    "rollback": rollback,
    "sign": sign,
    "verify": verify,
    "export": export,
    "letters": letters,
    "site": site,
    "backup": backup,
    "retract": retract,
}
"""The order of each form, by the last part of its address."""
