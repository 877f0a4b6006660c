"""The commands on lists: import, re-rating, comparison with an official list, events, identities."""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ratinglist import workflows
from ratinglist.cli.options import (
    CONTROL,
    DAY,
    MONTH,
    PATH,
    InRange,
    Office,
    in_office,
    say,
)
from ratinglist.cli.publication import BECAUSE_OPTION, reasons
from ratinglist.errors import CommandLineError
from ratinglist.period import Period
from ratinglist.settings import is_home
from ratinglist.text import visible

if TYPE_CHECKING:
    from ratinglist.office import Land

_PREVIEW_OPTION = click.option("--preview", is_flag=True, help="Show what would change, and change nothing.")
_ASCII_NAMES_OPTION = click.option(
    "--ascii-names",
    is_flag=True,
    help="Replace a name by its own form in ASCII letters, other order or capitals too; default: keep the stored one.",
)


_BECAUSE_OPTION = click.option(
    "--because",
    multiple=True,
    metavar='QUESTION="REASON"',
    help="Why a file that raises this question is right; kept in the log. May be repeated.",
)


@click.command("import-list")
@click.argument("file", type=PATH)
@click.option("--month", type=MONTH, required=True, help="The list's month: it takes effect on its first day.")
@click.option("--time-control", type=CONTROL, help="The list of the file, where the file does not name it.")
@click.option("--reference", is_flag=True, help="A list that other families look at, such as FIDE's for fsi.")
@_PREVIEW_OPTION
@_ASCII_NAMES_OPTION
@_BECAUSE_OPTION
@in_office
def import_list(
    file: Path,
    month: Period,
    time_control: str | None,
    reference: bool,
    preview: bool,
    ascii_names: bool,
    because: tuple[str, ...],
    office: Office,
) -> None:
    """Import an official list (FIDE TXT or XML, CSV, Parquet): the starting point."""
    from ratinglist.publication.doubts import parse_reasons, question_names

    if reference:
        if preview or ascii_names or because:
            raise CommandLineError(
                "A reference list changes no player and raises no question: leave out --preview, --ascii-names and "
                "--because."
            )
        office.show(workflows.import_files.import_reference(office.settings(), file, month, time_control))
        return
    settings = office.settings_without_home()
    is_new = not is_home(settings.home)
    given = parse_reasons(because, question_names("import-list"))
    summary = workflows.import_files.import_list(
        settings, file, month, time_control, ascii_names=ascii_names, because=given, preview=preview
    )
    if is_new and not preview:
        say(f"ratinglist: a new home was made: {settings.home}", err=True)
    office.show(summary)


@click.command("import-players")
@click.argument("file", type=PATH)
@_PREVIEW_OPTION
@_ASCII_NAMES_OPTION
@click.option(
    "--from",
    "start",
    type=DAY,
    help="The day from which it counts, such as that of a transfer: published lists stay as they are.",
)
@_BECAUSE_OPTION
@in_office
def import_players(
    file: Path, preview: bool, ascii_names: bool, start: date | None, because: tuple[str, ...], office: Office
) -> None:
    """Register players, or change their data. Takes the formats of import-list and tables of tournaments (CSV, XLSX).

    Ratings are ignored.
    """
    from ratinglist.publication.doubts import parse_reasons, question_names

    given = parse_reasons(because, question_names("import-players"))
    settings = office.settings()
    summary = workflows.import_files.import_players(
        settings, file, ascii_names=ascii_names, because=given, preview=preview, start=start
    )
    office.show(summary)


@click.command()
@click.option("--from", "start", type=MONTH, required=True, help="The first list to calculate again.")
@click.option(
    "--land",
    type=click.Choice(["revisions", "next_list"]),
    help="revisions: of every list that changed. next_list: published lists stay, and the next one starts from the "
    "corrected ratings. Default: as office.toml says, else revisions.",
)
@_PREVIEW_OPTION
@BECAUSE_OPTION
@in_office
def rerate(start: Period, land: Land | None, preview: bool, because: tuple[str, ...], office: Office) -> None:
    """Calculate every list from a month on again; publish a new revision, with its diff, of each list that changed."""
    given = reasons(because)
    settings = office.settings()
    office.show(workflows.rerate.rerate(settings, start, preview=preview, because=given, land=land))


@click.command("list")
@click.argument("month", type=MONTH)
@click.option("--time-control", type=CONTROL, default="standard", show_default=True)
@click.option("--club", metavar="NAME", help="Members of one club only, by today's register.")
@in_office
def known_list(month: Period, time_control: str, club: str | None, office: Office) -> None:
    """Print the newest calculation of a list as CSV, with the bytes that publish writes."""
    from ratinglist.store.table_files import csv_text

    rows = workflows.known_list.known_list(office.settings(), month, time_control, club)
    if office.as_json:
        office.show_rows(rows.to_dicts(), str)
    else:
        # Exact bytes where a program reads it; on a terminal, control characters are escaped.
        text = csv_text(rows)
        click.echo(visible(text) if sys.stdout.isatty() else text, nl=False)


@click.command()
@click.argument("event", metavar="EVENT")
@in_office
def event(event: str, office: Office) -> None:
    """Show what became of an event: its reports, what is missing, and until when it can be rated.

    EVENT is a code, or a part of a name that no other event has.
    """
    office.show(workflows.quarantine.event(office.settings(), event))


@click.command()
@click.option("--min-score", type=InRange(0, 100), help="Show candidates with this score or more; default: 70.")
@click.option("--out", type=PATH, help="Write the candidates to this file instead, .csv or .parquet.")
@in_office
def identities(min_score: int | None, out: Path | None, office: Office) -> None:
    """Propose players who may be one person, and FIDE IDs that may be wrong in reports; change nothing."""
    from ratinglist.files.atomic_file import check_output, write_atomically
    from ratinglist.names.identity_matching import CANDIDATE
    from ratinglist.store.table_files import check_table_path, write_table

    settings = office.settings()
    if out is not None:
        check_table_path(out)
        check_output(out, settings.home)
    least = workflows.identities.MIN_SCORE if min_score is None else min_score
    rows = workflows.identities.propose(settings, least)
    if out is not None:
        write_atomically(out, lambda temporary: write_table(temporary, CANDIDATE, rows))
    written = f"{len(rows):,} candidates: {out}"
    office.show_rows(rows.to_dicts(), lambda: workflows.identities.text(rows, least) if out is None else written)
