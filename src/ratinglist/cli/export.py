"""The command ``export``: a published list as a file for other programs."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import click

from ratinglist import workflows
from ratinglist.cli.options import CONTROL, MONTH, PATH, InRange, Office, in_office
from ratinglist.errors import CommandLineError
from ratinglist.period import Period


class FormatName(click.Choice[str]):
    """The name of a list format. The table of formats is imported when the names are first needed, not before."""

    def __init__(self) -> None:
        self.case_sensitive = True

    @cached_property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override] # an attribute of click's class
        """The names in the table."""
        from ratinglist.lists.formats import FORMATS

        return tuple(FORMATS)


@click.command()
@click.argument("month", type=MONTH)
@click.option("--format", "format_name", type=FormatName(), required=True, help="The format of the file.")
@click.option("--federation", metavar="ITA", help="Players of one federation only.")
@click.option("--club", metavar="NAME", help="Members of one club only, those without a rating too.")
@click.option("--time-control", type=CONTROL, help="One list only; default: all the format has room for.")
@click.option("--top", type=InRange(1), help="The first so many of each list, and players with the rating of the last.")
@click.option("--revision", metavar="rN", help="A revision such as r1; default: the current one.")
@click.option("--legacy", is_flag=True, help="FIDE's layout without the arena titles (FOA).")
@click.option("--zip", "zipped", is_flag=True, help="FIDE's formats as the one file of a zip, as FIDE has them.")
@click.option(
    "--names",
    type=click.Choice(["ascii", "original"]),
    default="ascii",
    help="FIDE's XML: names in ASCII, or with all their letters in UTF-8.",
)
@click.option(
    "--separator",
    type=click.Choice(["comma", "semicolon"]),
    default="comma",
    help="csv-spreadsheet: the separator that spreadsheets of your country expect.",
)
@click.option("--out", type=PATH, help="A file, a folder, or - for standard output; default: here.")
@in_office
def export(
    month: Period,
    format_name: str,
    names: str,
    separator: str,
    out: Path | None,
    office: Office,
    **options: Any,
) -> None:
    """Write a published list for other programs: FIDE's formats, pairing programs, CSV, Parquet, a workbook."""
    from ratinglist.files.atomic_file import STDOUT
    from ratinglist.lists.selection import ExportRequest

    if out == STDOUT and office.as_json:
        raise CommandLineError("--out - and --json both want standard output: leave one of them out.")
    request = ExportRequest(
        period=month,
        format=format_name,
        original_names=names == "original",
        semicolons=separator == "semicolon",
        **options,
    )
    summary = workflows.export.export(office.settings(), request, out)
    if out == STDOUT:
        click.echo(summary.text(), err=True)
    else:
        office.show(summary)
