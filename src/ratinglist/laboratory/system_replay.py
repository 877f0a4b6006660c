"""One system's replay of the frozen months, month by month, and the files that it writes.

The files of a system are in a folder of its own: :mod:`~ratinglist.laboratory.replay_folder`.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from ratinglist.errors import NothingReadError
from ratinglist.files.durable_files import TEMPORARY_PREFIX, make_private_folder
from ratinglist.laboratory.frozen_months import FrozenMonths, digests_of
from ratinglist.laboratory.month_chain import MonthChain
from ratinglist.laboratory.predictions import Predictions
from ratinglist.laboratory.replay_folder import LAYOUT, STATES, Start, write_predictions
from ratinglist.laboratory.systems import System
from ratinglist.period import Period
from ratinglist.rating.model import MonthResult, by_fide_id
from ratinglist.rating.month import Judged, judge_month
from ratinglist.rating.rating_list import has_one_time_step
from ratinglist.rating.rules import FIDE_SYSTEM, RuleBook
from ratinglist.store.calculations import lists_of
from ratinglist.store.table_files import logical_sha256


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

    def calculate(self, month: Period, players: pl.DataFrame) -> None:
        """Calculate a month in which the system has a list, and write its predictions and list.

        In: ``players`` (``PLAYER``), as known in that month.
        """
        system, read = self.system, self.frozen.of_reports
        inputs = self.chain.inputs(month, players, read)
        system.begin(inputs)
        judged = judge_month(inputs)
        self._write_predictions(month, system.predict(judged, inputs), judged)
        result = system.rate(judged, inputs)
        self.chain = self.chain.after(result, month, read)
        self.listed = self._write_list(month, result.list_state.filter(pl.col("time_control") == system.time_control))
        self.lists += 1
        if self._is_compared(month):
            self.digests[str(month)] = _list_digest(system, month, result, players)

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

    def _write_predictions(self, month: Period, predictions: Predictions, judged: Judged) -> None:
        """Write and count the predictions of a list, a file for each month in which events ended."""
        self.games += predictions.games.height
        self.predicted += predictions.expected["expected_billionths"].count()
        reports = judged.events.select(pl.col("event_id").cast(pl.String), "report_id")
        months = reports.join(self.month_of_report, on="report_id")
        ended_in = predictions.games.join(months, on="event_id", how="left", maintain_order="left")["month"]
        counts = ended_in.value_counts(sort=True, name="games")
        for name, games in counts.iter_rows():
            is_of_month = ended_in == name
            of_month = Predictions(predictions.games.filter(is_of_month), predictions.expected.filter(is_of_month))
            write_predictions(self.temporary, name, month, of_month)
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


def _list_digest(system: System, month: Period, result: MonthResult, players: pl.DataFrame) -> str:
    """Return the logical sha256 of a list as it would be published."""
    lists = lists_of(month, system.family, result.list_state, players, system.rules, result.system_state)
    return logical_sha256(lists[system.time_control])
