"""The command ``sql``: a query over everything published, printed or written to a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ratinglist.cli.options import office_options, office_settings, say, show, show_rows
from ratinglist.errors import CommandLineError
from ratinglist.limits import SQL_SECONDS
from ratinglist.safe_text import on_one_line
from ratinglist.text_table import text_table

if TYPE_CHECKING:
    import polars as pl


# A query may start with a comment, and a comment with two dashes.
@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("query")
@click.option(
    "--timeout",
    type=click.IntRange(min=1, max=10**9),
    default=SQL_SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="Stop the query after so many seconds.",
)
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV.")
@click.option(
    "--out", type=click.Path(path_type=Path), help="Write the rows to a file: .csv, .json or .parquet by its name."
)
@office_options
def sql(query: str, timeout: int, as_csv: bool, out: Path | None, home: Path | None, as_json: bool) -> None:
    """Query everything published, read-only: lists, changes, games, entries, pool, events."""
    from ratinglist.workflows import query_result
    from ratinglist.workflows import sql as workflow

    if as_csv and as_json and out is None:
        raise CommandLineError("--csv and --json both want standard output: leave one of them out.")
    settings = office_settings(home)
    path = None if out is None else query_result.check_file(out, csv=as_csv, home=settings.home)
    rows = workflow.query(settings, query, timeout)
    if path is not None:
        show(query_result.write(rows, path, csv=as_csv), as_json=as_json)
    elif as_csv:
        say(query_result.as_csv(rows).removesuffix("\n"))
    else:
        as_table = query_result.showing()(_table)
        show_rows(query_result.json_rows(rows), lambda: as_table(rows), as_json=as_json)


def _table(rows: pl.DataFrame) -> str:
    """Return rows as an aligned text table, every row and every column whole."""
    cells = [["" if cell is None else on_one_line(str(cell)) for cell in row] for row in rows.iter_rows()]
    names = [on_one_line(name) for name in rows.columns]
    return "\n".join(text_table(names, cells, [dtype.is_numeric() for dtype in rows.dtypes], rule=True))
