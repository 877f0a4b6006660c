"""The command of the desk."""

from __future__ import annotations

import socket
import sys

import click

from ratinglist.cli.options import InRange, Office, in_office, say
from ratinglist.errors import CommandLineError, MissingExtraError


@click.command()
@click.option("--port", type=InRange(0, 65_535), default=8385, show_default=True, help="0: any that is free.")
@click.option("--browser/--no-browser", default=None, help="Open it in the browser; default: where started by hand.")
@click.option("--new", is_flag=True, help="Begin an office in a home that is not there yet.")
@in_office
def desk(port: int, browser: bool | None, new: bool, office: Office) -> None:
    """Open the office in the browser of this computer, and serve it until it is stopped with Ctrl-C."""
    # Imported here, because no other command needs a server.
    try:
        from ratinglist_desk.server import HOST, Desk, serve
    except ModuleNotFoundError as missing:
        raise MissingExtraError(str(missing.name), "desk") from None

    settings = office.settings_without_home() if new else None
    if settings is None or settings.home.exists():
        settings = office.settings()
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((HOST, port))
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


COMMANDS = (desk,)
