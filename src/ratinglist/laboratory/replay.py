"""The command `ratinglist lab replay`: the frozen months under several systems, all systems month by month."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from ratinglist.errors import CommandLineError
from ratinglist.files.durable_files import TEMPORARY_PREFIX
from ratinglist.laboratory import general_elo, single_game_bayes
from ratinglist.laboratory.frozen_months import FrozenMonths, frozen_months, held_laboratory
from ratinglist.laboratory.own_system import OwnClass, failure_text
from ratinglist.laboratory.replay_folder import Replay, Start
from ratinglist.laboratory.system_replay import SystemReplay, has_list
from ratinglist.laboratory.systems import FamilySystem, OwnFamily, System, with_own_family
from ratinglist.pages.plain_text import text_table
from ratinglist.rating.rules import RuleBook, RuleSet, SystemRuleSet
from ratinglist.rating.systems.registry import SYSTEMS
from ratinglist.settings import Settings
from ratinglist.store.rule_files import rule_book
from ratinglist.summaries import Summary

STARTS: dict[str, Start] = {"list": "list", "scratch": "scratch"}
"""The starts by the text of the command line."""

_OF_PLAYERS = ("fide_id", "federation", "sex", "title", "birth_date", "birth_year")
"""What the systems use of a player."""


@dataclass(frozen=True, slots=True)
class ReplaySummary(Summary):
    """The systems that were replayed, a row each."""

    digest: str
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
    system is replaced. The store is not opened. Raises :class:`CommandLineError` for a system that is none,
    :class:`~ratinglist.errors.StoreInUseError` while another laboratory command runs.
    """
    with held_laboratory(settings.home, writes=True):
        frozen = frozen_months(settings.home, digest)
        rules = rule_book()
        systems = [named_system(name, rules, time_control, from_scratch=start == "scratch") for name in names]
        _check_names(names, systems)
        replays = replay_systems(settings, frozen, systems, start)
        rows = [{name: value for name, value in one.facts.items() if name != "files"} for one in replays]
    return ReplaySummary(frozen.digest, start, time_control, rows)


def _check_names(texts: Sequence[str], systems: Sequence[System]) -> None:
    """Raise :class:`CommandLineError` where two systems have one name: they would have one folder."""
    first: dict[str, str] = {}
    for text, system in zip(texts, systems, strict=True):
        # Some file systems do not distinguish case.
        if (name := system.name.lower()) in first:
            raise CommandLineError(
                f"{first[name]} and {text} are both named '{system.name}'. Give one of the classes another name."
            )
        first[name] = text


def replay_systems(settings: Settings, frozen: FrozenMonths, systems: Sequence[System], start: Start) -> list[Replay]:
    """Replay the frozen months under some systems; an earlier replay is replaced when the new one is complete."""
    return [_replay_system(settings, frozen, system, start) for system in systems]


def _replay_system(settings: Settings, frozen: FrozenMonths, system: System, start: Start) -> Replay:
    """Replay one system month by month; where it fails, nothing of it is left."""
    folder = frozen.folder / f"{system.time_control}-{start}"
    try:
        running = SystemReplay.begin(frozen, frozen.table, system, start, folder)
        # Names are needed for the digest of a list alone.
        columns = None if running.has_list_to_compare else _OF_PLAYERS
        players: pl.DataFrame | None = None
        for done, month in enumerate(frozen.months):
            settings.progress(f"replaying {system.name}", done, len(frozen.months))
            players = frozen.players(month, players, columns)
            if has_list(system, month):
                running.calculate(month, players)
        return Replay(running.finish())
    finally:
        shutil.rmtree(folder / f"{TEMPORARY_PREFIX}{system.name}", ignore_errors=True)


def named_system(text: str, rules: RuleBook, time_control: str, *, from_scratch: bool) -> System:
    """Return the system that ``text`` names: a family, one of the laboratory, or ``FILE.py:Class``.

    Raises :class:`CommandLineError` where there is none, where it has no rules for the time control, and where it
    cannot start from scratch.
    """
    if is_class(text):
        own = load_own(text)
        if own.name.lower() in (family.lower() for family in rules.families):
            raise CommandLineError(f"{text}: the name '{own.name}' is that of a rule family. Give the class another.")
        return OwnFamily(own, with_own_family(rules, time_control), time_control)
    return family_system(text, rules, time_control, from_scratch=from_scratch)


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


def is_class(text: str) -> bool:
    """Return whether ``text`` names a class, of an analyst's file or of the laboratory, and not a rule family."""
    return ".py:" in text or text.partition(":")[0] in _WITH_PARAMETERS


_WITH_PARAMETERS: dict[str, Callable[[str], Any]] = {
    general_elo.NAME: lambda text: general_elo.general_elo(text, rule_book().expected_score["expected_score"]),
    single_game_bayes.NAME: single_game_bayes.single_game_bayes,
}
"""The systems of the laboratory that have no list, by name; parameters come after colons."""


def load_own(text: str) -> OwnClass:
    """Return a system of the laboratory, or an instance of ``FILE.py:Class``, which runs the code of the file.

    Raises :class:`CommandLineError` where the file cannot be read or run, or the class is not a system.
    """
    if (name := text.partition(":")[0]) in _WITH_PARAMETERS:
        return OwnClass.checked(_WITH_PARAMETERS[name](text), "ratinglist", name)
    path_text, _, class_name = text.rpartition(":")
    path = Path(path_text)
    if not path.is_file():
        raise CommandLineError(f"{path}: there is no such file. Name a system as FILE.py:Class, or a rule family.")
    spec = importlib.util.spec_from_file_location(f"ratinglist_own_{path.stem}", path)
    if spec is None or spec.loader is None or spec.origin is None:
        raise CommandLineError(f"{path}: it is not a Python file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
        own: Any = getattr(module, class_name, None)
        system = own() if own is not None else None
        if system is not None:
            return OwnClass.checked(system, spec.origin, class_name)
    except CommandLineError:
        raise
    except BaseException as error:
        # The file may exit too, and nothing of it is an error of the program.
        raise CommandLineError(f"{path}: {failure_text(error)}. Fix the file.") from None
    raise CommandLineError(f"{path}: it has no class '{class_name}'.")
