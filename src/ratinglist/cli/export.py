"""The command ``export``: a published list as a file for other programs."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

import click

from ratinglist.cli.options import CONTROL, MONTH, office_options, office_settings, show
from ratinglist.errors import CommandLineError
from ratinglist.period import Period


class FormatName(click.Choice[str]):
    """The name of a list format. The table of formats is imported when the names are first needed, not before."""

    def __init__(self) -> None:
        self.case_sensitive = True

    @cached_property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        """The names in the table."""
        from ratinglist.lists.formats import FORMATS

        return tuple(FORMATS)


@click.command()
@click.argument("month", type=MONTH)
@click.option("--format", "format_name", type=FormatName(), required=True, help="The format of the file.")
@click.option("--federation", metavar="ITA", help="Players of one federation only.")
@click.option("--time-control", type=CONTROL, help="One list only; default: all the format has room for.")
@click.option(
    "--top", type=click.IntRange(min=1), help="The first so many of each list, and players with the rating of the last."
)
@click.option("--revision", metavar="rN", help="A revision such as r1; default: the current one.")
@click.option("--legacy", is_flag=True, help="FIDE's layout without the arena titles (FOA).")
@click.option("--zip", "zipped", is_flag=True, help="FIDE's formats as the one file of a zip, as FIDE has them.")
@click.option("--since", type=MONTH, help="The earlier list that changes-since compares with.")
@click.option(
    "--out", type=click.Path(path_type=Path), help="A file, a folder, or - for standard output; default: here."
)
@office_options
def export(
    month: Period,
    format_name: str,
    federation: str | None,
    time_control: str | None,
    top: int | None,
    revision: str | None,
    legacy: bool,
    zipped: bool,
    since: Period | None,
    out: Path | None,
    home: Path | None,
    as_json: bool,
) -> None:
    """Write a published list for other programs: FIDE's formats, pairing programs, CSV, Parquet, a workbook."""
    from ratinglist.lists.atomic_file import STDOUT
    from ratinglist.lists.export_request import ExportRequest
    from ratinglist.workflows import export as workflow

    if out == STDOUT and as_json:
        raise CommandLineError("--out - and --json both want standard output: leave one of them out.")
    request = ExportRequest(
        period=month,
        format=format_name,
        federation=federation,
        time_control=time_control,
        top=top,
        revision=revision,
        legacy=legacy,
        zipped=zipped,
        since=since,
    )
    summary = workflow.export(office_settings(home), request, out)
    if out == STDOUT:
        click.echo(summary.text(), err=True)
    else:
        show(summary, as_json=as_json)
