"""Play the sample federation: its players, four months of reports, and the site of what was published.

Its files are part of the program.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ratinglist.config import Settings
from ratinglist.files import resources
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

    Raises :class:`~ratinglist.errors.CommandLineError` where the home is there.
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
