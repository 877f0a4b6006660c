"""State a number of another system than FIDE's as it is published: the row of changes, what each column is, the rules.

One account serves every system: it prints what the system's tables and rule files declare, and no formula.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import polars as pl

from ratinglist.analysis.explain.terms import Term, Values
from ratinglist.rating.rules import RuleSet, SystemRuleSet
from ratinglist.rating.systems.registry import SYSTEMS
from ratinglist.tables import GAME, SYSTEM_GAME, Column, own_columns

_IN_EVERY_TABLE = {*GAME.columns, "expected_thousandths", "change_thousandths"}
"""The columns of a game that its line shows under a heading, whatever the system."""


def system_columns(games: pl.DataFrame) -> list[str]:
    """Return the columns that a system adds to a game, as far as these ``games`` have a value in them."""
    names = [*SYSTEM_GAME.columns, *own_columns(games.schema)]
    return [name for name in names if name in games.columns and games[name].count() and name not in _IN_EVERY_TABLE]


def system_terms(
    change: Values | None, games: pl.DataFrame, rule_set: SystemRuleSet, rules: Mapping[str, RuleSet]
) -> list[Term]:
    """Return the figures of a player's change, what the columns of the games are, and the values of the rules.

    ``rules``: the rule sets by name; those of the games are stated besides ``rule_set``, that of the list.
    """
    published = SYSTEMS[rule_set.system].published
    of_game = published["games"].columns
    names = dict.fromkeys([rule_set.name, *games["rule_set"].drop_nulls().sort()])
    return [
        *_figures(change or {}, published["changes"].columns),
        *(
            Term("column_of_game", "of a game, {column}: {description}", _described(name, of_game))
            for name in system_columns(games)
        ),
        *_values(rules[name] for name in names if name in rules),
    ]


def _figures(change: Values, columns: Mapping[str, Column]) -> Iterator[Term]:
    """Yield a term for each figure of a row of the changes."""
    for name, value in change.items():
        if value is not None:
            yield Term(name, "{column} {result}: {description}", _described(name, columns), value)


def _described(name: str, columns: Mapping[str, Column]) -> dict[str, object]:
    return {"column": name, "description": columns[name].description if name in columns else "of the system"}


def _values(rule_sets: Iterable[RuleSet]) -> Iterator[Term]:
    """Yield a term for each value of the rule sets, with its article."""
    for rule_set in rule_sets:
        for key, value in rule_set.values().items():
            operands = {"rules": rule_set.name, "key": key}
            yield Term(key, "{rules}, {key}: {result} ({article})", operands, value, rule_set.articles[key])
