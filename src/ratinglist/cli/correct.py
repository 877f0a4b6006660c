"""The command ``correct``: a file of corrections, or one correction typed as a command."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

import click

from ratinglist import workflows
from ratinglist.cli.options import DAY, FIDE_ID, PATH, InRange, Office, in_office, say
from ratinglist.errors import CommandLineError
from ratinglist.text import first_forbidden_in_written_text

_PREVIEW_OPTION = click.option(
    "--preview", is_flag=True, help="Show which lists and players would change, and change nothing."
)
_RESULTS = ("1-0", "0-1", "1/2-1/2", "0-0", "not played")
_OFFICIAL = {"1": True, "0": False, "true": True, "false": False}


class FileOrAction(click.Group):
    """A group whose first argument is an action, or else the file that its command ``file`` takes."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Put ``file`` before an argument that is no action."""
        return super().resolve_command(ctx, args if args[0] in self.commands else ["file", *args])


# The options of a file may stand before it.
@click.group(
    cls=FileOrAction,
    subcommand_metavar="FILE | COMMAND [ARGS]...",
    context_settings={"ignore_unknown_options": True},
)
def correct() -> None:
    """Apply the corrections of a FILE (TOML), all or none, or one correction; `rerate` then changes the lists."""


def of_one_correction(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of a correction that is typed: why, who answers for it, when it was reported, a preview."""
    for option in (
        click.option("--because", required=True, metavar="TEXT", help="Why it is wrong; readers of the diff see it."),
        click.option("--by", required=True, metavar="NAME", help="Who answers for the correction."),
        click.option("--reported", type=DAY, help="The day it was reported; default: today."),
        _PREVIEW_OPTION,
    ):
        command = option(command)
    return in_office(command)


_Typed = tuple[str, Mapping[str, object], Mapping[str, object]]
"""A correction as it was typed: its action, the keys of its ``match``, and its own."""


def _type(corrections: Sequence[_Typed], options: dict[str, Any], folder: Path | None = None) -> None:
    """Show what corrections mean and move, and apply them unless a preview is all that is wanted.

    ``folder``: of the report that takes the place of another one.
    """
    from ratinglist.corrections.parser import correction_text
    from ratinglist.publication.doubts import checked_reason

    office: Office = options["office"]
    settings = office.settings()
    reported_on = options["reported"] or settings.today
    if reported_on > settings.today:
        raise CommandLineError(f"--reported {reported_on} is after today ({settings.today}).")
    reason = checked_reason(options["because"], "--because", "why it is wrong")
    who = options["by"].strip()
    text = "\n".join(
        correction_text(*correction, reason=reason, who=who, reported_on=reported_on) for correction in corrections
    )
    if strange := first_forbidden_in_written_text(text.replace("\n", " ")):
        raise CommandLineError(f"What was typed has the character {strange}: write it in plain text.")
    if options["preview"]:
        _show_preview(office, workflows.correct.preview_typed(settings, text, folder))
        return
    preview, applied = workflows.correct.type_correction(settings, text, folder)
    if not office.as_json:
        say(preview.text())
    office.show(applied)


def _show_preview(office: Office, preview: Any) -> None:
    office.show(preview)
    if not office.as_json:
        say("Nothing was corrected (--preview).")


@correct.command("file", hidden=True)
@click.argument("file", type=PATH)
@_PREVIEW_OPTION
@in_office
def correct_file(file: Path, preview: bool, office: Office) -> None:
    """Apply the corrections of a file."""
    settings = office.settings()
    if preview:
        _show_preview(office, workflows.correct.preview(settings, file))
    else:
        office.show(workflows.correct.correct(settings, file))


@correct.command("result")
@click.argument("event")
@click.argument("round_number", metavar="ROUND", type=InRange(1))
@click.argument("white", type=FIDE_ID)
@click.argument("black", type=FIDE_ID)
@click.argument("result", type=click.Choice(_RESULTS))
@of_one_correction
def correct_result(event: str, round_number: int, white: int, black: int, result: str, **options: Any) -> None:
    """Correct the result of a game.

    EVENT is a code or a part of the event's name. WHITE and BLACK are FIDE IDs.
    """
    code = workflows.correct.event_named(options["office"].settings(), event)
    _type([_result(code, round_number, white, black, result)], options)


def _result(code: str, round_number: int, white: int, black: int, result: str) -> _Typed:
    match = {"event_id": code, "round": round_number, "white": white, "black": black}
    return "change_result", match, {"result": result}


@correct.command("report")
@click.argument("event")
@click.option(
    "--id",
    "ids",
    multiple=True,
    metavar="WRONG=RIGHT",
    help="The FIDE ID of a player of the report; two are exchanged by --id A=B --id B=A.",
)
@click.option(
    "--result", "results", multiple=True, metavar='"ROUND WHITE BLACK RESULT"', help="As `correct result` takes it."
)
@click.option("--field", "fields", multiple=True, metavar="FIELD=VALUE", help="Such as end_date=2025-11-09.")
@click.option("--file", type=PATH, help="A new report that takes the place of this one.")
@of_one_correction
def correct_report(
    event: str,
    ids: tuple[str, ...],
    results: tuple[str, ...],
    fields: tuple[str, ...],
    file: Path | None,
    **options: Any,
) -> None:
    """Correct a report: the FIDE IDs of players, results, its dates and other fields; or put a new one in its place.

    EVENT is a code or a part of the event's name. Options may be repeated; all of them are applied, or none.
    """
    from ratinglist.corrections.parser import REPORT_FIELDS

    if not (ids or results or fields or file):
        raise CommandLineError("nothing is corrected: give --id, --result, --field or --file.")
    pairs = [_wrong_and_right(text) for text in ids]
    match = {"event_id": workflows.correct.event_named(options["office"].settings(), event)}
    corrections: list[_Typed] = [("replace_report", match, {"file": file.name})] if file else []
    corrections += [("change_player", {**match, "fide_id": wrong}, {"fide_id": right}) for wrong, right in pairs]
    corrections += [_result(match["event_id"], *_result_parts(text)) for text in results]
    if fields:
        corrections.append(("change_report", match, dict(_datum(text, REPORT_FIELDS) for text in fields)))
    _type(corrections, options, file.parent if file else None)


def _result_parts(text: str) -> tuple[int, int, int, str]:
    """Return round, White, Black and result of ``ROUND WHITE BLACK RESULT``."""
    parts = re.fullmatch(r"(\d+) +(\d+) +(\d+) +(.+)", text.strip(), re.ASCII)
    if parts is None or parts[4] not in _RESULTS:
        raise CommandLineError(
            f"--result '{text}': write round, White, Black and the result, such as \"3 99900046 99900095 1-0\". The "
            f"result is one of {', '.join(_RESULTS)}."
        )
    return int(parts[1]), int(parts[2]), int(parts[3]), parts[4]


def _wrong_and_right(text: str) -> tuple[int, int]:
    """Return the FIDE IDs of ``WRONG=RIGHT``."""
    wrong, equals, right = text.partition("=")
    if not equals:
        raise CommandLineError(f"--id '{text}': write WRONG=RIGHT, the FIDE ID in the report and the right one.")
    return FIDE_ID(wrong.strip()), FIDE_ID(right.strip())


def _datum(text: str, keys: Collection[str]) -> tuple[str, object]:
    """Return key and value of ``KEY=VALUE``: a day, a whole number or a text, as it is written."""
    key, equals, value = (part.strip() for part in text.partition("="))
    if key not in keys or not equals:
        raise CommandLineError(f"'{text}': write KEY=VALUE, the key being one of {', '.join(keys)}.")
    if key == "official":
        return key, _OFFICIAL.get(value, value)
    if re.fullmatch(r"\d{4}-\d\d-\d\d", value):
        with suppress(ValueError):
            return key, date.fromisoformat(value)
    return key, int(value) if re.fullmatch(r"\d{1,9}", value) else value


@correct.command("player", context_settings={"ignore_unknown_options": True})
@click.argument("player", type=FIDE_ID)
@click.argument("data", metavar="KEY=VALUE...", nargs=-1, required=True)
@of_one_correction
def correct_player(player: int, data: tuple[str, ...], **options: Any) -> None:
    """Correct a player's data: every field that a list has.

    PLAYER is a FIDE ID. KEY is name, federation, sex, birth_date (YYYY-MM-DD), birth_year, title, women_title or
    other_titles. A title is taken away with `title=`.

    A transfer is no correction: register it with `ratinglist import-players FILE --from YYYY-MM-DD`. Where a federation
    was wrong on published lists, write --because past_federation="REASON".
    """
    from ratinglist.corrections.parser import PLAYER_DATA

    if option := next((text for text in data if text.startswith("-")), ""):
        key = option.strip("-").partition("=")[0]
        transfer = " A transfer is no correction: ratinglist import-players FILE --from YYYY-MM-DD."
        raise CommandLineError(f"{option} is no option: write {key}=VALUE.{transfer * (key == 'federation')}")
    said = dict(_datum(text, PLAYER_DATA) for text in data) | _answer(options, "past_federation")
    _type([("change_data", {"fide_id": player}, said)], options)


def _answer(options: dict[str, Any], name: str) -> dict[str, object]:
    """Return the answer to the question `name`, where --because is one, which is the reason of the correction then."""
    question, equals, reason = options["because"].partition("=")
    if question.strip() != name or not equals:
        return {}
    options["because"] = reason.strip()
    return {name: reason.strip()}


@correct.command("merge")
@click.argument("old", type=InRange(1))
@click.argument("new", type=InRange(1))
@of_one_correction
def correct_merge(old: int, new: int, **options: Any) -> None:
    """Make two FIDE IDs one person: what was received under OLD counts for NEW.

    Where their names, births, federations or sexes differ, write --because unlike_person="REASON".
    """
    _type([("merge", {"fide_id": old}, {"into": new, **_answer(options, "unlike_person")})], options)


@correct.command("withdraw")
@click.argument("event")
@of_one_correction
def correct_withdraw(event: str, **options: Any) -> None:
    """Refuse an event that was rated, as withdrawn. EVENT is a code or a part of its name."""
    code = workflows.correct.event_named(options["office"].settings(), event)
    _type([("withdraw_event", {"event_id": code}, {})], options)


@correct.command("undo")
@click.argument("correction", type=InRange(1))
@of_one_correction
def correct_undo(correction: int, **options: Any) -> None:
    """Take a correction back, by its number."""
    _type([("undo", {"correction": correction}, {})], options)
