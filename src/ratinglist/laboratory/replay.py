"""The command `ratinglist lab replay`: an office's months under several systems, each month after month.

A system's replay is ``HOME/lab/<first>-to-<last>/<control>-<start>/<system>/``: ``lists/<month>.parquet`` (FIDE ID,
rating, games), ``games.parquet`` (:data:`~ratinglist.laboratory.predictions.PREDICTION_TABLE`), and ``replay.json``.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import polars as pl

from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.files.durable_files import TEMPORARY_PREFIX, make_private_folder
from ratinglist.laboratory import general_elo, single_game_bayes
from ratinglist.laboratory.learning import LearningSystem
from ratinglist.laboratory.month_chain import MonthChain
from ratinglist.laboratory.predictions import PREDICTION_TABLE
from ratinglist.laboratory.study import Study, studied
from ratinglist.laboratory.systems import FamilySystem, LearningFamily, System, with_judged_family
from ratinglist.pages.plain_text import text_table
from ratinglist.period import Period
from ratinglist.rating.model import MonthResult, by_fide_id
from ratinglist.rating.month import judge_month
from ratinglist.rating.rating_list import has_one_time_step
from ratinglist.rating.rules import FIDE_SYSTEM, RuleBook, RuleSet, SystemRuleSet
from ratinglist.rating.systems.registry import SYSTEMS
from ratinglist.settings import Progress, Settings
from ratinglist.store.calculations import lists_of
from ratinglist.store.rule_files import rule_book
from ratinglist.store.table_files import logical_sha256, write_parquet
from ratinglist.summaries import Summary

Start = Literal["list", "scratch"]
STARTS: dict[str, Start] = {"list": "list", "scratch": "scratch"}
"""The starts by the text of the command line."""
_FACTS = "replay.json"


@dataclass(frozen=True, slots=True)
class ReplaySummary(Summary):
    """The systems that were replayed, a row each."""

    first: str
    last: str
    start: str
    time_control: str
    systems: list[dict[str, Any]]

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
        head = f"Replayed {self.first} to {self.last} from {self.start}, {self.time_control}:"
        table = text_table(header, rows, [False, True, True, True, True, True])
        return "\n".join([head, *(f"  {line}" for line in table), "  next: ratinglist lab report"])


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
        found: dict[str, Any] = json.loads((self.folder / _FACTS).read_text(encoding="utf-8"))
        return found

    @property
    def predictions(self) -> pl.DataFrame:
        """Return what the system predicts (``PREDICTION_TABLE``)."""
        return pl.read_parquet(self.folder / "games.parquet", glob=False)

    def ratings(self, month: Period) -> pl.DataFrame | None:
        """Return ``fide_id``, ``rating`` and ``games`` of a list, sorted; None where there is none of that month."""
        path = self.folder / "lists" / f"{month}.parquet"
        return by_fide_id(pl.read_parquet(path, glob=False)) if path.is_file() else None


def replay(
    settings: Settings,
    names: Sequence[str],
    *,
    months: tuple[Period | None, Period | None] = (None, None),
    start: Start = "list",
    time_control: str = "standard",
) -> ReplaySummary:
    """Replay the months of an office under the systems ``names`` and write their lists and predictions.

    ``start``: from the office's list before the first month, or with the same players unrated. A replay of the same
    system is replaced. Raises :class:`CommandLineError` for a system that is none, and as
    :func:`~ratinglist.laboratory.study.studied`.
    """
    rules = rule_book()
    systems = [named_system(name, rules, time_control, from_scratch=start == "scratch") for name in names]
    with studied(settings, months, time_control, writes=True) as study:
        replays = [replay_system(study, system, start, settings.progress) for system in systems]
        rows = [one.facts for one in replays]
        return ReplaySummary(str(study.months[0]), str(study.months[-1]), start, time_control, rows)


def replays_of(study: Study, start: Start) -> list[Replay]:
    """Return the finished replays of the months, sorted by the name of the system."""
    return [Replay(path.parent) for path in sorted(study.folder.glob(f"{study.time_control}-{start}/*/{_FACTS}"))]


def replay_system(study: Study, system: System, start: Start, progress: Progress) -> Replay:
    """Replay one system month by month; an earlier replay of it is replaced when this one is complete.

    Raises :class:`NothingReadError` where there is no list to start from.
    """
    is_office = _system_of(system.rules, system.family) == _system_of(system.rules, study.family)
    chain = MonthChain.start(
        study.inputs, system.family, system.rules, continues=is_office, is_empty=start == "scratch"
    )
    before = chain.newest_list(system.time_control)
    if before is None:
        raise NothingReadError(
            f"There is no {system.time_control} list before {study.months[0]}: nothing can be replayed."
        )
    folder = study.folder / f"{system.time_control}-{start}" / system.name
    temporary = folder.with_name(f"{TEMPORARY_PREFIX}{system.name}")
    shutil.rmtree(temporary, ignore_errors=True)
    make_private_folder(temporary / "lists")
    try:
        players = _write_list(temporary, study.months[0] - 1, before)
        predictions, digests, lists = [PREDICTION_TABLE.empty()], {}, 0
        is_compared = system.name == study.family and start == "list"
        for done, month in enumerate(study.months):
            progress(f"replaying {system.name}", done, len(study.months))
            if not system.rules.publishes_in(system.family, month):
                continue
            known = study.players(month)
            inputs = chain.inputs(month, known)
            system.begin(inputs)
            judged = judge_month(inputs)
            predictions.append(system.predict(judged, inputs))
            result = system.rate(judged, inputs)
            chain = chain.after(result, month)
            state = result.list_state.filter(pl.col("time_control") == system.time_control)
            players, lists = _write_list(temporary, month, state), lists + 1
            if is_compared and (published := study.official_digest(month)) is not None:
                digests[str(month)] = (_list_digest(system, month, result, known), published)
        games = PREDICTION_TABLE.sorted(pl.concat(predictions))
        write_parquet(temporary / "games.parquet", PREDICTION_TABLE, games)
        facts = {
            "system": system.name,
            "start": start,
            "time_control": system.time_control,
            "entry": study.entry,
            "lists": lists,
            "games": games.height,
            "predicted": games["expected_billionths"].count(),
            "players": players,
            "compared": len(digests),
            "as_published": sum(own == published for own, published in digests.values()) if digests else None,
            "list_digests": {month: own for month, (own, _) in digests.items()},
            "one_time_steps": [str(month) for month in study.months if _has_one_time_step(system, month)],
            "changes": list(system.changes),
        }
        (temporary / _FACTS).write_text(json.dumps(facts, indent=1, sort_keys=True), encoding="utf-8")
        shutil.rmtree(folder, ignore_errors=True)
        temporary.rename(folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return Replay(folder)


def _write_list(folder: Path, month: Period, state: pl.DataFrame) -> int:
    """Write the rated players of a list, and return how many there are."""
    rows = by_fide_id(state.select("fide_id", "rating", "games").drop_nulls("rating"))
    rows.write_parquet(folder / "lists" / f"{month}.parquet")
    return rows.height


def _has_one_time_step(system: System, month: Period) -> bool:
    rule_set = system.rules.on(system.family, system.time_control, month.first_day)
    return rule_set is not None and has_one_time_step(rule_set.list, month)


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


def named_system(text: str, rules: RuleBook, time_control: str, *, from_scratch: bool) -> System:
    """Return the system that ``text`` names: a family, or one without a list and its parameters.

    Raises :class:`CommandLineError` where there is none, where it has no rules for the time control, and where it
    cannot start from scratch.
    """
    make = _WITHOUT_LIST.get(text.partition(":")[0])
    if make is not None:
        return LearningFamily(make(text), with_judged_family(rules, time_control), time_control)
    return family_system(text, rules, time_control, from_scratch=from_scratch)


_WITHOUT_LIST: dict[str, Callable[[str], LearningSystem]] = {
    general_elo.NAME: lambda text: general_elo.general_elo(text, rule_book().expected_score["expected_score"]),
    single_game_bayes.NAME: single_game_bayes.single_game_bayes,
}
"""The systems that have no list, by name; parameters come after colons."""


def family_system(family: str, rules: RuleBook, time_control: str, *, from_scratch: bool) -> FamilySystem:
    """Return the system of a rule family.

    Raises :class:`CommandLineError` where there is no such family, where it has no rules for the time control, and
    where it cannot start from scratch.
    """
    sets = rules.of(family)
    if time_control not in rules.time_controls(family):
        raise CommandLineError(
            f"The family '{family}' has no {time_control} lists: name another family, or another --time-control."
        )
    if from_scratch and _needs_rated(sets[0]):
        raise CommandLineError(
            f"The family '{family}' rates a player by games against rated players, so from scratch it rates no player. "
            "Start from the list: --start list"
        )
    return FamilySystem(family, rules, time_control)


def _needs_rated(rule_set: RuleSet) -> bool:
    """Return whether a player enters by games against rated players alone."""
    return not isinstance(rule_set, SystemRuleSet) or SYSTEMS[rule_set.system].needs_rated
