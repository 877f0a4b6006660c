"""The commands that prove a published list and take it back."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ratinglist.cli.options import MONTH, calculates_as_a_whole, office_options, office_settings, say, show
from ratinglist.cli.progress import Progress
from ratinglist.config import Settings
from ratinglist.errors import AlteredError
from ratinglist.period import Period


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--key",
    type=click.Path(path_type=Path),
    help="The office's public key (PEM), which must have signed the index and every revision since it has signed.",
)
@click.option(
    "--seen",
    type=click.IntRange(min=1),
    metavar="COUNTER",
    help="The counter that verify printed before: an index that is older was set back.",
)
@office_options
def verify(
    path: Path,
    key: Path | None,
    seen: int | None,
    home: Path | None,  # noqa: ARG001 - every command accepts --home; this one reads no home
    as_json: bool,
) -> None:
    """Find any published file that is not what was published: a revision, a month, or all of them (exit 4)."""
    from ratinglist.publication import verify as verification
    from ratinglist.publication.signature import read_public_key

    found = verification.verify(path, read_public_key(key) if key else None, seen or 0)
    show(found, as_json=as_json)
    if found.wrong:
        # The findings are the result on stdout, so no error is raised: only the exit code differs.
        say(f"ratinglist: {found.complaint()}", err=True)
        sys.exit(AlteredError.exit_code)


@click.command()
@click.argument("month", type=MONTH)
@click.option("--because", required=True, help="The reason, as text; it is kept, and published in rollbacks.csv.")
@click.option("--by", default="", help="The person who decided it.")
@click.option("--to", metavar="rN", help="The revision to make current; default: the one before.")
@office_options
def rollback(month: Period, because: str, by: str, to: str | None, home: Path | None, as_json: bool) -> None:
    """Take a published list back: the revision before is current again at once; nothing is calculated."""
    from ratinglist.workflows import rollback as workflow

    show(workflow.rollback(office_settings(home), month, because, by, to), as_json=as_json)


@click.command()
@click.argument("month", type=MONTH)
@office_options
def sign(month: Period, home: Path | None, as_json: bool) -> None:
    """Sign the revisions of a month that were published before the office had its key."""
    from ratinglist.workflows import sign as workflow

    show(workflow.sign(office_settings(home), month), as_json=as_json)


@click.command()
@click.argument("revision", type=click.Path(path_type=Path))
@click.option(
    "--inputs", type=click.Path(path_type=Path), required=True, help="The folder that holds the office's files."
)
@calculates_as_a_whole
@office_options
def reproduce(revision: Path, inputs: Path, home: Path | None, as_json: bool) -> None:
    """Calculate a published revision again from its inputs, in a temporary home, and compare the digest (exit 4)."""
    from ratinglist.workflows import reproduce as workflow

    show(workflow.reproduce(revision, inputs, Settings.read(home, progress=Progress())), as_json=as_json)
