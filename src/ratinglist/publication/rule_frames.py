"""Rule sets as frames, for the queries that check a list (:mod:`ratinglist.publication.checks`)."""

from __future__ import annotations

from dataclasses import asdict

import polars as pl

from ratinglist.period import Period
from ratinglist.rating.rules import SECTIONS, RuleBook, RuleSet, SystemRuleSet


def rule_sets(book: RuleBook, family: str, period: Period) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return every rule set, and those of ``family`` in force on the day the list of ``period`` takes effect.

    Out: two frames of ``name``, ``time_control``, ``system``, ``published_in`` and a struct per section.
    """
    every = pl.DataFrame([_row(one) for one in book.rule_sets])
    names = [one.name for one in in_force(book, family, period)]
    return every, every.filter(pl.col("name").is_in(names))


def system_rule(book: RuleBook, family: str, period: Period) -> pl.DataFrame:
    """Return the sections of the system's rule set in force, a struct each: one row, or none for the FIDE system."""
    rows = [
        {name: asdict(section) for name, section in one.sections().items()}
        for one in in_force(book, family, period)
        if isinstance(one, SystemRuleSet)
    ]
    return pl.DataFrame(rows) if rows else pl.DataFrame(schema={"list": pl.Null})


def in_force(book: RuleBook, family: str, period: Period) -> list[RuleSet]:
    """Return the rule sets of a family on the first day of ``period``; none where the family is not known."""
    controls = book.time_controls(family) if family in book.families else []
    found = [book.on(family, control, period.first_day) for control in controls]
    return [one for one in found if one is not None]


def _row(rule_set: RuleSet) -> dict[str, object]:
    sections = {section: asdict(getattr(rule_set, section)) for section in SECTIONS}
    of_system = {
        "system": rule_set.system,
        "published_in": None if rule_set.months is None else list(rule_set.months),
    }
    return {"name": rule_set.name, "time_control": rule_set.time_control, **of_system, **sections}
