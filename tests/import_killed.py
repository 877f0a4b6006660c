"""Imports players and is killed by the system right after the commit: the change is in the write-ahead log.

``python -m tests.import_killed HOME FILE``.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from ratinglist.store import journal
from ratinglist.store.journal import Entry
from ratinglist.workflows import import_files
from tests.conftest import office


def main(home: Path, file: Path) -> None:
    """Import the players; the process ends when the copy of the entry is written, with the store open."""
    write_copy = journal.write_copy

    def and_die(to: Path, entry: Entry) -> None:
        write_copy(to, entry)
        os.kill(os.getpid(), signal.SIGKILL)

    journal.write_copy = and_die
    import_files.import_players(office(home), file)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
