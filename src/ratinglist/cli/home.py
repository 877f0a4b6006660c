"""The commands that keep a home: backup, restore, doctor."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ratinglist.cli.options import office_options, office_settings, say, show
from ratinglist.cli.progress import Progress
from ratinglist.config import Settings
from ratinglist.errors import HomeError


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@office_options
def backup(folder: Path, home: Path | None, as_json: bool) -> None:
    """Copy the home into DIR, or what changed since the backup in DIR; checked, verified, all or nothing."""
    from ratinglist.workflows import backup as workflow

    show(workflow.backup(office_settings(home), folder), as_json=as_json)


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--replace", is_flag=True, help="Replace a home that is not empty; what it holds is kept aside.")
@click.option(
    "--discard-newer", is_flag=True, help="Also where it holds publications or changes that the backup does not have."
)
@office_options
def restore(folder: Path, replace: bool, discard_newer: bool, home: Path | None, as_json: bool) -> None:
    """Put the home back as the backup in DIR has it."""
    from ratinglist.workflows import restore as workflow

    settings = Settings.read(home, progress=Progress())
    show(workflow.restore(settings, folder, replace=replace, discard_newer=discard_newer), as_json=as_json)


@click.command()
@click.option("--rebuild", is_flag=True, help="Rebuild the store and the calculations from the archive.")
@click.option("--tidy", is_flag=True, help="Delete old previews, what rebuilds replaced, and unfinished files.")
@office_options
def doctor(rebuild: bool, tidy: bool, home: Path | None, as_json: bool) -> None:
    """Check everything the home keeps: store, journal, archive, calculations, publications (exit 4 if not whole)."""
    from ratinglist.workflows import doctor as workflow

    settings = office_settings(home)
    if rebuild and tidy:
        raise click.UsageError("--rebuild and --tidy are two commands: rebuild first, look at the home, then tidy it.")
    if rebuild:
        from ratinglist.workflows.rebuild import rebuild as rebuild_home

        show(rebuild_home(settings), as_json=as_json)
    elif tidy:
        from ratinglist.workflows.tidy import tidy as tidy_home

        show(tidy_home(settings), as_json=as_json)
    else:
        found = workflow.check(settings)
        show(found, as_json=as_json)
        if found.problems:
            # The check is the result on stdout, so no error is raised: only the exit code differs.
            count = "1 problem" if len(found.problems) == 1 else f"{len(found.problems):,} problems"
            say(f"ratinglist: {count} found in {settings.home}", err=True)
            sys.exit(HomeError.exit_code)
