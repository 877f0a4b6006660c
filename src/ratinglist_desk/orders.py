"""The orders of the forms: which commands each form gives. A form decides nothing that the command does not."""

from __future__ import annotations

import csv
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from ratinglist.errors import CommandLineError
from ratinglist.workflows.inbox import FACTS, opened_report
from ratinglist_desk.forms import Form
from ratinglist_desk.page import Visit
from ratinglist_desk.work import FIELD, Command, Order

_PLAYER: Final = ("fide_id", "name", "federation", "sex", "title", "women_title", "birth_year")
_DATA: Final = ("name", "federation", "sex", "title", "women_title", "birth_year", "birth_date")
_OF_REPORT: Final = ("start_date", "end_date", "event_type", "time_control", "official")
_STATED: Final = (*FACTS, "name")
_STARTED: Final = re.compile(r"(\d+)=(\d+)")


@dataclass(frozen=True, slots=True)
class FormCommand:
    """The command that a form gives.

    ``text``: its words, with the fields of the form that it needs in braces. ``options``: those named like a field that
    is filled in; with an exclamation mark the field is needed. ``title``: the key of what it is called. ``then``: the
    page to go on with. ``is_shown_first``: the command first shows what it would change. ``has_files``: it writes into
    a folder of its own.
    """

    title: str
    text: str
    then: str
    options: tuple[str, ...] = ()
    is_shown_first: bool = False
    has_files: bool = False

    def __call__(self, _visit: Visit, form: Form) -> Order:
        """Return the order of a form; raises :class:`CommandLineError` where a field is missing."""
        command = _with_fields(Command.of(self.text, form.needed), form, self.options)
        order = _shown_first if self.is_shown_first else _done_at_once
        folder = form.new_folder() if self.has_files else None
        return replace(order(command, self.title, FIELD.sub(lambda field: form[field[1]], self.then)), folder=folder)


def _with_fields(command: Command, form: Form, names: Sequence[str]) -> Command:
    """Return a command with an option for each field that is filled in; a name with an exclamation mark is needed."""
    filled = {
        name.rstrip("!"): form.needed(name[:-1]) if name.endswith("!") else form.text(name.replace("-", "_"))
        for name in names
    }
    return command.with_options(*(part for name, value in filled.items() if value for part in (f"--{name}", value)))


def _done_at_once(command: Command, title: str, then: str) -> Order:
    return Order(title, [command], then)


def _shown_first(command: Command, title: str, then: str) -> Order:
    """Return the order of a command that first shows what it would change."""
    applied = command if "--json" in command.options else command.with_options("--json")
    return Order(title, [command.with_options("--preview")], then, applies=[applied])


_ANSWERABLE: Final = ("because!", "by!", "reported")


def _correction(text: str) -> FormCommand:
    return FormCommand(
        "work_correct", f"correct {text} --json", "/corrections#rerate", _ANSWERABLE, is_shown_first=True
    )


FORMS: Final[Mapping[str, FormCommand]] = {
    "dismiss": FormCommand("work_dismiss", "dismiss {event}", "/inbox", ("because!",)),
    "take-up": FormCommand("work_dismiss", "dismiss {event} --undo", "/inbox"),
    "correct-result": _correction("result {event} {round} {white} {black} {result}"),
    "correct-id": _correction("report {event} --id={wrong}={right}"),
    "merge": _correction("merge {old} {new}"),
    "withdraw": _correction("withdraw {event}"),
    "undo-correction": _correction("undo {number}"),
    "rerate": FormCommand("work_rerate", "rerate --from={month}", "/publications", is_shown_first=True),
    "approve": FormCommand("work_approve", "approve {month}", "/month/{month}", ("by!", "digest!", "remark", "key")),
    "rollback": FormCommand("work_rollback", "rollback {month}", "/publications", ("because!", "by", "to")),
    "sign": FormCommand("work_sign", "sign {month}", "/publications/{month}"),
    "export": FormCommand(
        *("work_export", "export {month}", "/publications/{month}"),
        ("format!", "time-control", "federation"),
        has_files=True,
    ),
    "letters": FormCommand("work_letters", "letters {month}", "/publications/{month}", ("language",), has_files=True),
    "retract": FormCommand("work_retract", "retract {entry}", "/log", ("because",)),
}
"""The forms that give one command with their fields."""


def _delivered(form: Form) -> tuple[Path, list[str]]:
    """Return the folder of what was sent, and the names of the files and folders in it."""
    if form.folder is None:
        raise CommandLineError("No file was chosen. Nothing was changed.")
    return form.folder, sorted(path.name for path in form.folder.iterdir())


def load(_visit: Visit, form: Form) -> Order:
    """Load what was dropped into the inbox."""
    folder, names = _delivered(form)
    # A manifest names files of its own folder, so the folder is loaded as a whole.
    command = Command(("load",), tuple(names) if len(names) == 1 else (".",), ("--json",))
    return Order("work_load", [_with_fields(command, form, ["received"])], "/inbox", folder=folder)


def state(visit: Visit, form: Form) -> Order:
    """Load a report again with what its manifest would say."""
    opened = opened_report(visit.settings, visit.received, form.needed("key"), "", visit.language)
    stated = {**opened.facts, **{name: form.text(name) for name in _STATED if name in form}}
    # The code stays, though name and days, which it may be made of, become others.
    before = opened.report.event_id
    stated["event_id"] = now = stated["event_id"] or before
    folder, filled = form.new_folder(), {name: value for name, value in stated.items() if value}
    (folder / opened.report.file).write_bytes(opened.data)
    players = [[opened.report.file, *("" for _ in filled), *pair] for pair in _players(form)]
    _write_table(
        folder / "manifest.csv",
        ["file", *filled, "start_number", "fide_id"],
        [[opened.report.file, *filled.values(), "", ""], *players],
    )
    commands = [Command(("load",), (".",), ("--json",))]
    if now != before:
        # The report with the other code would be refused for ever.
        commands.append(Command(("dismiss",), (before,), ("--because", f"loaded again as {now}")))
    return Order("work_state", commands, "/inbox", folder=folder)


def _write_table(path: Path, head: list[str], lines: list[list[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *lines])


def _players(form: Form) -> list[tuple[str, str]]:
    """Return the start numbers and FIDE IDs that are filled in."""
    pairs = [_STARTED.fullmatch(pair) for pair in form.text("player_ids").replace(",", " ").split()]
    if None in pairs:
        raise CommandLineError(
            f"FIDE IDs that are missing: '{form.text('player_ids')}' is not like 3=99900208 12=99900347, a start "
            "number and a FIDE ID. Nothing was changed."
        )
    return [(pair[1], pair[2]) for pair in pairs if pair]


def import_file(_visit: Visit, form: Form) -> Order:
    """Show what a file of players, or a list, would change."""
    folder, names = _delivered(form)
    if len(names) != 1 or (folder / names[0]).is_dir():
        raise CommandLineError("Choose one file: a list or a table of players. Nothing was changed.")
    words = ("import-list",) if form.text("month") else ("import-players",)
    command = _with_fields(Command(words, (names[0],)), form, ["month", "time-control"])
    return replace(_shown_first(command, "work_import", "/players"), folder=folder)


def register(_visit: Visit, form: Form) -> Order:
    """Show what the registration of one player would change."""
    form.needed("fide_id")
    form.needed("name")
    folder = form.new_folder()
    _write_table(folder / "players.csv", [*_PLAYER], [[form.text(name) for name in _PLAYER]])
    command = Command(("import-players",), ("players.csv",))
    return replace(_shown_first(command, "work_import", form.text("then") or "/players"), folder=folder)


def correct_report(visit: Visit, form: Form) -> Order:
    """Show what another date, type or time control of a report would move."""
    values = [f"--field={name}={{{name}}}" for name in _OF_REPORT if form.text(name)]
    if not values:
        raise CommandLineError("Fill in what is wrong in the report: a date, its type or its time control.")
    return _correction(f"report {{event}} {' '.join(values)}")(visit, form)


def correct_player(visit: Visit, form: Form) -> Order:
    """Show what a correction of a player's data would move."""
    data = [f"{name}={{{name}}}" for name in _DATA if form.text(name)]
    data += [f"{name}=" for name in ("title", "women_title") if form.text(f"no_{name}")]
    if not data:
        raise CommandLineError("Fill in what is wrong: nothing was.")
    return _correction(f"player {{fide_id}} {' '.join(data)}")(visit, form)


def calculate(_visit: Visit, form: Form) -> Order:
    """Calculate a month and make its preview."""
    month = form.needed("month")
    rate = Command(("rate",), (month,), ("--json",))
    return Order("work_rate", [rate, _preview(month)], f"/month/{month}", at_once=True)


def _preview(month: str) -> Command:
    return Command(("publish",), (month,), ("--preview", "--json"))


def preview(visit: Visit, form: Form) -> Order:
    """Make the preview of a month as the status names it: with ``publish`` or ``rerate``; reasons may be given."""
    month = form.needed("month")
    go_on = _go_on(visit, month)
    reasons = {name.removeprefix("because_"): text for name, text in form.items() if name.startswith("because_")}
    if go_on.words[0] == "rerate":
        order = Order("work_rerate", [go_on.with_options("--preview")], f"/month/{month}")
    else:
        order = Order("work_preview", [_preview(month)], f"/month/{month}", at_once=True)
    return order.answered({name: text for name, text in reasons.items() if text}, {})


def _go_on(visit: Visit, month: str) -> Command:
    """Return the command that publishes a month, as ``ratinglist status`` names it."""
    found = next((opened for opened in visit.status.open_months if opened.month == month), None)
    if found is None or found.rolled_back:
        return Command(("publish",), (month,))
    return Command(tuple(word for word in shlex.split(found.go_on)[1:] if word != "--preview"))


def publish(visit: Visit, form: Form) -> Order:
    """Publish a month."""
    month = form.needed("month")
    return Order("work_publish", [_go_on(visit, month).with_options("--json")], f"/publications/{month}")


def verify(visit: Visit, _form: Form) -> Order:
    """Find published files that are not what was published."""
    return Order("work_verify", [Command(("verify",), (str(visit.settings.published.resolve()),))], "/publications")


def site(visit: Visit, form: Form) -> Order:
    """Make the site to be looked at."""
    out = ("--out", str(form.place.parent.parent / "site"), "--language", visit.language)
    return Order("work_site", [Command(("site",), (), out)], visit.site)


def backup(_visit: Visit, form: Form) -> Order:
    """Copy the office into a folder of this computer."""
    # A name alone would be a folder in the home, which a backup must not be in.
    folder = Path.home() / form.needed("folder")
    return Order("work_backup", [Command(("backup",), (str(folder),))], "/publications")


ORDERS: Final[Mapping[str, Callable[[Visit, Form], Order]]] = {
    **FORMS,
    "load": load,
    "state": state,
    "import": import_file,
    "register": register,
    "correct-report": correct_report,
    "correct-player": correct_player,
    "calculate": calculate,
    "preview": preview,
    "publish": publish,
    "verify": verify,
    "site": site,
    "backup": backup,
}
"""The order of each form, by the last part of its address."""
