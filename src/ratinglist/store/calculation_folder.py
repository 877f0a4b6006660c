"""The folder of one calculated month: its tables as they are published, and the state that later months start from.

::

    HOME/calculations/month=2025-11/c12/     the twelfth calculation of this home
        standard.parquet, standard.csv, changes.parquet, games.parquet, ...    the published tables, complete
        private/state.parquet                the state of every player on the list (LIST_STATE)
        private/events.parquet               the events with the reports and rule sets they were judged by
        private/inputs.parquet               the digest of everything that it was made from (INPUT)
        private/system_state.parquet         what a system other than FIDE's keeps of the players (SYSTEM_STATE)
        private/own_state.<system>.v<version>.parquet    what a system keeps in a table of its own

Files are written once. A folder counts once an entry of the log names it, with the digest of each file. The newest
calculation of a month is kept, and so are those that were published: later lists start from the published one.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from ratinglist.errors import AlteredError
from ratinglist.files.durable_files import (
    make_private_folder,
    problem_of_file,
    synced,
)
from ratinglist.home.history import Calculation, History
from ratinglist.period import Period
from ratinglist.store.table_files import (
    FileEntry,
    file_entry,
    has_table,
    read_table,
    write_parquet,
    write_tables,
)
from ratinglist.tables import (
    CHANGE,
    ENTRY,
    EVENT,
    GAME,
    LIST_STATE,
    POOL,
    PUBLISHED,
    SYSTEM_STATE,
    Column,
    Table,
    own_columns,
    published_table,
)
from ratinglist.text import quoted, quoted_path

STATE = Table(
    "state",
    LIST_STATE.one_row_per,
    {name: column for name, column in LIST_STATE.columns.items() if name != "month"},
    key=("time_control", "fide_id"),
)
"""``LIST_STATE`` of one month: the path says which."""

CONSIDERED_EVENT = Table(
    "considered_event",
    "event known to the period, with what only the store needs of it",
    {
        **EVENT.columns,
        "event_no": Column(pl.Int32(), "row of the event in events.parquet, from 0"),
        "rule_set": Column(pl.String(), "name of the rule set; null where the event is not rated", null=True),
        "report_id": Column(pl.String(), "the report that was judged"),
    },
    key=("event_id",),
)

INPUT = Table(
    "calculation_input",
    "thing that a calculation was made from",
    {
        "kind": Column(pl.String(), "lists, reports, players, corrections, references or systems"),
        "digest": Column(pl.String(), "its sha256, after the month and the time control of a list"),
    },
    key=("kind", "digest"),
)

MONTH_OF_PATH = r"month=(\d{4}-\d{2})/c\d+/(?:private/)?\w+\.parquet$"
"""Where the path of a file of a calculation states the month: the folder just above, whatever the home is named."""

MISSING_REMEDY = (
    "Rebuild the calculations: ratinglist doctor --rebuild. Or restore a backup of this home: ratinglist restore DIR"
)

_PRIVATE = "private"
_OWN_STATE = re.compile(r"own_state\.([a-z0-9-]+)\.v(\d+)\.parquet")


@dataclass(frozen=True, slots=True)
class CalculationFolder:
    """The folder of calculation ``number`` of ``period`` under ``HOME/calculations``.

    ``written``: what the log states of each of its files, by the path below it.
    """

    root: Path
    period: Period
    number: int
    written: Mapping[str, FileEntry]

    @classmethod
    def of(cls, root: Path, calculation: Calculation) -> CalculationFolder:
        """Return the folder of a calculation that the log states."""
        return cls(root, Period.parse(calculation.month), calculation.number, calculation.facts["written"])

    @property
    def path(self) -> Path:
        """Where it is; the name of the folder above states the month."""
        return self.root / f"month={self.period}" / f"c{self.number}"

    def private(self, stem: str) -> Path:
        """Return where a table is that is not published, such as ``state``."""
        return self.path / _PRIVATE / f"{stem}.parquet"

    def _read(self, stem: str) -> pl.DataFrame:
        return pl.read_parquet(self.private(stem), glob=False, hive_partitioning=False)

    def files(self) -> dict[str, FileEntry]:
        """Return what a manifest states of every file that is published, by name."""
        return {name: entry for name, entry in self.written.items() if not name.startswith(f"{_PRIVATE}/")}

    def check_unaltered(self) -> None:
        """Raise :class:`AlteredError`, naming it, where a file is not the one that was calculated."""
        for name, entry in self.written.items():
            path = self.path / name
            if wrong := problem_of_file(path, str(entry["sha256"])):
                raise AlteredError(f"{path} {wrong}. Nothing was calculated or published. {MISSING_REMEDY}")

    def read_state(self) -> pl.DataFrame:
        """Return the state of the list (``LIST_STATE``), in its order."""
        return LIST_STATE.conform(self._read("state").with_columns(pl.lit(str(self.period)).alias("month")))

    def read_tables(self) -> dict[str, pl.DataFrame]:
        """Return the published tables by file stem, with all their columns."""
        return {stem: self.read_table(stem) for stem in PUBLISHED if has_table(self.path, stem)}

    def read_table(self, stem: str) -> pl.DataFrame:
        """Return one published table, with all its columns."""
        rows = read_table(self.path, stem)
        return published_table(stem, rows.schema).conform(rows)

    def read_inputs(self) -> dict[str, list[str]]:
        """Return the digests of what the calculation was made from by their kind, sorted."""
        inputs = self._read("inputs").group_by("kind", maintain_order=True).agg("digest")
        return {str(kind): digests for kind, digests in inputs.rows()}

    def read_system_state(self) -> pl.DataFrame:
        """Return what the system keeps of the players (``SYSTEM_STATE``); empty where it keeps nothing."""
        if f"{_PRIVATE}/system_state.parquet" not in self.written:
            return SYSTEM_STATE.empty()
        state = self._read("system_state")
        return _of_system_state(state).conform(state)

    def own_states(self) -> dict[tuple[str, int], Path]:
        """Return the files of the states that systems keep of their own, by system and version: one, or none."""
        matches = (
            (_OWN_STATE.fullmatch(path.name), path) for path in sorted((self.path / _PRIVATE).glob("own_state.*"))
        )
        return {(name[1], int(name[2])): path for name, path in matches if name}

    def write(
        self,
        tables: Mapping[str, pl.DataFrame],
        state: pl.DataFrame,
        events: pl.DataFrame,
        inputs: pl.DataFrame,
        system_state: pl.DataFrame,
        own_state: tuple[str, Table, pl.DataFrame] | None = None,
    ) -> dict[str, FileEntry]:
        """Write every file of the calculation, sync it, and return what the log states of each.

        In: the published tables by file stem, ``LIST_STATE``, events as :data:`CONSIDERED_EVENT` has them, inputs as
        :data:`INPUT`; ``system_state``: ``SYSTEM_STATE``, without rows where there is none; ``own_state``: the
        system's own, where it keeps one: system and version, table and rows. Raises what
        :func:`~ratinglist.store.table_files.write_tables` raises.
        """
        shutil.rmtree(self.path, ignore_errors=True)
        private = self.path / _PRIVATE
        make_private_folder(self.root)
        private.mkdir(parents=True)
        of_office = [("state", STATE, state), ("events", CONSIDERED_EVENT, events), ("inputs", INPUT, inputs)]
        if len(system_state):
            of_office.append(("system_state", _of_system_state(system_state), system_state))
        if own_state is not None:
            version, own_table, own_rows = own_state
            of_office.append((f"own_state.{version}", own_table, own_rows))
        entries = write_tables(self.path, tables)
        for stem, table, rows in of_office:
            entries[f"{_PRIVATE}/{stem}.parquet"] = file_entry(
                write_parquet(self.private(stem), table, rows), rows.height
            )
        for folder in (private, self.path, self.path.parent, self.root, self.root.parent):
            synced(folder)
        return entries


def _of_system_state(state: pl.DataFrame) -> Table:
    """Return the table ``SYSTEM_STATE`` with the columns that the system adds to its lists."""
    return SYSTEM_STATE.extended(own_columns(state.schema))


def standing_folders(history: History, folders: Path) -> dict[str, CalculationFolder]:
    """Return the folder, below ``folders``, of every month whose calculation counts, in order."""
    standing = sorted(history.standing_calculations().items())
    return {month: CalculationFolder.of(folders, calculation) for month, calculation in standing}


VIEWS: dict[str, tuple[Table, str]] = {
    "event": (CONSIDERED_EVENT, "private/events.parquet"),
    "game": (GAME, "games.parquet"),
    "change": (CHANGE, "changes.parquet"),
    "entry": (ENTRY, "entries.parquet"),
    "pool": (POOL, "pool.parquet"),
    "calculation_input": (INPUT, "private/inputs.parquet"),
    "calculated_state": (STATE, "private/state.parquet"),
    "calculated_system_state": (SYSTEM_STATE, "private/system_state.parquet"),
}
"""The views over the files of the calculations that count: the columns of each after ``month``, and its file."""


def view_of(name: str, folders: Mapping[str, CalculationFolder]) -> str | pl.DataFrame:
    """Return the statement that makes one of :data:`VIEWS`, or its rows where there is no file."""
    table, path = VIEWS[name]
    files = [folder.path / path for folder in folders.values() if path in folder.written]
    if not files:
        return table.empty().insert_column(0, pl.Series("month", [], dtype=pl.String))
    # DuckDB would wait for ever at a pipe. What is wrong with it is said where the store is closed.
    if strange := next((file for file in files if not file.is_file()), None):
        raise ValueError(f"{strange} is no file")
    # DuckDB could read the month from the folder's name itself, but would then take any folder above the home that is
    # named so for a column too.
    month = f"regexp_extract(filename, {quoted(MONTH_OF_PATH)}, 1) as month"
    columns = ", ".join([month, *table.columns])
    # A path is a literal with the characters escaped that DuckDB takes for a pattern.
    paths = ", ".join(quoted_path(str(file)) for file in files)
    source = f"read_parquet([{paths}], filename = true, hive_partitioning = false)"
    return f"create or replace temp view {name} as select {columns} from {source}"  # noqa: S608 - names and paths of our own
