"""Run the newest month of the sample federation under Prefect, from an empty home and without a running server."""

from __future__ import annotations

import csv
import shutil
import sys
from pathlib import Path

from flows.server import LocalServer
from ratinglist.pages.plain_text import text_table

HOME = Path("demo-home")
SITE = Path("demo-site")
SHOWN = ("rating", "name", "federation", "title", "games", "k", "birth_year", "flag")
LINES = 12


def main() -> None:
    """Run the demonstration; exits with the code of the first error."""
    shutil.rmtree(HOME, ignore_errors=True)
    print("Starting a local Prefect server; a first start takes half a minute.", file=sys.stderr)
    with LocalServer(HOME / "prefect"):
        # After the server: Prefect reads its address once, on import.
        from flows.monthly import monthly
        from ratinglist.config import Settings
        from ratinglist.errors import RatinglistError
        from ratinglist.workflows import demo, site

        try:
            settings = Settings.read(home=HOME)
            # The earlier months run without Prefect; an office runs the newest one under it.
            for done in demo.begin(settings):
                print(done.text())
            summary, publication = monthly(str(demo.NEWEST), reports=str(demo.reports(demo.NEWEST)), home=str(HOME))
            made = site.site(settings, SITE)
        except RatinglistError as error:
            print(error, file=sys.stderr)
            raise SystemExit(error.exit_code) from None
    print(f"\n{summary.text()}\n\n{publication.text()}\n\n{first_lines(Path(publication.path) / 'standard.csv')}")
    print(f"\n{made.text()}")


def first_lines(published: Path) -> str:
    """Return the first lines of a published list as an aligned table, numbers to the right."""
    with published.open(encoding="utf-8", newline="") as text:
        rows = [[row[column] for column in SHOWN] for row, _ in zip(csv.DictReader(text), range(LINES), strict=False)]
    numbers = [all(cell.isdigit() for cell in column if cell) for column in zip(*rows, strict=True)]
    return "\n".join(text_table(SHOWN, rows, numbers))


if __name__ == "__main__":
    main()
