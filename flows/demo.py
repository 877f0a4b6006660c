"""Play the sample federation: four months, each by the monthly flow, and no server to start.

``make demo``, or ``python -m flows.demo``: the home is ``demo-home``, the site ``demo-site``, below the current folder.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from flows.monthly import monthly
from ratinglist.errors import RatinglistError
from ratinglist.period import Period
from ratinglist.published import open_published
from ratinglist.settings import Settings
from ratinglist.summaries import Summary, frame_table
from ratinglist.workflows import init
from ratinglist_site.make import make_site

_TOP = 12


def by_the_flow(settings: Settings, month: Period, reports: Path) -> Iterator[Summary]:
    """Make the list of a month by the flow, and yield what it published."""
    published: Any = monthly(str(month), reports=str(reports), home=str(settings.home))
    yield from published


def main() -> None:
    """Make the lists and the site, and print what was done and the top of the newest list."""
    settings = Settings.read(Path("demo-home"))
    try:
        for done in init.demo(settings, by_the_flow):
            sys.stdout.write(f"{done.text()}\n")
        sys.stdout.write(f"{make_site(settings, Path('demo-site')).text()}\n")
        newest = open_published(settings.published, months=[str(init.MONTHS[-1])]).table("lists")
    except RatinglistError as error:
        sys.stderr.write(f"ratinglist: {error}\n")
        raise SystemExit(error.exit_code) from None
    sys.stdout.write(
        "\n".join(
            [
                "",
                *frame_table(
                    newest.select("rating", "name", "federation", "title", "games", "k").top_k(_TOP, by="rating")
                ),
                "",
            ]
        )
    )


if __name__ == "__main__":
    main()
