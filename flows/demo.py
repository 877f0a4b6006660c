"""Run the newest month of the sample federation under Prefect, from an empty home and without a running server."""

from __future__ import annotations

import csv
import shutil
import sys
from pathlib import Path

from flows.server import LocalServer
from ratinglist.pages.plain_text import text_table

SAMPLE = Path("data/sample")
HOME = Path("demo-home")
SITE = Path("demo-site")
STARTS_FROM = "2025-08"
EARLIER = ("2025-09", "2025-10", "2025-11")
NEWEST = "2025-12"
SHOWN = ("rating", "name", "federation", "title", "games", "k", "birth_year", "flag")
LINES = 12


def main() -> None:
    """Run the demonstration; exits with the code of the first error."""
    shutil.rmtree(HOME, ignore_errors=True)
    print("Starting a local Prefect server; a first start takes half a minute.", file=sys.stderr)
    server = LocalServer(HOME / "prefect")

    # After the server: Prefect reads its address once, on import; and the import overlaps the start of the server.
    from flows.monthly import monthly
    from ratinglist.config import Settings
    from ratinglist.errors import RatinglistError
    from ratinglist.period import Period
    from ratinglist.workflows import import_files, run, site

    try:
        settings = Settings.read(home=HOME)
        print(import_files.import_list(settings, SAMPLE / f"list-{STARTS_FROM}.csv", Period.parse(STARTS_FROM)).text())
        for players in sorted(SAMPLE.glob("players-*.csv")):
            print(import_files.import_players(settings, players).text())
        # The earlier months run without Prefect; an office runs the newest one under it.
        for month in EARLIER:
            summary_of_month = run.run(settings, Period.parse(month), [SAMPLE / "reports" / month])
            print(summary_of_month.published.text())
        server.wait()
        summary, publication = monthly(NEWEST, reports=str(SAMPLE / "reports" / NEWEST), home=str(HOME))
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
