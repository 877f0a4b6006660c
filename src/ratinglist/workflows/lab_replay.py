"""The command `ratinglist lab replay`: the frozen months under several systems, one after the other.

Each system's months are written to a folder of its own, ``HOME/lab/<digest>/<control>-<start>/<system>/``:
``lists/<month>.parquet``, ``predictions/<month>/<list>.parquet`` with the games of the events that ended in the month
and count for the list, and ``replay.json``, which is written last.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import polars as pl

from ratinglist.analysis.laboratory.month_chain import MonthChain
from ratinglist.analysis.laboratory.predictions import PREDICTION_TABLE
from ratinglist.analysis.laboratory.replayed_month import FamilySystem, ReplayedMonth
from ratinglist.config import Settings
from ratinglist.durable_files import TEMPORARY_PREFIX
from ratinglist.errors import NothingReadError
from ratinglist.period import Period
from ratinglist.private_files import make_private_folder
from ratinglist.rating.model import by_fide_id
from ratinglist.rating.rules import FIDE_SYSTEM, RuleBook
from ratinglist.schemas import dictionary_encode
from ratinglist.store.frozen_months import FrozenMonths, frozen_months
from ratinglist.store.month_tables import lists_of, slices_of
from ratinglist.store.rule_files import rule_book
from ratinglist.store.table_files import ROW_GROUP, CsvText, write_parquet
from ratinglist.text_table import text_table
from ratinglist.workflows.lab_systems import System, named_system

Start = Literal["list", "scratch"]
STARTS: dict[str, Start] = {"list": "list", "scratch": "scratch"}
"""The starts by the text of the command line."""
_STATES = "replay.json"


@dataclass(frozen=True, slots=True)
class Replay:
    """The folder of one system's replayed months."""

    folder: Path

    @property
    def name(self) -> str:
        """Return the name of the system."""
        return self.folder.name

    @property
    def facts(self) -> dict[str, Any]:
        """Return what ``replay.json`` states."""
        found: dict[str, Any] = json.loads((self.folder / _STATES).read_text(encoding="utf-8"))
        return found

    def predictions(self, *, events_of: Sequence[str] = (), lists: Sequence[Period] = ()) -> pl.DataFrame:
        """Return the predictions of all games of the events that ended in some months, or of all games of some lists.

        Sorted by the key of the table.
        """
        patterns = [f"{month}/*.parquet" for month in events_of] + [f"*/{month}.parquet" for month in lists]
        paths = sorted(path for pattern in patterns for path in (self.folder / "predictions").glob(pattern))
        rows = pl.concat([PREDICTION_TABLE.empty(), *(pl.read_parquet(path, glob=False) for path in paths)])
        rows = rows if PREDICTION_TABLE.is_in_order(rows) else PREDICTION_TABLE.sorted(rows)
        # Encoded, because texts are expensive to compare and to group by.
        return rows.with_columns(pl.col("event_id").cast(pl.Categorical))

    def ratings(self, month: Period) -> pl.DataFrame | None:
        """Return ``fide_id``, ``rating`` and ``games`` of a list, sorted; None where there is none of that month."""
        path = self.folder / "lists" / f"{month}.parquet"
        return by_fide_id(pl.read_parquet(path, glob=False)) if path.is_file() else None


@dataclass(frozen=True, slots=True)
class ReplaySummary:
    """The systems that were replayed, a row each."""

    digest: str
    start: str
    time_control: str
    systems: list[dict[str, Any]]

    def as_dict(self) -> dict[str, object]:
        """Return the summary as JSON-able values."""
        return {name: getattr(self, name) for name in ("digest", "start", "time_control", "systems")}

    def text(self) -> str:
        """Return the systems as a table."""
        rows = [
            [
                row["system"],
                str(row["lists"]),
                f"{row['games']:,}",
                f"{row['predicted']:,}",
                f"{row['players']:,}",
                "" if row["as_published"] is None else f"{row['as_published']} of {row['compared']}",
            ]
            for row in self.systems
        ]
        header = ["system", "lists", "games", "predicted", "players on the last list", "lists as published"]
        head = f"Replayed {self.digest} from {self.start}, {self.time_control}:"
        table = text_table(header, rows, [False, True, True, True, True, True])
        return "\n".join([head, *(f"  {line}" for line in table), "  next: ratinglist lab report"])


def replay(
    settings: Settings,
    names: Sequence[str],
    *,
    start: Start = "list",
    digest: str | None = None,
    time_control: str = "standard",
) -> ReplaySummary:
    """Replay the frozen months under the systems ``names`` and write their lists and predictions.

    ``start``: from the office's list before the first month, or with the same players unrated. A replay of the same
    system is replaced. The store is not opened. Raises :class:`CommandLineError` for a system that is none.
    """
    frozen = frozen_months(settings.home, digest)
    rules = rule_book()
    systems = [named_system(name, rules, time_control, from_scratch=start == "scratch") for name in names]
    rows = [replay_system(settings, frozen, system, start).facts for system in systems]
    return ReplaySummary(frozen.digest, start, time_control, rows)


def replays_of(frozen: FrozenMonths, start: Start, time_control: str) -> list[Replay]:
    """Return the finished replays, sorted by the name of the system."""
    folder = frozen.folder / f"{time_control}-{start}"
    return [Replay(path.parent) for path in sorted(folder.glob(f"*/{_STATES}"))]


def replay_system(
    settings: Settings, frozen: FrozenMonths, system: System, start: Start, parent: Path | None = None
) -> Replay:
    """Replay the frozen months under one system; an earlier replay of it is replaced when this one is complete.

    ``parent``: the folder for it; default: that of the replays of this time control and start.
    """
    parent = parent or frozen.folder / f"{system.time_control}-{start}"
    temporary = parent / f"{TEMPORARY_PREFIX}{system.name}"
    make_private_folder(parent)
    shutil.rmtree(temporary, ignore_errors=True)
    for name in ("predictions", "lists"):
        make_private_folder(temporary / name)
    facts = _replayed(settings.progress, frozen, system, start, temporary)
    (temporary / _STATES).write_text(json.dumps(facts, indent=1, sort_keys=True), encoding="utf-8")
    folder = parent / system.name
    shutil.rmtree(folder, ignore_errors=True)
    temporary.rename(folder)
    return Replay(folder)


def _replayed(
    progress: Callable[[str, int, int], None], frozen: FrozenMonths, system: System, start: Start, folder: Path
) -> dict[str, Any]:
    """Calculate every month, write its files, and return what ``replay.json`` states."""
    is_office = isinstance(system, FamilySystem) and _system_of(system.rules, system.family) == _system_of(
        system.rules, frozen.family
    )
    chain = MonthChain.start(
        frozen.table, system.family, system.rules, continues=is_office, is_empty=start == "scratch"
    )
    control = system.time_control
    before = chain.newest_list(control)
    if before is None:
        raise NothingReadError(f"There is no {control} list before {frozen.months[0]}: nothing can be replayed.")
    _write_list(folder, frozen.months[0] - 1, before)
    players: pl.DataFrame | None = None
    games = predicted = lists = listed = 0
    digests: dict[str, str] = {}
    month_of_report = _months_of_reports(frozen)
    games_by_month: Counter[str] = Counter()
    for done, month in enumerate(frozen.months):
        progress(f"replaying {system.name}", done, len(frozen.months))
        players = frozen.players(month, players)
        if isinstance(system, FamilySystem) and not system.rules.publishes_in(system.family, month):
            continue
        inputs = chain.inputs(month, players, frozen.of_reports)
        replayed = system.step(inputs)
        chain = chain.after(replayed.result, month)
        games_by_month.update(_write_predictions(folder, month, replayed, month_of_report))
        of_control = replayed.result.list_state.filter(pl.col("time_control") == control)
        listed = _write_list(folder, month, of_control)
        lists += 1
        games += replayed.predictions.height
        predicted += replayed.predictions["expected_billionths"].count()
        if isinstance(system, FamilySystem) and system.name == frozen.family and start == "list":
            digests |= {str(month): _list_digest(system, month, replayed.result, players)}
    official = {str(month): frozen.official_digest(month, control) for month in frozen.months}
    compared = {month: found for month, found in official.items() if found is not None and month in digests}
    return {
        "system": system.name,
        "start": start,
        "time_control": control,
        "lists": lists,
        "games": games,
        "predicted": predicted,
        "players": listed,
        "compared": len(compared),
        "as_published": sum(digests[month] == found for month, found in compared.items()) if compared else None,
        "list_digests": digests,
        "games_by_month_of_event": games_by_month,
    }


def _months_of_reports(frozen: FrozenMonths) -> pl.DataFrame:
    """Return ``report_id`` and the ``month`` in which the first report of its code ended: the same for all systems."""
    month = pl.col("end_date").min().over("event_id").dt.strftime("%Y-%m")
    return frozen.table("reports").select("report_id", month.alias("month"))


def _write_predictions(
    folder: Path, of_list: Period, replayed: ReplayedMonth, month_of_report: pl.DataFrame
) -> dict[str, int]:
    """Write the predictions of a list, a file for each month in which events ended; return how many they are."""
    predictions = replayed.predictions
    codes = predictions["event_id"].dtype
    if not isinstance(codes, pl.Enum):  # without a game
        return {}
    months = replayed.result.events.select("event_id", "report_id").join(month_of_report, on="report_id")
    by_code = codes.categories.to_frame("event_id").join(months, on="event_id", how="left", maintain_order="left")
    month = dictionary_encode(by_code["month"]).gather(predictions["event_id"].to_physical())
    games = {}
    for name in month.unique().sort().cast(pl.String):
        rows = predictions.filter(month == name)
        make_private_folder(folder / "predictions" / name)
        write_parquet(folder / "predictions" / name / f"{of_list}.parquet", PREDICTION_TABLE, rows)
        games[name] = rows.height
    return games


def _write_list(folder: Path, month: Period, state: pl.DataFrame) -> int:
    """Write the rated players of a list, and return how many there are."""
    rows = state.filter(pl.col("rating").is_not_null()).select("fide_id", "rating", "games").sort("fide_id")
    rows.write_parquet(folder / "lists" / f"{month}.parquet")
    return rows.height


def _system_of(rules: RuleBook, family: str) -> str:
    """Return the system of a family; two families of FIDE's go on from one another's waiting results.

    A changed family goes on from those of the family that was changed.
    """
    unchanged = family.partition("+")[0]
    system = rules.of(unchanged)[0].system
    return system if system == FIDE_SYSTEM else unchanged


def _list_digest(system: FamilySystem, month: Period, result: Any, players: pl.DataFrame) -> str:
    """Return the logical sha256 of a list as it would be published."""
    lists = lists_of(month, system.family, result.list_state, players, system.rules, result.system_state)
    text: CsvText | None = None
    for rows in slices_of(lists[system.time_control], ROW_GROUP):
        text = text or CsvText(rows.columns)
        text.write(rows)
    return "" if text is None else text.sha256
