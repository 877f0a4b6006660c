"""The trace that a backup leaves in its home: ``HOME/last-backup.json``, the folder, the day and the lists in it.

It is written when the backup is complete, and it is in no backup. A home that was restored, or copied by other means
than ``ratinglist backup``, has none or that of another day: it says what is known, never that a folder is still there.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ratinglist.durable_files import replace_file
from ratinglist.private_files import made_private, withheld
from ratinglist.regular_file import read_regular_file

NAME = "last-backup.json"
_BYTES = 2**24


@dataclass(frozen=True, slots=True)
class BackupTrace:
    """The last complete backup: its ``folder`` and day; ``published``: its revisions, such as ``2025-11/r1``."""

    folder: str
    made_on: str
    published: Sequence[str]

    def missing(self, revisions: Sequence[str]) -> list[str]:
        """Return those of ``revisions`` that the backup does not have."""
        there = set(self.published)
        return [one for one in revisions if one not in there]


def write(home: Path, trace: BackupTrace) -> None:
    """Write the trace in the place of the one before."""
    with made_private(withheld(home)):
        replace_file(home / NAME, f"{json.dumps(asdict(trace), ensure_ascii=False, indent=1)}\n".encode())


def read(home: Path) -> BackupTrace | None:
    """Return the trace; None where there is none, or none that can be read: then no backup is known."""
    try:
        content = json.loads(read_regular_file(home / NAME, _BYTES) or b"null")
        return BackupTrace(str(content["folder"]), str(content["made_on"]), [str(one) for one in content["published"]])
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
