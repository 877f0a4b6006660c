"""The command ``correct``: a file of corrections, or one correction typed as a command."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

import click

from ratinglist.cli.options import DAY, WholeNumber, office_options, office_settings, say, show
from ratinglist.errors import CommandLineError

PREVIEW_OPTION = click.option(
    "--preview", is_flag=True, help="Show which lists and players would change, and change nothing."
)


class FileOrAction(click.Group):
    """A group whose first argument is an action, or else the file that its command ``file`` takes."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put ``file`` before arguments that begin with no action; options may come before either."""
        asks_for_help = bool(args) and args[0] in ctx.help_option_names
        place = next((number for number, one in enumerate(args) if self._is_action(args, number)), None)
        if place is not None:
            args = [args[place], *args[:place], *args[place + 1 :]]
        elif args and not asks_for_help:
            args = ["file", *args]
        return super().parse_args(ctx, args)

    def _is_action(self, args: list[str], number: int) -> bool:
        """Return whether an argument is an action: no argument but options, and the home, may come before it."""
        before = [one for place, one in enumerate(args[:number]) if place == 0 or args[place - 1] != "--home"]
        return args[number] in self.commands and all(one.startswith("-") for one in before)


@click.group(cls=FileOrAction, subcommand_metavar="FILE | COMMAND [ARGS]...")
def correct() -> None:
    """Apply the corrections of a FILE (TOML), all or none, or one correction; `rerate` then changes the lists."""


def of_one_correction(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of a correction that is typed: why, who answers for it, when it was reported, a preview."""
    for option in (
        click.option("--because", required=True, metavar="TEXT", help="Why it is wrong; readers of the diff see it."),
        click.option("--by", required=True, metavar="NAME", help="Who answers for the correction."),
        click.option("--reported", type=DAY, help="The day it was reported; default: today."),
        PREVIEW_OPTION,
    ):
        command = option(command)
    return office_options(command)


def _type(action: str, match: Mapping[str, object], says: Mapping[str, object], options: dict[str, Any]) -> None:
    """Show what a correction means and moves, and apply it unless a preview is all that is wanted."""
    _type_all(action, [(match, says)], options)


def _type_all(
    action: str, corrections: list[tuple[Mapping[str, object], Mapping[str, object]]], options: dict[str, Any]
) -> None:
    """Do the same with several corrections of one action, each as ``match`` and ``says``, all or none."""
    from ratinglist.corrections import argument_names, correction_text
    from ratinglist.publication.questions import checked_text
    from ratinglist.workflows import correct as workflow

    settings = office_settings(options["home"])
    reported_on = options["reported"] or settings.today
    if reported_on > settings.today:
        raise CommandLineError(f"--reported {reported_on} is after today ({settings.today}).")
    reason = checked_text(options["because"], "--because", "why it is wrong")
    who = checked_text(options["by"], "--by", "who answers for the correction")
    for match, says in corrections:
        for path, one in {**{f"match.{key}": one for key, one in match.items()}, **says}.items():
            if isinstance(one, str):
                checked_text(one, argument_names(action).get(path, f"'{path}'"), "it as it should be")
    text = "\n".join(
        correction_text(action, match, says, reason=reason, who=who, reported_on=reported_on)
        for match, says in corrections
    )
    if options["preview"]:
        _show_preview(workflow.preview_typed(settings, text), as_json=options["as_json"])
        return
    found, done = workflow.type_correction(settings, text)
    if not options["as_json"]:
        say(found.text())
    show(done, as_json=options["as_json"])


def _show_preview(found: Any, *, as_json: bool) -> None:
    show(found, as_json=as_json)
    if not as_json:
        say("Nothing was corrected (--preview).")


@correct.command("file", hidden=True)
@click.argument("file", type=click.Path(path_type=Path))
@PREVIEW_OPTION
@office_options
def correct_file(file: Path, preview: bool, home: Path | None, as_json: bool) -> None:
    """Apply the corrections of a file."""
    from ratinglist.workflows import correct as workflow

    settings = office_settings(home)
    if preview:
        _show_preview(workflow.preview(settings, file), as_json=as_json)
    else:
        show(workflow.correct(settings, file), as_json=as_json)


@correct.command("result")
@click.argument("event_id")
@click.argument("round_number", metavar="ROUND", type=WholeNumber(min=1))
@click.argument("white", type=WholeNumber(min=1))
@click.argument("black", type=WholeNumber(min=1))
@click.argument("result", type=click.Choice(["1-0", "0-1", "1/2-1/2", "0-0", "not played"]))
@of_one_correction
def correct_result(event_id: str, round_number: int, white: int, black: int, result: str, **options: Any) -> None:
    """Correct the result of a game. WHITE and BLACK are FIDE IDs."""
    match = {"event_id": event_id, "round": round_number, "white": white, "black": black}
    _type("change_result", match, {"result": result}, options)


@correct.command("player")
@click.argument("fide_id", type=WholeNumber(min=1))
@click.argument("data", metavar="KEY=VALUE...", nargs=-1, required=True)
@of_one_correction
def correct_player(fide_id: int, data: tuple[str, ...], **options: Any) -> None:
    """Correct a player's data: name, federation, sex, birth_date (YYYY-MM-DD) or birth_year."""
    _type("change_data", {"fide_id": fide_id}, dict(map(_datum, data)), options)


@correct.command("report")
@click.argument("event_id")
@click.option(
    "--id", "ids", metavar="WRONG=RIGHT", multiple=True, required=True, help="A wrong FIDE ID; may be repeated."
)
@of_one_correction
def correct_report(event_id: str, ids: tuple[str, ...], **options: Any) -> None:
    """Correct FIDE IDs in the reports of an event; two are exchanged by --id A=B --id B=A."""
    _type_all("change_player", [_other_id(event_id, one) for one in ids], options)


def _other_id(event_id: str, text: str) -> tuple[dict[str, object], dict[str, object]]:
    """Return ``match`` and the FIDE ID of a correction that is typed as ``WRONG=RIGHT``."""
    found = re.fullmatch(r"\s*([0-9]{1,11})\s*=\s*([0-9]{1,11})\s*", text)
    if found is None:
        raise CommandLineError(f"--id '{text}': write WRONG=RIGHT, the FIDE ID in the report and the right one.")
    return {"event_id": event_id, "fide_id": int(found[1])}, {"fide_id": int(found[2])}


@correct.command("merge")
@click.argument("old", type=WholeNumber(min=1))
@click.argument("new", type=WholeNumber(min=1))
@of_one_correction
def correct_merge(old: int, new: int, **options: Any) -> None:
    """Make two FIDE IDs one person: what was received under OLD counts for NEW.

    Where their names, births, federations or sexes differ, write --because unlike_person="REASON".
    """
    says: dict[str, object] = {"into": new}
    question, equals, reason = options["because"].partition("=")
    if question.strip() == "unlike_person" and equals:
        says["unlike_person"] = options["because"] = reason.strip()
    _type("merge", {"fide_id": old}, says, options)


@correct.command("withdraw")
@click.argument("event_id")
@of_one_correction
def correct_withdraw(event_id: str, **options: Any) -> None:
    """Refuse an event that was rated, as withdrawn."""
    _type("withdraw_event", {"event_id": event_id}, {}, options)


@correct.command("undo")
@click.argument("correction", type=WholeNumber(min=1))
@of_one_correction
def correct_undo(correction: int, **options: Any) -> None:
    """Take a correction back, by its number."""
    _type("undo", {"correction": correction}, {}, options)


def _datum(text: str) -> tuple[str, object]:
    """Return the key and the value of ``KEY=VALUE``."""
    from ratinglist.corrections import PLAYER_DATA

    key, equals, value = (part.strip() for part in text.partition("="))
    if key not in PLAYER_DATA or not equals:
        raise CommandLineError(f"'{text}': write KEY=VALUE, the key being one of {', '.join(PLAYER_DATA)}.")
    if key == "birth_year":
        if not re.fullmatch(r"[0-9]{4}", value):
            raise CommandLineError(f"'{text}': write a year such as birth_year=1990.")
        return key, int(value)
    if key == "birth_date":
        try:
            return key, date.fromisoformat(value)
        except ValueError:
            raise CommandLineError("birth_date: write YYYY-MM-DD.") from None
    if key == "federation" and not re.fullmatch(r"[A-Z]{3}", value):
        raise CommandLineError(f"'{text}': write three capital letters such as federation=ITA.")
    if key == "sex" and value not in ("M", "F"):
        raise CommandLineError(f"'{text}': write sex=M or sex=F.")
    return key, value
