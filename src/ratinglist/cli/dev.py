"""The commands for people who add to the program."""

from __future__ import annotations

from pathlib import Path

import click

from ratinglist.cli.options import JSON_OPTION, show


@click.group()
def dev() -> None:
    """For people who write a rating system of their own."""


@dev.command("new-system")
@click.argument("name")
@JSON_OPTION
def new_system(name: str, as_json: bool) -> None:
    """Write the Python package of a new rating system into the folder NAME here: complete, to be changed."""
    from ratinglist.workflows import new_system as workflow

    show(workflow.new_system(name, Path()), as_json=as_json)
