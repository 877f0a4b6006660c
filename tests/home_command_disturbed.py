"""Backs a home up, restores it or rebuilds it, and is killed, or refused by the disk, at one step of writing.

``python -m tests.home_command_disturbed COMMAND PLACE STEP ERROR``: an ERROR of 0 kills the process, another one is the
number of an error of the system; step 0 is not disturbed. It prints what the command answered, and how many steps there
were, as JSON. The home is ``PLACE/home``, the backup ``PLACE/backup``; a step is whatever Python does to the disk under
``PLACE`` (see :mod:`tests.injected`).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.command_line import TODAY
from tests.injected import Injector, give


def words_of(command: str, place: Path) -> list[str]:
    """What is typed."""
    folder = str(place / "backup")
    return {
        "backup": ["backup", folder],
        "restore": ["restore", folder],
        "rebuild": ["doctor", "--rebuild"],
    }[command]


def main(command: str, place: Path, at: int, error: int) -> None:
    """Run the command, disturbed at step ``at``."""
    injector = Injector(place, at, error)
    injector.watch()
    answer = give(words_of(command, place), place / "home", TODAY)
    sys.stdout.write(json.dumps({**answer, "steps": injector.steps}))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
