"""Put DuckDB-WASM into a site, and what the page that asks the lists with SQL needs: tables and questions.

DuckDB-WASM is no part of this program: the office names the folder of its package. Only files whose digest is known are
put into a site.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from ratinglist.errors import CommandLineError
from ratinglist.files import resources
from ratinglist.files.durable_files import sha256_of
from ratinglist.pages import html_pages
from ratinglist.schemas import LISTS
from ratinglist.site.folder import SiteFolder
from ratinglist.site.frame import Frame
from ratinglist.site.published_months import PublishedMonth

FILE = "ask.html"
POLICY = html_pages.SITE_POLICY.replace("script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'") + (
    "; worker-src blob:; connect-src 'self'"
)
"""A worker made of a blob has the policy of its page, so DuckDB too can ask no other host."""
_TABLES: Mapping[str, Sequence[str]] = {
    "lists": LISTS,
    **{name: (name,) for name in ("changes", "games", "events", "entries")},
}
"""The tables of the page, each with the published tables that it is made of."""
_NUMBER = len("01_")
_MONTHS_OF_A_YEAR = 12


def known_files() -> dict[str, dict[str, str]]:
    """Return the digests of the files of DuckDB-WASM that the page needs, by version and name."""
    known: dict[str, dict[str, str]] = {}
    for line in (html_pages.folder() / "duckdb-wasm.sha256").read_text(encoding="utf-8").splitlines():
        digest, path = line.split()
        version, _, name = path.partition("/")
        known.setdefault(version, {})[name] = digest
    return known


def files_of_duckdb(package: Path) -> tuple[str, list[Path]]:
    """Return the version of DuckDB-WASM in a folder, and the files of it that the page needs.

    ``package``: the folder of the unpacked package, or its ``dist``. Raises :class:`CommandLineError` where a file is
    missing, or none of the known versions is the one in the folder.
    """
    folder = package / "dist" if (package / "dist").is_dir() else package
    known = known_files()
    names = sorted({name for files in known.values() for name in files})
    missing = [name for name in names if not (folder / name).is_file()]
    if missing:
        raise CommandLineError(
            f"{folder} has no {missing[0]}. Name the folder of the unpacked npm package @duckdb/duckdb-wasm with --sql."
        )
    found = {name: sha256_of(folder / name) for name in names}
    for version, digests in known.items():
        if digests == found:
            return version, [folder / name for name in names]
    raise CommandLineError(
        f"{folder} is not DuckDB-WASM {' or '.join(known)}, the version that the page was tried with: its files have "
        "other digests, so they are not put into the site. Get that version of the npm package @duckdb/duckdb-wasm."
    )


def put_files(folder: SiteFolder, package: Path, months: Sequence[PublishedMonth]) -> dict[str, Any]:
    """Copy DuckDB-WASM and the tables of the months into the site; return what the page has to know of them."""
    version, files = files_of_duckdb(package)
    for path in files:
        folder.copy(path, f"sql/{version}/{path.name}")
    for month in months:
        for name in _names(month):
            if not (folder.draft / _address(month, name)).exists():
                folder.copy(month.folder / name, _address(month, name))
    return {
        "version": version,
        "files": [f"sql/{version}/{path.name}" for path in files],
        "setup": setup(months),
        "tables": list(_TABLES),
    }


def _names(month: PublishedMonth, stems: Sequence[str] = ()) -> list[str]:
    wanted = stems or [stem for stems_of in _TABLES.values() for stem in stems_of]
    return [f"{stem}.parquet" for stem in wanted if f"{stem}.parquet" in month.manifest.files]


def _address(month: PublishedMonth, name: str) -> str:
    return f"files/{month.name}-{month.folder.name}/{name}"


def setup(months: Sequence[PublishedMonth]) -> list[str]:
    """Return the SQL that makes the tables of the files in the site; ``{site}`` stands for its address.

    ``newest_list()`` is the newest month, as in ``ratinglist sql``.
    """
    views = [
        f"create view {table} as {' union all by name '.join(parts)}"
        for table, stems in _TABLES.items()
        if (parts := list(_parts(months, stems, known_month=table == "lists")))
    ]
    return [*views, f"create macro newest_list() as '{months[-1].name}'"]


def _parts(months: Sequence[PublishedMonth], stems: Sequence[str], *, known_month: bool) -> Iterator[str]:
    """Yield a query for each month. The month is a constant in it, so of other months no file is read."""
    shown = "* exclude (list_month)" if known_month else "*"
    for month in months:
        if names := _names(month, stems):
            files = ", ".join(f"'{{site}}{_address(month, name)}'" for name in names)
            yield (
                f"select '{month.name}' as list_month, {shown} from read_parquet([{files}], union_by_name = true)"  # noqa: S608 - names of our own files
            )


def page(frame: Frame) -> str:
    """Return the page, which the script fills."""
    return frame.page("ask.html", file=FILE, page="ask", policy=POLICY)


def questions(frame: Frame, months: Sequence[PublishedMonth]) -> list[tuple[str, str, str]]:
    """Return the questions that are ready: name, text and SQL of each, without those on columns that are left out.

    The two highest rated who met on the newest list are the players of the examples.
    """
    newest = months[-1]
    a_year_ago = str(newest.period - _MONTHS_OF_A_YEAR)
    games = newest.table("games", ["fide_id", "opponent_id", "time_control", "rating", "opponent_rating", "rated"])
    met = games.filter("rated").sort(
        pl.min_horizontal("rating", "opponent_rating"), "fide_id", descending=[True, False]
    )
    first = met.select("fide_id", "opponent_id", "time_control").row(0) if met.height else (0, 0, LISTS[0])
    values = {
        **dict(zip(("player", "opponent", "control"), first, strict=True)),
        "year": newest.period.first_day.year,
        "year_ago": min(month.name for month in months if month.name >= a_year_ago),
    }
    left_out = {column for columns in newest.left_out.values() for column in columns}
    found = []
    for path in sorted(resources.sql("site").glob("*.sql")):
        _, _, sql = path.read_text(encoding="utf-8").partition("\n")
        if left_out.isdisjoint(re.findall(r"\w+", sql)):
            name = path.stem[_NUMBER:]
            found.append((name, frame.text(f"ask_{name}"), sql.strip().format(**values)))
    return found
