"""The commands that begin something: a new office, the sample federation, the desk, a new rating system."""

from __future__ import annotations

import socket
import sys
from pathlib import Path
from typing import Any

import click

from ratinglist import workflows
from ratinglist.cli.options import CONTROL, MONTH, PATH, InRange, Office, Progress, in_office, say
from ratinglist.errors import CommandLineError, MissingExtraError
from ratinglist.period import Period
from ratinglist.settings import Settings


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


@click.command()
@click.option("--out", type=PATH, default=Path("demo-site"), show_default=True, help="The site.")
@in_office
def demo(out: Path, office: Office) -> None:
    """Play the sample federation: four months, published, with their site. The home is demo-home, or --home."""
    done = list(workflows.init.demo(Settings.read(office.home or Path("demo-home"), progress=Progress()), out))
    office.show_rows([one.as_dict() for one in done], lambda: "\n".join(one.text() for one in done))


LOCAL = "127.0.0.1"


@click.command()
@click.option("--port", type=InRange(0, 65_535), default=8385, show_default=True, help="0: any that is free.")
@click.option("--host", default=LOCAL, hidden=True)
@click.option("--browser/--no-browser", default=None, help="Open it in the browser; default: where started by hand.")
@click.option("--new", is_flag=True, help="Begin an office in a home that is not there yet.")
@in_office
def desk(port: int, host: str, browser: bool | None, new: bool, office: Office) -> None:
    """Open the office in the browser of this computer, and serve it until it is stopped with Ctrl-C."""
    if host not in (LOCAL, "localhost"):
        raise CommandLineError(
            f"--host {host}: the desk is served to this computer alone, because it has no accounts. To use it from "
            f"another one, forward its port: ssh -L {port}:{LOCAL}:{port} COMPUTER"
        )
    # Imported here, because no other command needs a server.
    try:
        from ratinglist.desk.server import Desk, serve
    except ModuleNotFoundError as missing:
        raise MissingExtraError(str(missing.name), "desk") from None

    settings = office.settings_without_home() if new else None
    if settings is None or settings.home.exists():
        settings = office.settings()
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((LOCAL, port))
        except OSError:
            raise CommandLineError(
                f"--port {port} is used by another program, perhaps by a desk that is open already: close it, or name "
                "another port, such as --port 0 for any that is free."
            ) from None
        # A browser that is opened before the server runs waits, and is not turned away.
        listening.listen()
        opened = Desk(settings, listening.getsockname()[1])
        if office.as_json:
            office.show(opened)
        else:
            say(opened.text())
        sys.stdout.flush()
        if browser or (browser is None and sys.stdout.isatty() and not office.as_json):
            import webbrowser

            webbrowser.open(opened.first_page().as_uri())
        serve(opened, listening)


@click.group()
def dev() -> None:
    """For people who write a rating system of their own."""


@dev.command("new-system")
@click.argument("name")
@in_office
def new_system(name: str, office: Office) -> None:
    """Write the Python package of a new rating system into the folder NAME here: complete, to be changed."""
    office.show(workflows.new_system.new_system(name, Path()))
