"""Play the sample federation: its players, four months of reports, and the site of what was published.

Its files are part of the program.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ratinglist.config.settings import Settings
from ratinglist.files import resources
from ratinglist.period import Period
from ratinglist.summaries import Summary
from ratinglist.workflows import import_files, run, site
from ratinglist.workflows.init import check_new

STARTS_FROM = Period.parse("2025-08")
MONTHS = tuple(STARTS_FROM + number for number in range(1, 5))


def demo(settings: Settings, out: Path) -> Iterator[Summary]:
    """Make the sample's office, its lists, and the site in ``out``; yield what each command did.

    Raises :class:`~ratinglist.errors.CommandLineError` where the home is there.
    """
    check_new(settings)
    sample = resources.data("sample")
    yield import_files.import_list(settings, sample / f"list-{STARTS_FROM}.csv", STARTS_FROM)
    for month in MONTHS:
        yield import_files.import_players(settings, sample / f"players-{month}.csv")
        done = run.run(settings, month, [sample / "reports" / str(month)])
        yield done if month == MONTHS[-1] else done.published
    yield site.site(settings, out)
