"""The commands that prove what is published, and take it back."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from ratinglist.cli.options import MONTH, Progress, office_options, say, show
from ratinglist.config import Settings
from ratinglist.errors import AlteredError
from ratinglist.period import Period


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "--key", type=click.Path(path_type=Path), help="The office's public key (PEM): every revision signed by it."
)
@office_options
def verify(path: Path, key: Path | None, home: Path | None, as_json: bool) -> None:  # noqa: ARG001 - asks no home
    """Find any published file that is not what was published: a revision, a month, or all of them (exit 4)."""
    from ratinglist.publication import verify as proof
    from ratinglist.publication.signature import read_public_key

    found = proof.verify(path, read_public_key(key) if key else None)
    show(found, as_json=as_json)
    if found.wrong:
        # The result is the document on stdout, so this is no error to raise: only the exit code says it.
        say(f"ratinglist: {found.complaint()}", err=True)
        sys.exit(AlteredError.exit_code)


@click.command()
@click.argument("month", type=MONTH)
@click.option("--because", required=True, help="Why, in words: it is kept, and published in rollbacks.csv.")
@click.option("--by", default="", help="Who decided it.")
@click.option("--to", metavar="rN", help="The revision to make current; default: the one before.")
@office_options
def rollback(month: Period, because: str, by: str, to: str | None, home: Path | None, as_json: bool) -> None:
    """Take a published list back: the revision before is current again, at once, and nothing is calculated."""
    from ratinglist.workflows import rollback as taking_back

    show(taking_back.rollback(Settings.read(home, progress=Progress()), month, because, by, to), as_json=as_json)


@click.command()
@click.argument("revision", type=click.Path(path_type=Path))
@click.option(
    "--inputs", type=click.Path(path_type=Path), required=True, help="The folder that holds the office's files."
)
@office_options
def reproduce(revision: Path, inputs: Path, home: Path | None, as_json: bool) -> None:
    """Calculate a published revision again from its inputs, in a home of its own, and compare the digest (exit 4)."""
    from ratinglist.workflows import reproduce as again

    show(again.reproduce(revision, inputs, Settings.read(home, progress=Progress())), as_json=as_json)
