"""The commands that begin something: a new office, a new rating system."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ratinglist import workflows
from ratinglist.cli.options import CONTROL, MONTH, PATH, InRange, Office, in_office
from ratinglist.period import Period


@click.command()
@click.argument("file", type=PATH)
@click.option("--month", type=MONTH, required=True, help="The list's month: it takes effect on its first day.")
@click.option("--time-control", type=CONTROL, help="The list of the file, where the file does not name it.")
@click.option("--name", default="", help="Of the office; what it publishes states it.")
@click.option("--approver", "approvers", multiple=True, metavar="NAME", help="May approve lists. May be repeated.")
@click.option("--approvals", type=InRange(0), default=0, show_default=True, help="How many people approve each list.")
@click.option("--site", is_flag=True, help="Make the site again after each scheduled list.")
@in_office
def init(file: Path, month: Period, time_control: str | None, office: Office, **choices: Any) -> None:
    """Begin an office: import the list that it starts from, and write its choices."""
    settings = office.settings_without_home()
    office.show(workflows.init.init(settings, workflows.init.Choices(**choices), file, month, time_control))


@click.group()
def dev() -> None:
    """For people who write a rating system of their own."""


@dev.command("new-system")
@click.argument("name")
@in_office
def new_system(name: str, office: Office) -> None:
    """Write the Python package of a new rating system into the folder NAME here: complete, to be changed."""
    office.show(workflows.new_system.new_system(name, Path()))
