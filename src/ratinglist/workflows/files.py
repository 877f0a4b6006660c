"""Copy the files that the documents name: the sample, queries, studies, systemd's units, systems of other countries.

A checkout has them. In a wheel they are inside the package, and are copied to the paths that a checkout has.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ratinglist.errors import CommandLineError
from ratinglist.files import resources
from ratinglist.files.atomic_file import check_not_in_an_office
from ratinglist.number_text import counted
from ratinglist.summaries import Summary

FOLDERS = {
    "data/sample": "the sample federation of the tutorial: lists, players and four months of reports",
    "data/laboratory": "a rating system of one class, for the laboratory",
    "data/systems/dwz": "the rating system of Germany, a package to install",
    "data/systems/ecf": "the rating system of England, a package to install",
    "data/systems/uschess": "the rating system of the United States, a package to install",
    "deploy": "the units that keep the schedule running under systemd",
    "docs/notebooks": "studies of published lists",
    "sql/examples": "queries for published lists",
}
"""What each folder has. ``pyproject.toml`` puts them into the wheel."""

_OF_A_CHECKOUT = {
    "data/sample": ("*.py",),
    "deploy": ("Dockerfile", "*.yaml", "*.lock", "*.txt", "*.py"),
}
"""What stays: it makes these files again, or needs the source of the program."""


@dataclass(frozen=True, slots=True)
class CopiedFolder(Summary):
    """A folder that was copied, and the number of its files."""

    folder: str
    files: int

    def text(self) -> str:
        """Return the summary in a line."""
        return f"{self.folder}: {counted(self.files, 'file')}"


def folders() -> list[dict[str, object]]:
    """Return the folders that can be copied, each with what it has."""
    return [{"folder": name, "has": text} for name, text in FOLDERS.items()]


def copy(names: Sequence[str], out: Path) -> list[CopiedFolder]:
    """Copy folders to the same paths below ``out``; all or none.

    Raises :class:`CommandLineError` where a name is none of :data:`FOLDERS`, or its folder is there already.
    """
    for name in names:
        if name not in FOLDERS:
            raise CommandLineError(f"There are no files '{name}'. Name one of: {', '.join(FOLDERS)}.")
        check_not_in_an_office(out / name, str(out / name))
        if (out / name).exists() or (out / name).is_symlink():
            raise CommandLineError(f"{out / name} is there already, and stays as it is: name another place with --out.")
    return [_copied(name, out / name) for name in dict.fromkeys(names)]


def _copied(name: str, folder: Path) -> CopiedFolder:
    kind, _, rest = name.partition("/")
    left = shutil.ignore_patterns("__pycache__", *_OF_A_CHECKOUT.get(name, ()))
    shutil.copytree(resources.folder_of(kind, rest), folder, ignore=left)
    return CopiedFolder(str(folder), sum(path.is_file() for path in folder.rglob("*")))
