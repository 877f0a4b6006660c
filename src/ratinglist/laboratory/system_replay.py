"""One system's replay of the frozen months, month by month, and the files that it writes.

The files of a system are in a folder of its own: :mod:`~ratinglist.laboratory.replay_folder`.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

import polars as pl

from ratinglist.concurrency import map_ordered
from ratinglist.engine import BucketFolder, LocalEngine, ReadRows, Study, calculate_month, plan_month
from ratinglist.errors import NothingReadError
from ratinglist.files.durable_files import TEMPORARY_PREFIX, remove_folder
from ratinglist.files.private_files import make_private_folder
from ratinglist.laboratory.frozen_months import FrozenMonths, digests_of
from ratinglist.laboratory.month_chain import MonthChain
from ratinglist.laboratory.predictions import Predictions
from ratinglist.laboratory.replay_folder import LAYOUT, STATES, PredictionWriter, Start
from ratinglist.laboratory.systems import System
from ratinglist.period import Period
from ratinglist.rating.model import JudgedMonth, by_fide_id
from ratinglist.rating.rating_list import has_one_time_step
from ratinglist.rating.rules import FIDE_SYSTEM, RuleBook
from ratinglist.schemas import dictionary_encode
from ratinglist.store.month_tables import lists_of, slices_of
from ratinglist.store.table_files import ROW_GROUP, CsvText

Result = TypeVar("Result")

GAMES_OF_A_BUCKET = 3_000_000
"""About how many games of a list of several months are in memory at once."""


class _TwoAtOnce(LocalEngine):
    """Two buckets at once, in threads."""

    def map_buckets(
        self, function: Callable[[int], Result], buckets: Sequence[int], _done: Callable[[], None]
    ) -> list[Result]:
        """Return ``function(bucket)`` for each of ``buckets``; see :class:`~ratinglist.engine.Engine`."""
        return list(map_ordered(function, buckets))


@dataclass(frozen=True, slots=True)
class MonthToReplay:
    """What all systems have in common in one month.

    ``read``: rows of the frozen reports. ``read_part``: of a part of them that no other system reads. ``share``: see
    :class:`~ratinglist.engine.Study`. ``write``: writes the predictions.
    """

    month: Period
    players: pl.DataFrame
    read: ReadRows
    read_part: ReadRows
    share: Callable[[Hashable, Callable[[], Any]], Any]
    write: PredictionWriter = field(default_factory=PredictionWriter)


@dataclass(slots=True)
class SystemReplay:
    """The replay of one system: the state after the last month calculated, and what ``replay.json`` will state.

    ``folder``: the finished replay's, replaced when this one is complete. ``month_of_report``: ``report_id`` and
    ``month`` (:func:`months_of_reports`).
    """

    frozen: FrozenMonths
    system: System
    start: Start
    folder: Path
    chain: MonthChain
    month_of_report: pl.DataFrame
    games: int = 0
    predicted: int = 0
    lists: int = 0
    listed: int = 0
    digests: dict[str, str] = field(default_factory=dict)
    games_by_month: Counter[str] = field(default_factory=Counter)
    lock: AbstractContextManager[bool] = field(default_factory=Lock)

    @classmethod
    def begin(
        cls,
        frozen: FrozenMonths,
        table: Callable[[str], pl.DataFrame],
        system: System,
        start: Start,
        parent: Path,
    ) -> SystemReplay:
        """Return the replay before the first month, in a temporary folder of ``parent``.

        ``table`` returns a frozen table. Raises :class:`NothingReadError` where there is no list to start from.
        """
        rules = system.rules
        is_office = _system_of(rules, system.family) == _system_of(rules, frozen.family)
        chain = MonthChain.start(table, system.family, rules, continues=is_office, is_empty=start == "scratch")
        before = chain.newest_list(system.time_control)
        if before is None:
            raise NothingReadError(
                f"There is no {system.time_control} list before {frozen.months[0]}: nothing can be replayed."
            )
        found = cls(frozen, system, start, parent / system.name, chain, months_of_reports(table("reports")))
        make_private_folder(parent)
        shutil.rmtree(found.temporary, ignore_errors=True)
        make_private_folder(found.temporary / "lists")
        found._write_list(frozen.months[0] - 1, before)
        return found

    @property
    def temporary(self) -> Path:
        """Return the folder that is written."""
        return self.folder.with_name(f"{TEMPORARY_PREFIX}{self.folder.name}")

    @property
    def has_list_to_compare(self) -> bool:
        """Return whether any list can be compared with one that the office calculated."""
        return any(map(self._is_compared, self.frozen.months))

    def calculate(self, of_all: MonthToReplay) -> None:
        """Calculate a month in which the system has a list, and write its predictions and list."""
        system, month = self.system, of_all.month
        buckets = self._buckets(month)
        # The rows of a part are read by no other system.
        read = of_all.read if buckets == 1 else of_all.read_part
        inputs = self.chain.inputs(month, of_all.players, read, buckets)
        system.begin(inputs)
        no_rows = {name: getattr(inputs, name).clear() for name in ("report_players", "report_games")}
        without_rows = replace(inputs, **no_rows)
        study = Study(
            # Written before the games are learnt, so that the predictions are not in memory then.
            seen=lambda judged: self._write_predictions(of_all, system.predict(judged, without_rows), judged),
            share=of_all.share if buckets == 1 else lambda _key, compute: compute(),
            learn=system.learning(without_rows),
        )
        if buckets == 1:
            planned = plan_month(inputs, study=study)
            del inputs
            result = calculate_month(planned).result()
        else:
            folder = BucketFolder(self.temporary / "buckets")
            folder.make()
            planned = plan_month(inputs, buckets, folder, study=study, read=read)
            result = calculate_month(planned, _TwoAtOnce()).result()
            remove_folder(folder.root)
        del planned
        self.chain = self.chain.after(result, month, of_all.read)
        self.listed = self._write_list(month, result.list_state.filter(pl.col("time_control") == system.time_control))
        self.lists += 1
        if self._is_compared(month):
            self.digests[str(month)] = _list_digest(system, month, result, of_all.players)

    def _buckets(self, month: Period) -> int:
        """Return into how many buckets the games of a month are cut: more than one where they are too many."""
        if not self.system.may_be_cut(month):
            return 1
        games = int(self.chain.reports_to_judge(month)["games"].cast(pl.Int64).sum())
        return max(1, -(-games // GAMES_OF_A_BUCKET))

    def finish(self) -> Path:
        """Write ``replay.json``, put the folder in the place of an earlier replay, and return it."""
        text = json.dumps(self._facts(), indent=1, sort_keys=True)
        (self.temporary / STATES).write_text(text, encoding="utf-8")
        shutil.rmtree(self.folder, ignore_errors=True)
        self.temporary.rename(self.folder)
        return self.folder

    def _facts(self) -> dict[str, Any]:
        published = {month: self._published_digest(Period.parse(month)) for month in self.digests}
        return {
            "layout": LAYOUT,
            "system": self.system.name,
            "start": self.start,
            "time_control": self.system.time_control,
            "lists": self.lists,
            "games": self.games,
            "predicted": self.predicted,
            "players": self.listed,
            "compared": len(published),
            "as_published": sum(self.digests[month] == found for month, found in published.items())
            if published
            else None,
            "list_digests": self.digests,
            "games_by_month_of_event": self.games_by_month,
            "one_time_steps": [str(month) for month in self.frozen.months if self._has_one_time_step(month)],
            "changes": list(self.system.changes),
            "files": digests_of(self.temporary),
        }

    def _has_one_time_step(self, month: Period) -> bool:
        system = self.system
        rule_set = system.rules.on(system.family, system.time_control, month.first_day)
        return rule_set is not None and has_one_time_step(rule_set.list, month)

    def _is_compared(self, month: Period) -> bool:
        """Return whether the list of a month can be compared with one that the office calculated."""
        is_family = self.system.name == self.frozen.family and self.start == "list"
        return is_family and self._published_digest(month) is not None

    def _published_digest(self, month: Period) -> str | None:
        return self.frozen.official_digest(month, self.system.time_control)

    def _write_predictions(self, of_all: MonthToReplay, found: Predictions, judged: JudgedMonth) -> None:
        """Write and count the predictions of a bucket of a list, a file for each month in which events ended."""
        with self.lock:
            self.games += found.games.height
            self.predicted += found.expected["expected_billionths"].count()
        event_id = found.games["event_id"]
        codes = event_id.dtype
        if not isinstance(codes, pl.Enum):  # without a game
            return
        months = judged.events.select("event_id", "report_id").join(self.month_of_report, on="report_id")
        by_code = codes.categories.to_frame("event_id").join(months, on="event_id", how="left", maintain_order="left")
        month = dictionary_encode(by_code["month"]).gather(event_id.to_physical())
        counts = month.value_counts(sort=True, name="games").cast({"month": pl.String})
        for name, games in counts.iter_rows():
            of_month = found
            if counts.height > 1:
                is_of_month = month == name
                of_month = Predictions(found.games.filter(is_of_month), found.expected.filter(is_of_month))
            of_list = f"{of_all.month}-{judged.first_event}" if judged.first_event else str(of_all.month)
            of_all.write.write(self.temporary, name, of_list, of_month)
            with self.lock:
                self.games_by_month[name] += games

    def _write_list(self, month: Period, state: pl.DataFrame) -> int:
        """Write the rated players of a list, and return how many there are."""
        rows = by_fide_id(state.select("fide_id", "rating", "games").drop_nulls("rating"))
        # Read once or twice: a better compression takes its time.
        rows.write_parquet(self.temporary / "lists" / f"{month}.parquet", compression="lz4", statistics=False)
        return rows.height


def has_list(system: System, month: Period) -> bool:
    """Return whether a system has a list in a month."""
    return system.rules.publishes_in(system.family, month)


def months_of_reports(reports: pl.DataFrame) -> pl.DataFrame:
    """Return ``report_id`` and the ``month`` in which the first report of its code ended: the same for all systems."""
    month = pl.col("end_date").min().over("event_id").dt.strftime("%Y-%m")
    return reports.select("report_id", month.alias("month"))


def _system_of(rules: RuleBook, family: str) -> str:
    """Return the system of a family; two families of FIDE's go on from one another's waiting results.

    A changed family goes on from those of the family that was changed.
    """
    unchanged = family.partition("+")[0]
    system = rules.of(unchanged)[0].system
    return system if system == FIDE_SYSTEM else unchanged


def _list_digest(system: System, month: Period, result: Any, players: pl.DataFrame) -> str:
    """Return the logical sha256 of a list as it would be published."""
    lists = lists_of(month, system.family, result.list_state, players, system.rules, result.system_state)
    text: CsvText | None = None
    for rows in slices_of(lists[system.time_control], ROW_GROUP):
        text = text or CsvText(rows.columns)
        text.write(rows)
    return "" if text is None else text.sha256
