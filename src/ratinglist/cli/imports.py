"""The commands that import official lists and players."""

from __future__ import annotations

from pathlib import Path

import click

from ratinglist.cli.options import CONTROL, MONTH, office_options, office_settings, say, show
from ratinglist.cli.progress import Progress
from ratinglist.config import Settings
from ratinglist.errors import CommandLineError
from ratinglist.period import Period
from ratinglist.store.home import is_home

_PREVIEW_OPTION = click.option("--preview", is_flag=True, help="Show what would change, and change nothing.")
_ASCII_NAMES_OPTION = click.option(
    "--ascii-names",
    is_flag=True,
    help="Replace a name by its own form in ASCII letters too; default: keep the stored one.",
)


@click.command("import-list")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--month", type=MONTH, required=True, help="The list's month: it takes effect on its first day.")
@click.option("--time-control", type=CONTROL, help="The list of the file, where the file does not name it.")
@click.option("--reference", is_flag=True, help="A list that other families look at, such as FIDE's for fsi.")
@_PREVIEW_OPTION
@_ASCII_NAMES_OPTION
@office_options
def import_list(
    file: Path,
    month: Period,
    time_control: str | None,
    reference: bool,
    preview: bool,
    ascii_names: bool,
    home: Path | None,
    as_json: bool,
) -> None:
    """Import an official list (FIDE TXT or XML, CSV, Parquet): the starting point."""
    from ratinglist.workflows import import_files, import_preview, import_references

    if reference:
        if preview or ascii_names:
            raise CommandLineError("A reference list changes no player: leave --preview and --ascii-names out.")
        show(import_references.import_reference(office_settings(home), file, month, time_control), as_json=as_json)
        return
    settings = Settings.read(home, progress=Progress())
    if preview:
        found = import_preview.preview_list(settings, file, month, time_control, ascii_names=ascii_names)
        show(found, as_json=as_json)
        return
    is_new = not is_home(settings.home)
    options = import_files.ListOptions(ascii_names=ascii_names)
    summary = import_files.import_list(settings, file, month, time_control, options=options)
    if is_new:
        say(f"ratinglist: a new home was made: {settings.home}", err=True)
    show(summary, as_json=as_json)


@click.command("import-players")
@click.argument("file", type=click.Path(path_type=Path))
@_PREVIEW_OPTION
@_ASCII_NAMES_OPTION
@office_options
def import_players(file: Path, preview: bool, ascii_names: bool, home: Path | None, as_json: bool) -> None:
    """Register players, or change their data. Takes the formats of import-list and tables of tournaments (CSV, XLSX).

    Ratings are ignored.
    """
    from ratinglist.workflows import import_files, import_preview

    settings = office_settings(home)
    if preview:
        show(import_preview.preview_players(settings, file, ascii_names=ascii_names), as_json=as_json)
    else:
        show(import_files.import_players(settings, file, ascii_names=ascii_names), as_json=as_json)
