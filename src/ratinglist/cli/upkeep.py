"""The commands that begin and keep an office: lists and players in, rules, the log, backups."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import click

from ratinglist import workflows
from ratinglist.cli.options import (
    BECAUSE_OPTION,
    CONTROL,
    DAY,
    MONTH,
    PATH,
    PREVIEW_OPTION,
    RULES_OPTION,
    Office,
    end_with,
    in_office,
    reasons,
    say,
)
from ratinglist.errors import CommandLineError, HomeError
from ratinglist.period import Period
from ratinglist.settings import Settings, is_home
from ratinglist.text import counted


@click.command()
@click.argument("file", type=PATH)
@click.option("--month", type=MONTH, required=True, help="The list's month: it takes effect on its first day.")
@click.option("--time-control", type=CONTROL, help="The list of the file, where the file does not name it.")
@in_office
def init(file: Path, month: Period, time_control: str | None, office: Office) -> None:
    """Begin an office: import the list that it starts from, and write an office.toml to choose in."""
    office.show(workflows.init.init(office.settings_without_home(), file, month, time_control))


@click.command("import-list")
@click.argument("file", type=PATH)
@click.option("--month", type=MONTH, required=True, help="The list's month: it takes effect on its first day.")
@click.option("--time-control", type=CONTROL, help="The list of the file, where the file does not name it.")
@click.option("--reference", is_flag=True, help="A list that other families look at, such as FIDE's for fsi.")
@PREVIEW_OPTION
@BECAUSE_OPTION
@in_office
def import_list(
    file: Path,
    month: Period,
    time_control: str | None,
    reference: bool,
    preview: bool,
    because: tuple[str, ...],
    office: Office,
) -> None:
    """Import an official list (FIDE TXT or XML, CSV, Parquet): the starting point."""
    if reference:
        if preview or because:
            raise CommandLineError(
                "A reference list changes no player and raises no question: leave out --preview and --because."
            )
        office.show(workflows.import_files.import_reference(office.settings(), file, month, time_control))
        return
    settings = office.settings_without_home()
    is_new = not is_home(settings.home)
    answers = reasons(because, "import-list")
    summary = workflows.import_files.import_list(settings, file, month, time_control, because=answers, preview=preview)
    if is_new and not preview:
        say(f"ratinglist: a new home was made: {settings.home}", err=True)
    office.show(summary)


@click.command("import-players")
@click.argument("file", type=PATH)
@PREVIEW_OPTION
@click.option(
    "--from",
    "start",
    type=DAY,
    help="The day from which it counts, such as that of a transfer: published lists stay as they are.",
)
@BECAUSE_OPTION
@in_office
def import_players(file: Path, preview: bool, start: date | None, because: tuple[str, ...], office: Office) -> None:
    """Register players, or change their data. Takes the formats of import-list and tables of tournaments (CSV).

    Ratings are ignored.
    """
    answers = reasons(because, "import-players")
    settings = office.settings()
    summary = workflows.import_files.import_players(settings, file, because=answers, preview=preview, start=start)
    office.show(summary)


@click.command()
@click.option("--on", type=DAY, help="The day of the rules shown; default: today.")
@RULES_OPTION
@in_office
def rules(on: date | None, family: str | None, office: Office) -> None:
    """Show the rule sets in force on a day, every value with its article."""
    from ratinglist.store.rule_files import rule_book

    settings = Settings.read(office.home, family, family_of=workflows.opening.family_of_home)
    workflows.opening.use_systems_of(settings.home)
    in_force = rule_book().in_force(settings.family, on or settings.today)
    office.show_rows(
        [rule_set.as_dict() for rule_set in in_force], lambda: "\n\n".join(rule_set.text() for rule_set in in_force)
    )


@click.command()
@in_office
def systems(office: Office) -> None:
    """Show every rating system that is installed: from which package, in which version, and whether it is used."""
    rows = workflows.systems.installed_systems(office.settings_without_home())
    office.show_rows(rows, lambda: workflows.systems.systems_text(rows))


@click.command()
@click.option("--since", type=DAY, metavar="YYYY-MM-DD", help="Only what was done on that day and later.")
@in_office
def log(since: date | None, office: Office) -> None:
    """Show what was done in this office, when and by whom; each change has a number."""
    rows = workflows.undo.changes(office.settings(), since)
    office.show_rows(rows, lambda: workflows.undo.changes_text(rows))


@click.command()
@click.argument("folder", metavar="DIR", type=PATH)
@in_office
def backup(folder: Path, office: Office) -> None:
    """Copy the home into DIR, or what changed since the backup in DIR; checked, verified, all or nothing."""
    office.show(workflows.backup.backup(office.settings(), folder))


@click.command()
@click.argument("folder", metavar="DIR", type=PATH)
@in_office
def restore(folder: Path, office: Office) -> None:
    """Copy the backup in DIR back into an empty home, and check it."""
    office.show(workflows.backup.restore(office.settings_without_home(), folder))


@click.command()
@click.option("--rebuild", is_flag=True, help="Make the store again, and put back what was altered or lost.")
@click.option("--tidy", is_flag=True, help="Delete old previews, and what rebuilds replaced.")
@in_office
def doctor(rebuild: bool, tidy: bool, office: Office) -> None:
    """Check everything the home keeps: log, originals, store, calculations, publications (exit 4 if not whole)."""
    settings = office.settings()
    if rebuild and tidy:
        raise click.UsageError("--rebuild and --tidy are two commands: rebuild first, look at the home, then tidy it.")
    if rebuild:
        office.show(workflows.replay.rebuild(settings))
    elif tidy:
        office.show(workflows.doctor.tidy(settings))
    else:
        check = workflows.doctor.check(settings)
        office.show(check)
        if check.problems:
            end_with(HomeError, f"{counted(len(check.problems), 'problem')} found in {settings.home}")


@click.command()
@click.argument("month", type=MONTH)
@in_office
def sign(month: Period, office: Office) -> None:
    """Sign the revisions of a month that were published before the office had its key."""
    office.show(workflows.publish.sign(office.settings(), month))


@click.group()
def dev() -> None:
    """For people who write a rating system of their own."""


@dev.command("new-system")
@click.argument("name")
@in_office
def new_system(name: str, office: Office) -> None:
    """Write the Python package of a new rating system into the folder NAME here: complete, to be changed."""
    office.show(workflows.systems.new_system(name, Path()))


COMMANDS = (init, import_list, import_players, rules, systems, log, backup, restore, doctor, sign, dev)
