"""The rule sets and tables that come with the program, read once."""

from __future__ import annotations

from functools import cache

from ratinglist.rating.rules import RuleBook
from ratinglist.resources import data


@cache
def rule_book() -> RuleBook:
    """Every rule set and table of the program.

    Raises :class:`~ratinglist.errors.RulesError` naming file and key where one is wrong.
    """
    rules, tables = data("rules"), data("tables")
    return RuleBook.parse(
        {
            path.relative_to(rules).with_suffix("").as_posix(): path.read_text(encoding="utf-8")
            for path in sorted(rules.rglob("*.toml"))
        },
        expected={"expected_score": (tables / "expected_score.csv").read_text(encoding="utf-8")},
        performance={"performance": (tables / "performance.csv").read_text(encoding="utf-8")},
        thousandths={"logistic_thousandths": (tables / "logistic_thousandths.csv").read_text(encoding="utf-8")},
    )
