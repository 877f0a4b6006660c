"""The commands for readers of lists: files for other programs, the site, queries, and what proves a list."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ratinglist import workflows
from ratinglist.cli.options import CONTROL, MONTH, PATH, Office, end_with, in_office, say
from ratinglist.errors import AlteredError, CommandLineError
from ratinglist.period import Period
from ratinglist.text import on_one_line, visible

if TYPE_CHECKING:
    import polars as pl


_FORMATS = (
    "fide-txt",
    "fide-xml",
    "swiss-manager-csv",
    "vega-csv",
    "csv",
    "csv-spreadsheet",
    "parquet",
    "xlsx",
    "sqlite",
)
"""The names of :data:`ratinglist.lists.formats.FORMATS`, whose import is not for ``--help``."""


@click.command()
@click.argument("month", type=MONTH)
@click.option("--format", "format_name", type=click.Choice(_FORMATS), required=True, help="The format of the file.")
@click.option("--federation", metavar="ITA", help="Players of one federation only.")
@click.option("--time-control", type=CONTROL, help="One list only; default: all the format has room for.")
@click.option("--revision", metavar="rN", help="A revision such as r1; default: the current one.")
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
@click.option("--out", type=PATH, help="A file, a .zip for it, a folder, or - for standard output; default: here.")
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
    from ratinglist.lists.formats import ExportRequest

    if out == STDOUT and office.as_json:
        raise CommandLineError("--out - and --json both want standard output: leave one of them out.")
    request = ExportRequest(
        period=month,
        format=format_name,
        original_names=names == "original",
        semicolons=separator == "semicolon",
        **options,
    )
    summary = workflows.for_readers.export(office.settings(), request, out)
    if out == STDOUT:
        click.echo(summary.text(), err=True)
    else:
        office.show(summary)


@click.command("list")
@click.argument("month", type=MONTH)
@click.option("--time-control", type=CONTROL, default="standard", show_default=True)
@in_office
def known_list(month: Period, time_control: str, office: Office) -> None:
    """Print the newest calculation of a list as CSV, with the bytes that publish writes."""
    from ratinglist.store.table_files import csv_text

    rows = workflows.for_readers.known_list(office.settings(), month, time_control)
    if office.as_json:
        office.show_rows(rows.to_dicts(), str)
    else:
        # Exact bytes where a program reads it; on a terminal, control characters are escaped.
        text = csv_text(rows)
        click.echo(visible(text) if sys.stdout.isatty() else text, nl=False)


# A query may start with a comment, and a comment with two dashes.
@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("query")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@in_office
def sql(query: str, as_csv: bool, office: Office) -> None:
    """Query everything published, read-only: lists, changes, games, entries, pool, events."""
    if as_csv and office.as_json:
        raise CommandLineError("--csv and --json both want standard output: leave one of them out.")
    rows = workflows.sql.query(office.settings(), query)
    if as_csv:
        say(workflows.sql.as_csv(rows).removesuffix("\n"))
    else:
        as_table = workflows.sql.showing()(_table)
        office.show_rows(workflows.sql.json_rows(rows), lambda: as_table(rows))


def _table(rows: pl.DataFrame) -> str:
    """Return rows as an aligned text table, every row and every column whole."""
    from ratinglist.text import shown, text_table

    cells = [[shown(cell) for cell in row] for row in rows.iter_rows()]
    names = [on_one_line(name) for name in rows.columns]
    return "\n".join(text_table(names, cells, [dtype.is_numeric() for dtype in rows.dtypes], rule=True))


@click.command()
@click.argument("path", type=PATH)
@click.option(
    "--key",
    type=PATH,
    help="The office's public key (PEM), which must have signed the index and every revision since it has signed.",
)
@in_office
def verify(path: Path, key: Path | None, office: Office) -> None:
    """Find any published file that is not what was published: a revision, or all of them (exit 4)."""
    from ratinglist.publication import published_files
    from ratinglist.publication.manifest import read_public_key

    verified = published_files.verify(path, read_public_key(key) if key else None)
    office.show(verified)
    if verified.wrong:
        end_with(AlteredError, verified.complaint())


@click.command()
@click.argument("revision", type=PATH)
@click.option("--inputs", type=PATH, required=True, help="The folder that holds the office's files.")
@in_office
def reproduce(revision: Path, inputs: Path, office: Office) -> None:
    """Make a published revision again from its log and inputs, in a temporary home, and compare the digest (exit 4)."""
    office.show(workflows.replay.reproduce(revision, inputs, office.settings_without_home()))


COMMANDS = (export, known_list, sql, verify, reproduce)
