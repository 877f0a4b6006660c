"""Backs a home up, restores it or rebuilds it, and is killed by the system at one step of writing.

``python -m tests.home_command_killed COMMAND PLACE STEP``: step 0 is never killed and prints how many there are. The
home is ``PLACE/home``, the backup ``PLACE/backup``; a step is whatever Python does to the disk under ``PLACE``
(see :mod:`tests.injected`).
"""

from __future__ import annotations

import sys
from pathlib import Path

from ratinglist.workflows import backup, rebuild, restore
from tests.conftest import office
from tests.injected import KILL, Injector


def main(command: str, place: Path, at: int) -> None:
    """Run the command; the process ends at step ``at``."""
    settings = office(place / "home")
    injector = Injector(place, at, KILL)
    injector.watch()
    if command == "backup":
        backup.backup(settings, place / "backup")
    elif command == "restore":
        restore.restore(settings, place / "backup", replace=True)
    else:
        rebuild.rebuild(settings)
    sys.stdout.write(f"{injector.steps}\n")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
