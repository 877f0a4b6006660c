"""The systems that a laboratory command names: rule families, and classes in an analyst's own files."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from threading import Lock
from typing import Any

from ratinglist.analysis.laboratory.own_class import OwnClass, failure_text
from ratinglist.analysis.laboratory.replayed_month import FamilySystem, OwnFamily, with_own_family
from ratinglist.errors import CommandLineError
from ratinglist.rating.rules import RuleBook

System = FamilySystem | OwnFamily
ONE_AT_A_TIME = Lock()
"""Held while a method of an analyst's class runs."""

_FROM_RATED_ONLY = ("fide", "uscf")
"""The systems in which a player enters by games against rated players alone: from scratch there would be none."""


def named_system(text: str, rules: RuleBook, time_control: str, *, from_scratch: bool) -> System:
    """Return the system that ``text`` names: a family, or ``FILE.py:Class``.

    Raises :class:`CommandLineError` where there is none, where it has no rules for the time control, and where it
    cannot start from scratch.
    """
    if ".py:" in text:
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
    if from_scratch and sets[0].system in _FROM_RATED_ONLY:
        raise CommandLineError(
            f"The family '{family}' rates a player by games against rated players, so from scratch it rates no player. "
            "Start from the list: --start list"
        )
    return FamilySystem(family, rules, time_control)


def load_own(text: str) -> OwnClass:
    """Return an instance of the class ``FILE.py:Class``, which runs the code of the file.

    Raises :class:`CommandLineError` where the file cannot be read or run, or the class is not a system.
    """
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
            return OwnClass.checked(system, spec.origin, class_name, ONE_AT_A_TIME)
    except CommandLineError:
        raise
    except BaseException as error:
        # The file may exit too, and nothing of it is an error of the program.
        raise CommandLineError(f"{path}: {failure_text(error)}. Fix the file.") from None
    raise CommandLineError(f"{path}: it has no class '{class_name}'.")
