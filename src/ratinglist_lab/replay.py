"""The command `ratinglist lab replay`: an office's months under several rule families, each month after month.

The months are calculated as the office calculates them, in a temporary home that has the facts of the office and its
lists before the first month. What stays of it is a :class:`Replay` in
``HOME/lab/<first>-to-<last>/<control>-<start>/<family>/``.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import polars as pl

from ratinglist import strict_toml
from ratinglist.errors import CommandLineError, NothingReadError, RulesError, StoreInUseError, first_line
from ratinglist.files import resources
from ratinglist.files.durable_files import locked_folder, make_private_folder
from ratinglist.home.history import KINDS
from ratinglist.home.log import Log
from ratinglist.period import Period
from ratinglist.rating.model import MonthInputs
from ratinglist.rating.month import rate_month
from ratinglist.rating.rules import RuleBook, SystemRuleSet, shown
from ratinglist.rating.systems.registry import SYSTEMS
from ratinglist.settings import Progress, Settings
from ratinglist.store.calculation_folder import CalculationFolder
from ratinglist.store.calculations import write_calculated
from ratinglist.store.database import Store
from ratinglist.store.inputs import read_month_inputs, read_players
from ratinglist.store.rule_files import rule_book, texts_in
from ratinglist.summaries import Facts
from ratinglist.tables import LIST_STATE
from ratinglist.workflows.opening import open_to_read
from ratinglist_lab.measures import predicted


@dataclass(frozen=True, slots=True)
class Study:
    """The months of an office whose store is open, and its ``family``."""

    store: Store
    family: str
    months: list[Period]
    time_control: str
    folder: Path

    def players(self, month: Period) -> pl.DataFrame:
        """Return the players as the office's list of a month knows them (``PLAYER``)."""
        return read_players(self.store, month).sort("fide_id")

    def list_before(self) -> pl.DataFrame:
        """Return ``fide_id``, ``rating`` and ``games`` of the newest list before the first month.

        Raises :class:`NothingReadError` where there is none.
        """
        rows = self.store.read(
            """
            select fide_id, rating, games from list_to_stand_on
            where time_control = $time_control and rating is not null and month = (
                select max(month) from standing_list where time_control = $time_control and month < $first
            )
            """,
            time_control=self.time_control,
            first=str(self.months[0]),
        )
        if rows.is_empty():
            raise NothingReadError(
                f"There is no {self.time_control} list before {self.months[0]} to start from: name a later --from."
            )
        return rows.sort("fide_id")

    def official(self) -> pl.DataFrame:
        """Return ``list_month``, ``fide_id`` and ``rating`` of the office's own lists."""
        return self.store.read(
            """
            select month as list_month, fide_id, rating
            from list_to_stand_on semi join standing_list using (month, time_control)
            where time_control = $time_control and rating is not null
            """,
            time_control=self.time_control,
        )

    def official_digest(self, month: Period) -> str | None:
        """Return the logical sha256 of the list that the office calculated; None where there is none."""
        folders = self.store.current_folders([str(month)])
        entry = folders[0].files().get(f"{self.time_control}.parquet") if folders else None
        return None if entry is None else str(entry["logical_sha256"])


@contextmanager
def studied(settings: Settings, first: Period | None, last: Period | None, time_control: str) -> Iterator[Study]:
    """Give the study of the months from ``first`` to ``last``; default: all for which the office calculated a list.

    One command at a time has ``HOME/lab``. Raises :class:`CommandLineError` where the months are in the wrong order,
    :class:`NothingReadError` where the office calculated none and none is named, and :class:`StoreInUseError` while
    another laboratory command runs.
    """
    folder = settings.home / "lab"
    rule_book().of(settings.family)
    with open_to_read(settings) as store:
        calculated = sorted(map(Period.parse, store.log.history.standing_calculations()))
        if None in (first, last) and not calculated:
            raise NothingReadError("No list was calculated yet: name the months with --from YYYY-MM and --to YYYY-MM.")
        first, last = first or calculated[0], last or calculated[-1]
        if first > last:
            raise CommandLineError(f"--from {first} is after --to {last}.")
        make_private_folder(folder)
        handle = locked_folder(
            folder,
            f"{folder} is in use: another laboratory command is running. Wait until it has finished, then run the "
            "command again.",
        )
        try:
            every = [Period(index) for index in range(first.index, last.index + 1)]
            yield Study(store, settings.family, every, time_control, folder / f"{first}-to-{last}")
        finally:
            os.close(handle)


_MOST_DIGITS = 6
"""No value of a regulation has as many, and the numbers of a list have room for what is calculated with it."""
FACTS, _GAMES, _LISTS = "replay.json", "games.parquet", "lists.parquet"
_UNRATED = {
    **dict.fromkeys(("rating", "k", "last_played")),
    **dict.fromkeys(("games", "games_played"), 0),
    **dict.fromkeys(("reached_2400", "reached_2300"), False),
}
"""What a list has of a player whom it does not rate."""


@dataclass(frozen=True, slots=True)
class System:
    """A rule family to be replayed, and the book that has it.

    ``changes``: the values that a what-if changed, each as ``key: before -> after``.
    """

    family: str
    rules: RuleBook
    changes: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Replay:
    """The replayed months of the system ``name``.

    ``facts``: what ``replay.json`` states; ``predictions``: what the system predicts (``PREDICTION_TABLE``); ``lists``:
    ``list_month``, ``fide_id``, ``rating`` and ``games`` of the rated players, sorted by the first two.
    """

    name: str
    facts: dict[str, Any]
    predictions: pl.DataFrame
    lists: pl.DataFrame

    @classmethod
    def read(cls, folder: Path) -> Replay:
        """Read the replay in a folder; raise :class:`NothingReadError` where it is damaged."""
        try:
            facts = json.loads((folder / FACTS).read_text(encoding="utf-8"))
            tables = (pl.read_parquet(folder / name, glob=False) for name in (_GAMES, _LISTS))
            return cls(facts["system"], facts, *tables)
        except (OSError, ValueError, LookupError, TypeError, pl.exceptions.PolarsError) as error:
            raise NothingReadError(
                f"The replay in {folder} is damaged ({first_line(error)}): delete this folder, and replay the system "
                "again."
            ) from None


def replay(
    settings: Settings,
    names: Sequence[str],
    *,
    first: Period | None = None,
    last: Period | None = None,
    start: str = "list",
    time_control: str = "standard",
) -> Facts:
    """Replay the months of an office under the systems ``names`` and write their lists and predictions.

    ``names``: as :func:`named_system` takes them. ``start``: from the office's list before the first month, or with the
    same players unrated. A replay of the same system is replaced. Raises :class:`CommandLineError` for a system that is
    none, and as :func:`studied`.
    """
    systems = [checked(named_system(name), time_control, start) for name in names]
    with studied(settings, first, last, time_control) as study:
        rows = [replay_system(study, system, start, settings.progress).facts for system in systems]
    columns = ("system", "lists", "games", "predicted", "players", "compared", "as_published")
    table = pl.DataFrame(rows, infer_schema_length=None).select(columns)
    facts = {"first": str(study.months[0]), "last": str(study.months[-1]), "start": start, "time_control": time_control}
    return Facts("Replayed", {**facts, "systems": table})


def named_system(name: str) -> System:
    """Return the system of a name: a rule family, or the folder of a family of the analyst's own.

    Such a folder has the files of a family as ``data/rules`` has them, ``time control/YYYY-MM-DD.toml``, and its name
    is that of the family. Raises :class:`CommandLineError` where it is the name of another family, and
    :class:`NothingReadError` where it has no rule file.
    """
    book, folder = rule_book(), Path(name)
    if name in book.families or not folder.is_dir():
        return System(name, book)
    family = folder.resolve().name
    if family in book.families:
        raise CommandLineError(
            f"{folder}: there is a family '{family}' already. Give the folder, and 'family' in its files, another name."
        )
    texts = texts_in(folder, family)
    if not texts:
        raise NothingReadError(
            f"{folder} has no rule file: a family has files such as {folder / 'standard' / '2024-03-01.toml'}."
        )
    return System(family, replace(book, files={**book.files, **texts}))


def altered(book: RuleBook, family: str, texts: Sequence[str]) -> tuple[RuleBook, dict[str, int | bool | str]]:
    """Return the rule book with a changed family besides, ``fide+2`` for two changes, and the changed values by key.

    In: ``texts``: ``section.key=value`` of every change. Every rule set of the family gets the values, whatever its
    time control and date. Raises :class:`CommandLineError` for a key that the family has not, a value that the key does
    not allow, and changes that change nothing.
    """
    sets = book.of(family)
    values = dict(_changed_value(family, list(sets[0].values()), text) for text in texts)
    if all(rule_set.values()[key] == value for rule_set in sets for key, value in values.items()):
        raise CommandLineError(f"The family '{family}' has these values already: {', '.join(texts)}. Change another.")
    name = f"{family}+{len(values)}"
    files = {
        path.replace(family, name, 1): _altered_file(text, name, values)
        for path, text in book.files.items()
        if path.startswith(f"{family}/")
    }
    changed = replace(book, files={**book.files, **files})
    try:
        changed.of(name)
    except RulesError as error:
        raise CommandLineError(f"--change: {str(error).removesuffix(' Fix the file.')}") from None
    return changed, values


def _changed_value(family: str, known: Sequence[str], text: str) -> tuple[str, int | bool | str]:
    """Return the key and the value of ``section.key=value``; raise :class:`CommandLineError` where there are none."""
    key, equals, value = (part.strip() for part in text.partition("="))
    if not equals or key not in known:
        near = get_close_matches(key, known, n=3)
        meant = f" Did you mean {', '.join(near)}?" if near else ""
        raise CommandLineError(
            f"--change {text}: write section.key=value, of a value that the family '{family}' has.{meant} "
            f"`ratinglist rules --rules {family}` shows all."
        )
    if not re.fullmatch(r"-?[0-9]+", value):
        return key, {"true": True, "false": False}.get(value, value)
    if len(value.lstrip("-0")) > _MOST_DIGITS:
        raise CommandLineError(f"--change {key}={value[:20]}: a whole number has at most {_MOST_DIGITS} digits.")
    return key, int(value)


def described(book: RuleBook, family: str, values: Mapping[str, object], days: Sequence[date]) -> list[str]:
    """Return every change as ``key: before -> after``; several values before, where it changed within the days."""
    in_force = [rule_set.values() for day in days for rule_set in book.in_force(family, day)]
    return [
        f"{key}: {', '.join(dict.fromkeys(shown(before[key]) for before in in_force))} -> {shown(value)}"
        for key, value in values.items()
    ]


def _altered_file(text: str, name: str, values: Mapping[str, int | bool | str]) -> str:
    """Return the text of a rule file as one of the family ``name``, with other values."""
    content = {**strict_toml.parse(text), "family": name}
    for key, value in values.items():
        section, _, field = key.partition(".")
        content[section][field] = {"value": value, "article": "what-if"}
    return "\n".join(f"{key} = {strict_toml.written(value)}" for key, value in content.items())


def checked(system: System, time_control: str, start: str) -> System:
    """Return a system that can be replayed.

    Raises :class:`CommandLineError` where there is no such family, where it has no rules for the time control, and
    where it cannot start from scratch; :class:`~ratinglist.errors.RulesError` where one of its files is wrong.
    """
    family, (rule_set, *_) = system.family, system.rules.of(system.family)
    if time_control not in system.rules.time_controls(family):
        raise CommandLineError(
            f"The family '{family}' has no {time_control} lists: name another family, or another --time-control."
        )
    needs_rated = not isinstance(rule_set, SystemRuleSet) or SYSTEMS[rule_set.system].needs_rated
    if start == "scratch" and needs_rated:
        raise CommandLineError(
            f"The family '{family}' rates a player by games against rated players, so from scratch it rates no player. "
            "Start from the list: --start list"
        )
    return system


def replay_system(study: Study, system: System, start: str, progress: Progress) -> Replay:
    """Replay one system month by month, in the place of an earlier replay of it.

    Raises :class:`NothingReadError` where there is no list to start from.
    """
    name, control, first = system.family, study.time_control, study.months[0]
    before = study.list_before()
    lists = [_rated(first - 1, before if start == "list" else before.clear())]
    folder = study.folder / f"{control}-{start}" / name
    shutil.rmtree(folder, ignore_errors=True)
    make_private_folder(folder)
    months = [month for month in study.months if system.rules.publishes_in(name, month)]
    published: list[bool] = []
    try:
        with _temporary_home(study, folder / "home") as store:
            for done, month in enumerate(months):
                progress(f"replaying {name}", done, len(months))
                inputs = read_month_inputs(store, month, name, system.rules)
                inputs = replace(inputs, players=study.players(month))
                inputs = _as_started(inputs, study, start, is_first=not done)
                calculation = write_calculated(store, inputs, rate_month(inputs), month.first_day, month)
                state = calculation.folder.read_state().filter(pl.col("time_control") == control)
                lists.append(_rated(month, state))
                if name == study.family and start == "list" and (official := study.official_digest(month)) is not None:
                    own = calculation.folder.files()[f"{control}.parquet"]["logical_sha256"]
                    published.append(own == official)
            query = (resources.sql("measures") / "games.sql").read_text(encoding="utf-8")
            games = store.read(query, first=str(first), time_control=control, from_scratch=start == "scratch")
    finally:
        shutil.rmtree(folder / "home", ignore_errors=True)
    predictions = predicted(games, name, system.rules)
    facts = {
        "system": name,
        "start": start,
        "time_control": control,
        "entry": len(study.store.log.entries),
        "months": [str(month) for month in (first - 1, *months)],
        "lists": len(months),
        "games": predictions.height,
        "predicted": predictions["expected_billionths"].count(),
        "players": lists[-1].height,
        "compared": len(published),
        "as_published": sum(published) if published else None,
        "changes": list(system.changes),
    }
    replayed = Replay(name, facts, predictions, pl.concat(lists))
    replayed.predictions.write_parquet(folder / _GAMES)
    replayed.lists.write_parquet(folder / _LISTS)
    # Last: what has no facts is no replay.
    (folder / FACTS).write_text(json.dumps(facts, indent=1, sort_keys=True), encoding="utf-8")
    return replayed


@contextmanager
def _temporary_home(study: Study, home: Path) -> Iterator[Store]:
    """Give a store over a home with the facts of the office, and its calculations of the months before the first one.

    What is calculated in it is recorded in memory alone. Raises :class:`StoreInUseError` where another command has
    changed the facts since the study began.
    """
    office = study.store
    with office.as_published(()):
        standing = office.log.history.standing_calculations()
    before = [standing[month] for month in sorted(standing) if month < str(study.months[0])]
    numbers = [calculation.number for calculation in before]
    entries = [
        entry
        for entry in office.log.entries
        if KINDS[entry.kind].makes_store or KINDS[entry.kind].judges or entry.facts.get("calculation") in numbers
    ]
    make_private_folder(home / "calculations")
    store = Store(Log.of(home, entries, is_written=False), office.path)
    try:
        if store.newest_entry() != office.newest_entry():
            raise StoreInUseError(f"Another command changed {office.home} during the replay. Give this command again.")
        for calculation in before:
            original, copy = (CalculationFolder.of(place.folders, calculation).path for place in (office, store))
            shutil.copytree(original, copy)
        yield store
    finally:
        store.close()


def _as_started(inputs: MonthInputs, study: Study, start: str, *, is_first: bool) -> MonthInputs:
    """Return the inputs of a month as a study has them that starts with the lists before its first month.

    What waits for an entry, and what a system keeps of its players, goes on from the office's list where that is of the
    same system. From scratch, nobody was ever rated before the first month.
    """
    rules = inputs.rules
    continues = start == "list" and rules.of(inputs.family)[0].system == rules.of(study.family)[0].system
    if is_first and not continues:
        of_system = ("pool", "pooled_games", "system_state", "own_state")
        inputs = replace(inputs, **{name: getattr(inputs, name).clear() for name in of_system})
    if start == "list":
        return inputs
    is_replayed = pl.col("month") >= str(study.months[0])
    lists = inputs.lists.with_columns(
        pl.when(is_replayed).then(name).otherwise(pl.lit(value)).alias(name) for name, value in _UNRATED.items()
    )
    return replace(inputs, lists=LIST_STATE.conform(lists), imported=inputs.imported.clear())


def _rated(month: Period, state: pl.DataFrame) -> pl.DataFrame:
    """Return the rated players of a list as :class:`Replay` has them."""
    rated = state.select(pl.lit(str(month)).alias("list_month"), "fide_id", "rating", "games").drop_nulls("rating")
    return rated.sort("fide_id")
