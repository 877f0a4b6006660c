"""Play the sample federation: its players, four months of reports, and the site of what was published.

Its files are part of the program. They are copied where somebody wants to type the commands of the documents.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ratinglist.config import Settings
from ratinglist.errors import CommandLineError
from ratinglist.files import resources
from ratinglist.files.atomic_file import check_not_in_an_office
from ratinglist.period import Period
from ratinglist.summaries import Summary
from ratinglist.workflows import import_files, run, site
from ratinglist.workflows.init import check_new

STARTS_FROM = Period.parse("2025-08")
EARLIER = tuple(Period.parse(month) for month in ("2025-09", "2025-10", "2025-11"))
NEWEST = Period.parse("2025-12")


def reports(month: Period) -> Path:
    """Return the folder of the sample's reports of a month."""
    return resources.data("sample") / "reports" / str(month)


def begin(settings: Settings) -> Iterator[Summary]:
    """Make the sample's office and its lists but the newest; yield what each command did.

    Raises :class:`CommandLineError` where the home is there.
    """
    check_new(settings)
    sample = resources.data("sample")
    yield import_files.import_list(settings, sample / f"list-{STARTS_FROM}.csv", STARTS_FROM)
    for month in EARLIER:
        yield import_files.import_players(settings, sample / f"players-{month}.csv")
        yield run.run(settings, month, [reports(month)]).published
    yield import_files.import_players(settings, sample / f"players-{NEWEST}.csv")


def demo(settings: Settings, out: Path) -> Iterator[Summary]:
    """Make the sample's office, all its lists and the site in ``out``; yield what each command did."""
    yield from begin(settings)
    yield run.run(settings, NEWEST, [reports(NEWEST)])
    yield site.site(settings, out)


@dataclass(frozen=True, slots=True)
class FilesSummary(Summary):
    """The folder with the copied files, and their number."""

    folder: str
    files: int

    def text(self) -> str:
        """Return the summary for people."""
        first = f"ratinglist import-list {self.folder}/list-{STARTS_FROM}.csv --month {STARTS_FROM}"
        return f"{self.folder}: {self.files} files of the sample federation\n  next: {first}"


def copy_files(out: Path) -> FilesSummary:
    """Copy the files of the sample to ``out``, which must not be there yet."""
    check_not_in_an_office(out, str(out))
    if out.exists() or out.is_symlink():
        raise CommandLineError(f"{out} is there already, and stays as it is: name a new folder.")
    shutil.copytree(resources.data("sample"), out, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    return FilesSummary(str(out), sum(path.is_file() for path in out.rglob("*")))
