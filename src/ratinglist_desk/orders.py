"""The orders of the forms: which commands each form gives. A form decides nothing that the command does not."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ratinglist.errors import CommandLineError
from ratinglist.workflows.quarantine import FACTS, opened_report
from ratinglist_desk.pages import Visit
from ratinglist_desk.work import FIELD, Command, Form, Order

_PLAYER: Final = ("fide_id", "name", "federation", "sex", "birth_year")
_STATED: Final = (*FACTS, "name")


@dataclass(frozen=True, slots=True)
class FormCommand:
    """The command that a form gives.

    ``text``: its words, with the fields of the form that it needs in braces. ``options``: those named like a field that
    is filled in; with an exclamation mark the field is needed. ``values``: fields of which each that is filled in is a
    word ``name=value``, behind ``before_value``. ``title``: the key of what it is called. ``then``: the page to go on
    with. ``is_shown_first``: the command first shows what it would change. ``makes_files``: it writes into a folder of
    its own.
    """

    title: str
    text: str
    then: str
    options: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    before_value: str = ""
    is_shown_first: bool = False
    makes_files: bool = False

    def __call__(self, _visit: Visit, form: Form) -> Order:
        """Return the order of a form; raises :class:`CommandLineError` where a field is missing."""
        values = [f"{self.before_value}{name}={{{name}}}" for name in self.values if form.text(name)]
        command = Command.of(" ".join([self.text, *values]), form.needed)
        for option in self.options:
            field = option.rstrip("!").replace("-", "_")
            value = form.needed(field) if option.endswith("!") else form.text(field)
            command = command.with_options(*(("--" + option.rstrip("!"), value) if value else ()))
        then = FIELD.sub(lambda field: form[field[1]], self.then)
        folder = form.new_folder() if self.makes_files else form.folder
        if not self.is_shown_first:
            return Order(self.title, [command], then, folder=folder, makes_files=self.makes_files)
        return _shown_first(command, self.title, then, folder)


def _shown_first(command: Command, title: str, then: str, folder: Path | None) -> Order:
    """Return the order of a command that first shows what it would change."""
    applied = command if "--json" in command.options else command.with_options("--json")
    return Order(title, [command.with_options("--preview")], then, applies=[applied], folder=folder)


def _correction(text: str, values: tuple[str, ...] = (), before_value: str = "") -> FormCommand:
    return FormCommand(
        *("work_correct", f"correct {text} --json", "/corrections#rerate", ("because!", "by!", "reported")),
        values,
        before_value,
        is_shown_first=True,
    )


FORMS: Final[Mapping[str, FormCommand]] = {
    "load": FormCommand("work_load", "load {file} --json", "/inbox", ("received",)),
    "import-players": FormCommand("work_import", "import-players {file}", "/players", ("from",), is_shown_first=True),
    "import-list": FormCommand(
        *("work_import", "import-list {file}", "/players"), ("month!", "time-control"), is_shown_first=True
    ),
    "dismiss": FormCommand("work_dismiss", "dismiss {event}", "/inbox", ("because!",)),
    "correct-result": _correction("result {event} {round} {white} {black} {result}"),
    "correct-id": _correction("report {event} --id={wrong}={right}"),
    "correct-report": _correction(
        "report {event}", ("start_date", "end_date", "event_type", "time_control", "official"), "--field="
    ),
    "correct-player": _correction(
        "player {fide_id}", ("name", "federation", "sex", "title", "birth_year", "birth_date")
    ),
    "merge": _correction("merge {old} {new}"),
    "withdraw": _correction("withdraw {event}"),
    "undo-correction": _correction("undo {number}"),
    "rerate": FormCommand("work_rerate", "rerate --from={month}", "/publications", is_shown_first=True),
    "approve": FormCommand("work_approve", "approve {month}", "/month/{month}", ("by!", "digest!", "key")),
    "publish": FormCommand("work_publish", "publish {month} --json", "/publications/{month}"),
    "rollback": FormCommand("work_rollback", "rollback {month}", "/publications", ("because!", "by", "to")),
    "sign": FormCommand("work_sign", "sign {month}", "/publications/{month}"),
    "export": FormCommand(
        *("work_export", "export {month}", "/publications/{month}"),
        ("format!", "time-control", "federation"),
        makes_files=True,
    ),
    "letters": FormCommand("work_letters", "letters {month}", "/publications/{month}", ("language",), makes_files=True),
    "retract": FormCommand("work_retract", "retract {entry}", "/log", ("because",)),
    # A command is given in the home.
    "verify": FormCommand("work_verify", "verify published", "/publications"),
    "site": FormCommand("work_site", "site", "/publications"),
    "backup": FormCommand("work_backup", "backup {folder}", "/publications"),
}
"""The forms that give one command with their fields."""


def state(visit: Visit, form: Form) -> Order:
    """Load a report again with what its manifest would say."""
    opened = opened_report(visit.settings, visit.received, form.needed("key"), "", visit.language)
    stated = {**opened.facts, **{name: form.text(name) for name in _STATED if name in form}}
    # The code stays, though name and days, which it may be made of, become others.
    before = opened.report.event_id
    stated["event_id"] = now = stated["event_id"] or before
    folder, filled = form.new_folder(), {name: value for name, value in stated.items() if value}
    (folder / opened.report.file).write_bytes(opened.data)
    _write_table(
        folder / "manifest.csv",
        ["file", *filled, "start_number", "fide_id"],
        [
            [opened.report.file, *filled.values(), "", ""],
            *([opened.report.file, *("" for _ in filled), *pair] for pair in _players(form)),
        ],
    )
    commands = [Command(("load",), (".",), ("--json",))]
    if now != before:
        # The report with the other code would be refused for ever.
        commands.append(Command(("dismiss",), (before,), ("--because", f"loaded again as {now}")))
    return Order("work_state", commands, "/inbox", folder=folder)


def _write_table(path: Path, head: list[str], lines: list[list[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *lines])


def _players(form: Form) -> list[list[str]]:
    """Return the start numbers and FIDE IDs that are filled in."""
    pairs = [pair.split("=") for pair in form.text("player_ids").replace(",", " ").split()]
    if not all(len(pair) == 2 for pair in pairs):
        raise CommandLineError(
            f"FIDE IDs that are missing: '{form.text('player_ids')}' is not like 3=99900208 12=99900347, a start "
            "number and a FIDE ID. Nothing was changed."
        )
    return pairs


def register(_visit: Visit, form: Form) -> Order:
    """Show what the registration of one player would change."""
    form.needed("fide_id")
    form.needed("name")
    folder = form.new_folder()
    _write_table(folder / "players.csv", [*_PLAYER], [[form.text(name) for name in _PLAYER]])
    command = Command(("import-players",), ("players.csv",))
    return _shown_first(command, "work_import", form.text("then") or "/players", folder)


def calculate(_visit: Visit, form: Form) -> Order:
    """Calculate a month and make its preview."""
    month = form.needed("month")
    rate = Command(("rate",), (month,), ("--json",))
    return Order("work_rate", [rate, _preview(month)], f"/month/{month}", at_once=True)


def preview(_visit: Visit, form: Form) -> Order:
    """Make the preview of a month; reasons may be given."""
    month = form.needed("month")
    reasons = {name.removeprefix("because_"): text for name, text in form.items() if name.startswith("because_")}
    order = Order("work_preview", [_preview(month)], f"/month/{month}#questions", at_once=True)
    return order.answered({name: text for name, text in reasons.items() if text}, {})


def _preview(month: str) -> Command:
    return Command(("publish",), (month,), ("--preview", "--json"))


ORDERS: Final[Mapping[str, Callable[[Visit, Form], Order]]] = {
    **FORMS,
    "state": state,
    "register": register,
    "calculate": calculate,
    "preview": preview,
}
"""The order of each form, by the last part of its address."""
