"""The command line: parse arguments, call a workflow, print its summary, map exceptions to exit codes.

Results go to stdout, progress and messages to stderr; ``--json`` prints one JSON document. A command imports what it
needs when it runs, so that ``--help`` is fast.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import NoReturn

import click

from ratinglist import __version__
from ratinglist.cli import month, readers, trouble, upkeep
from ratinglist.cli.correct import correct
from ratinglist.cli.options import PATH, say
from ratinglist.errors import NothingReadError, RatinglistError, system_error_text
from ratinglist.settings import Settings, is_home

_GROUPS = {
    "The month": ("run", "load", "rate", "status", "quarantine", "publish", "approve"),
    "When something is wrong": (
        *("explain", "event", "find", "identities", "letters"),
        *("correct", "rerate", "retract", "rollback", "dismiss"),
    ),
    "For readers": ("export", "site", "list", "sql", "verify", "reproduce", "statistics"),
    "Upkeep": (
        *("init", "demo", "desk", "import-list", "import-players", "rules", "systems"),
        *("log", "backup", "restore", "doctor", "sign"),
    ),
    "Analysis": (
        *("reconcile", "lab", "expected", "performance", "update", "rounds", "standings"),
        *("simulate", "dev"),
    ),
}
"""The commands by what they are for, as ``--help`` lists them."""


class _Program(click.Group):
    """The commands in groups."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - of click
        """List each group of commands with the first sentence of each."""
        for title, names in _GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name, self.commands[name].get_short_help_str(limit=110)) for name in names])


@click.group(
    cls=_Program,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(__version__, prog_name="ratinglist")
@click.option("--home", type=PATH, expose_value=True, hidden=True)
@click.pass_context
def program(ctx: click.Context, home: Path | None) -> None:
    """From a folder of tournament reports to a published, exact, explainable rating list."""
    if ctx.invoked_subcommand is None:
        _begin(ctx, Settings.read(home).home)


def _begin(ctx: click.Context, home: Path) -> None:
    """Show the office where there is one, else how to begin."""
    if is_home(home):
        ctx.invoke(month.status, home=home, as_json=False)
    else:
        say(
            f"There is no rating office in {home} yet. To begin one: ratinglist init LIST --month YYYY-MM. "
            "To try it: ratinglist demo"
        )
    say("All commands: ratinglist --help")


_ADD_ONS = (
    *("ratinglist_desk.commands", "ratinglist_lab.commands"),
    *("ratinglist_site.commands", "ratinglist_world.commands"),
)
"""The modules of add-ons that have commands, each with ``COMMANDS``. To look for entry points takes longer."""

program.add_command(correct)
for _module in (month, trouble, readers, upkeep, *map(import_module, _ADD_ONS)):
    for _command in _module.COMMANDS:
        program.add_command(_command)


_OBJECTS_BETWEEN_COLLECTIONS = 50_000


def main() -> NoReturn:
    """Run the command line and exit with the documented codes; RATINGLIST_DEBUG=1 lets a traceback through."""
    # A short command spends a twentieth of its time on collections while it imports, and they find nothing.
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    try:
        program(standalone_mode=False)
    except click.ClickException as error:
        # A file name in the command line may hold control characters: print through say.
        message = StringIO()
        error.show(message)
        say(message.getvalue().removesuffix("\n"), err=True)
        _exit(error.format_message(), error.exit_code)
    except RatinglistError as error:
        say(f"ratinglist: {error}", err=True)
        _exit(str(error), error.exit_code, error.doubts)
    except BaseException as error:
        # A panic of Polars is a BaseException and no Exception.
        if isinstance(error, SystemExit) or os.environ.get("RATINGLIST_DEBUG"):
            raise
        system_error = system_error_text(error)
        text = system_error or (
            f"this is a defect of the program, not of your files: {type(error).__name__}: {error}\n"
            "What was finished before it is kept, and the command may be given again. Run it with RATINGLIST_DEBUG=1 "
            "in the environment and report what it prints."
        )
        say(f"ratinglist: {text}", err=True)
        _exit(text, NothingReadError.exit_code if system_error else 1)
    sys.exit(0)


def script() -> NoReturn:
    """Run :func:`main` as a program of its own, and end the process without the interpreter's teardown.

    The teardown of all that a command imports takes 0.2 s, a fifth of `status`, and has nothing to do: every command
    has closed its files and threads when :func:`main` exits.
    """
    # Where the shell has closed one, a file of the home would get its number, and what libraries print there.
    sys.stdin = sys.stdin or Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115 - until the process ends
    sys.stdout = sys.stdout or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - as above
    sys.stderr = sys.stderr or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - as above
    try:
        main()
    except SystemExit as ended:
        # What cannot be written was said when it was printed: that wrote it out, or tried to.
        with suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(ended.code if isinstance(ended.code, int) else 1)


def _exit(message: str, code: int, doubts: Sequence[dict[str, object]] = ()) -> NoReturn:
    """Exit with ``code``; under ``--json``, print the error and the doubts that are its reason as the one document."""
    if "--json" in sys.argv:
        document = {"error": message, "exit_code": code, **({"doubts": doubts} if doubts else {})}
        # Where the error is that nothing can be written there, stderr has said so.
        with suppress(OSError):
            say(json.dumps(document, ensure_ascii=False, indent=2))
    sys.exit(code)
