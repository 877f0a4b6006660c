"""Read what a site is made of: the current revision of every month that is shown, and of the lists before them.

:func:`meta` makes of them the file that every page with a script loads first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from ratinglist.analysis.explain import Stated, coefficient_cases
from ratinglist.errors import NothingReadError
from ratinglist.period import MONTH_NAME, Period
from ratinglist.publication import published_files, revisions
from ratinglist.publication.manifest import Manifest, months_before
from ratinglist.rating.rules import RuleBook, RuleSet
from ratinglist.site.event_data import COMPUTED
from ratinglist.store import table_files
from ratinglist.system_errors import first_line, is_shortage
from ratinglist.tables import BOTH_NUMBERS, DIFF, EVENT, LISTED, LISTS, PUBLISHED, UNRATED, Table


@dataclass(frozen=True, slots=True)
class PublishedMonth:
    """The current revision of a month.

    ``number``: its place among the months of the site, from 0. ``is_shown``: false for a list that is only the one
    before a list shown. ``before``: the month of the list before, published or not, by time control. ``left_out``: the
    columns that the office does not publish, by table.
    """

    number: int
    is_shown: bool
    period: Period
    folder: Path
    manifest: Manifest
    before: Mapping[str, str]
    left_out: Mapping[str, Sequence[str]]

    @property
    def name(self) -> str:
        """The month, ``YYYY-MM``."""
        return str(self.period)

    @property
    def controls(self) -> list[str]:
        """The time controls that have a list."""
        return [name for name in LISTS if f"{name}.parquet" in self.manifest.files]

    def rules(self, book: RuleBook) -> dict[str, RuleSet]:
        """Return the rule sets in force for the lists of the month, by time control."""
        family = str(self.manifest.facts.get("family", ""))
        if family not in book.families:
            return {}
        found = {control: book.on(family, control, self.period.first_day) for control in LISTS}
        return {control: rule_set for control, rule_set in found.items() if rule_set is not None}

    def rows(self, stem: str) -> int:
        """Return how many rows a table has by the manifest."""
        entry = self.manifest.files.get(f"{stem}.parquet")
        return 0 if entry is None else int(entry["rows"])

    @property
    def names_unrated(self) -> bool:
        """Whether the month names its unrated players; one of an earlier version does not."""
        return f"{UNRATED.name}.parquet" in self.manifest.files

    def check(self, *, downloads: bool) -> None:
        """Raise :class:`AlteredError`, naming it, where a file is not what was published.

        The tables of the revision, the diffs up to it and the table of both ratings are read; ``downloads``: also the
        other files of the revision, which are copied into the site.
        """
        names = self.manifest.files
        published_files.verified_files(self.folder, [one for one in names if downloads or one.endswith(".parquet")])
        tables = [DIFF.name, *(LISTS if self.rollbacks().height else ())]
        for number in self._earlier_revisions():
            published_files.verified_tables(self.folder.with_name(f"r{number}"), tables)
        for name in (f"{BOTH_NUMBERS.name}.parquet", revisions.ROLLBACKS):
            published_files.verify_file_of_index(self.folder.parent / name)

    def table(self, stem: str, columns: Sequence[str] | None = None) -> pl.DataFrame:
        """Return a published table with all its columns, or with ``columns``; those left out are null.

        ``stem`` is that of the file. Without the file the table is empty. Raises :class:`NothingReadError` where the
        file cannot be read.
        """
        table = PUBLISHED[stem]
        wanted = list(table.columns) if columns is None else list(columns)
        if f"{stem}.parquet" not in self.manifest.files:
            return table.empty().select(wanted)
        return read(self.folder, stem, table, wanted)

    def _earlier_revisions(self) -> list[int]:
        """Return the numbers of the other revisions that are or were current, those rolled back included."""
        own = revisions.number_of(self.folder)
        last = max([own, *self.rollbacks()["from_revision"]])
        return [number for number in range(1, last + 1) if number != own]

    def diffs(self) -> list[tuple[int, pl.DataFrame]]:
        """Return what each revision changed, those rolled back included: the number of each, and its ``DIFF``."""
        numbers = sorted([*self._earlier_revisions(), revisions.number_of(self.folder)])
        folders = [(number, self.folder.with_name(f"r{number}")) for number in numbers]
        return [
            (number, read(folder, DIFF.name, DIFF, list(DIFF.columns)))
            for number, folder in folders
            if table_files.has_table(folder, DIFF.name)
        ]

    def rollbacks(self) -> pl.DataFrame:
        """Return the times that the current revision was changed by hand: ``ROLLED_BACK``, in their order."""
        return revisions.read_rollbacks(self.folder.parent).sort("rollback_no")

    def moved(self, before: int, after: int) -> pl.DataFrame:
        """Return whom a step from one revision to another moved.

        Out: ``time_control``, ``fide_id``, ``name``, ``federation``, ``old_rating`` and ``new_rating`` (null: not on
        it), by the highest of both.
        """
        both = self._ratings_of(before).join(
            self._ratings_of(after), on=["time_control", "fide_id"], how="full", coalesce=True, suffix="_after"
        )
        return (
            both.filter(pl.col("rating").ne_missing(pl.col("rating_after")))
            .with_columns(pl.coalesce(f"{name}_after", name).alias(name) for name in ("name", "federation"))
            .rename({"rating": "old_rating", "rating_after": "new_rating"})
            .sort(pl.max_horizontal("old_rating", "new_rating"), "fide_id", descending=[True, False])
            .select("time_control", "fide_id", "name", "federation", "old_rating", "new_rating")
        )

    def _ratings_of(self, revision: int) -> pl.DataFrame:
        folder, columns = (
            self.folder.with_name(f"r{revision}"),
            ["time_control", "fide_id", "name", "federation", "rating"],
        )
        lists = [read(folder, name, LISTED, columns) for name in LISTS if table_files.has_table(folder, name)]
        return pl.concat([LISTED.empty().select(columns), *lists])

    def both_numbers(self) -> pl.DataFrame:
        """Return the ratings as first published and as now known, ``BOTH_NUMBERS``; empty where nothing differs."""
        month, stem = self.folder.parent, BOTH_NUMBERS.name
        if not table_files.has_table(month, stem):
            return BOTH_NUMBERS.empty()
        return read(month, stem, BOTH_NUMBERS, list(BOTH_NUMBERS.columns))

    def changes(self, control: str) -> pl.DataFrame:
        """Return the changes of a list from the results of the month: ``fide_id``, ``change``."""
        rows = self.table("changes", ["time_control", "fide_id", "change"])
        return rows.filter(pl.col("time_control") == control).select("fide_id", "change")

    def lists(self) -> pl.DataFrame:
        """Return the lists of all time controls together, in the order of the files."""
        return pl.concat([LISTED.empty(), *(self.table(name, list(LISTED.columns)) for name in self.controls)])


def read(folder: Path, stem: str, table: Table, columns: Sequence[str]) -> pl.DataFrame:
    """Return ``columns`` of a published table of a folder; null where the office leaves a column out.

    Raises :class:`NothingReadError` where the file is missing or damaged, :class:`~ratinglist.errors.AlteredError`
    where a part is missing.
    """
    with _damage_named(folder, stem):
        scan = table_files.scan_table(folder, stem)
        present = scan.collect_schema().names()
        return scan.select(
            pl.col(name) if name in present else pl.lit(None, dtype=table.columns[name].dtype).alias(name)
            for name in columns
        ).collect()


@contextmanager
def _damage_named(folder: Path, stem: str) -> Iterator[None]:
    """Raise :class:`NothingReadError`, naming the table, where the block cannot read a published file."""
    try:
        yield
    except (pl.exceptions.PolarsError, OSError) as error:
        if is_shortage(error):
            raise
        raise NothingReadError(
            f"{folder / stem}.parquet is damaged or missing ({first_line(error)}), so no site was made. Check: "
            f"ratinglist verify {folder}  Then put back a copy of that revision."
        ) from None


def months_of_site(published: Path, first: Period | None = None, newest: int | None = None) -> list[PublishedMonth]:
    """Return the months of a site, oldest first, with the months of the lists before them.

    ``first``: the first month shown, default: all. ``newest``: how many months are shown at most. A month without a
    current revision is left out. Raises :class:`NothingReadError` where no month is left, and what
    :func:`~ratinglist.publication.published_files.read_manifest` raises for an altered manifest.
    """
    folders = revisions.every_latest(published)
    shown = [period for period in folders if first is None or period >= first]
    if newest is not None:
        shown = shown[-newest:]
    if not shown:
        from_month = f" from {first} on" if first else ""
        raise NothingReadError(f"No list is published{from_month}, so there is no site to make: ratinglist publish")
    manifests = {period: published_files.read_manifest(folders[period]) for period in shown}
    before = {period: months_before(manifest.facts, period) for period, manifest in manifests.items()}
    earlier = {Period.parse(month) for months in before.values() for month in months.values()} & set(folders)
    manifests |= {period: published_files.read_manifest(folders[period]) for period in sorted(earlier - set(shown))}
    return [
        PublishedMonth(
            number=number,
            is_shown=period in before,
            period=period,
            folder=folders[period],
            manifest=manifests[period],
            before=before.get(period, {}),
            left_out=_left_out(folders[period], manifests[period]),
        )
        for number, period in enumerate(sorted(manifests))
    ]


@dataclass(frozen=True, slots=True)
class WithdrawnMonth:
    """A month whose list was taken back, so that it has none: when, why, and the revision that was current."""

    month: str
    day: str
    reason: str
    revision: int


def withdrawn_months(published: Path, first: str) -> list[WithdrawnMonth]:
    """Return the months from ``first`` on whose list was taken back, oldest first."""
    found = []
    for path in sorted(published.glob("*")):
        if (
            not MONTH_NAME.fullmatch(path.name)
            or path.name < first
            or revisions.latest(published, Period.parse(path.name))
        ):
            continue
        published_files.verify_file_of_index(path / revisions.ROLLBACKS)
        if taken_back := revisions.withdrawal(path):
            found.append(WithdrawnMonth(path.name, taken_back.since, taken_back.reason, taken_back.revision))
    return found


def event_names(published: Path, month: str) -> pl.DataFrame:
    """Return the names of the events of any month: ``event_id``, ``name``; empty where it has no current revision."""
    folder = revisions.latest(published, Period.parse(month))
    columns = ["event_id", "name"]
    if folder is None:
        return EVENT.empty().select(columns)
    published_files.verified_tables(folder, [EVENT.name])
    return read(folder, EVENT.name, EVENT, columns)


def named_pool(pool: pl.DataFrame, names: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Return ``POOL`` with ``name``, the event's on the list that counted its results; null where it is not known."""
    known = pl.concat([rows.with_columns(pl.lit(month).alias("counted_month")) for month, rows in names.items()])
    return pool.join(known, on=["event_id", "counted_month"], how="left", maintain_order="left")


def names_of(ids: pl.Series, tables: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Return ``fide_id``, ``name``, ``federation`` and ``title`` of players; of two tables the later one wins.

    In: ``LISTED``, or ``UNRATED``, which has no title.
    """
    columns = ("fide_id", "name", "federation", "title")
    named = [LISTED.empty().select(columns)]
    for rows in tables:
        found = rows.filter(pl.col("fide_id").is_in(ids.unique().implode()))
        named.append(
            found.select(*columns[:3], *(columns[3:] if "title" in rows.columns else [pl.lit("").alias("title")]))
        )
    return pl.concat(named).unique("fide_id", keep="last", maintain_order=True)


def _left_out(folder: Path, manifest: Manifest) -> dict[str, list[str]]:
    """Return the columns that are left out of the tables of a revision, by table as SQL names it."""
    found: dict[str, list[str]] = {}
    for stem, table in PUBLISHED.items():
        if stem == DIFF.name or f"{stem}.parquet" not in manifest.files:
            continue
        with _damage_named(folder, stem):
            present = table_files.scan_table(folder, stem).collect_schema().names()
        if missing := [name for name in table.columns if name not in present]:
            found["lists" if stem in LISTS else stem] = missing
    return dict(sorted(found.items()))


def meta(
    months: Sequence[PublishedMonth], book: RuleBook, sentences: Mapping[str, str], keys: Mapping[str, str]
) -> dict[str, Any]:
    """Return the months of a site, and what explains their figures, as JSON values.

    ``rules``: the values and articles of every rule set that was in force in these months or is named in them, and the
    cases to which it gives each K, in the ``sentences`` of the site. ``computed``: what columns of an event's games
    nearly always are. ``keys``: what the data files of each month state that they are of.
    """
    digests = {one.name: one.digest for one in book.rule_sets}
    described = [_month_facts(month, book, digests, keys) for month in months]
    named = {name for one in described for name in one["inForce"].values()}
    named |= {used["name"] for month in months for used in month.manifest.facts.get("rule_sets", [])}
    rules = {
        one.name: {**one.as_dict(), "k": coefficient_cases(Stated(sentences, one))}
        for one in book.rule_sets
        if one.name in named
    }
    return {"months": described, "rules": rules, "computed": COMPUTED}


def _month_facts(
    month: PublishedMonth, book: RuleBook, digests: dict[str, str], keys: Mapping[str, str]
) -> dict[str, Any]:
    used = month.manifest.facts.get("rule_sets", [])
    return {
        "month": month.name,
        "key": keys.get(month.name, ""),
        "revision": month.folder.name,
        "shown": month.is_shown,
        "controls": month.controls,
        "namesUnrated": month.names_unrated,
        "before": dict(month.before),
        "inForce": {control: rule_set.name for control, rule_set in month.rules(book).items()},
        "leftOut": {stem: list(columns) for stem, columns in month.left_out.items()},
        "rulesChanged": [one["name"] for one in used if digests.get(one["name"]) != one["sha256"]],
    }
