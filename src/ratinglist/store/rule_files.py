"""The rule sets and tables that come with the program, read once."""

from __future__ import annotations

from functools import cache

from ratinglist.files.resources import data
from ratinglist.rating.rules import RuleBook


@cache
def rule_book(*families: str) -> RuleBook:
    """Every rule set and table of the program, or the rule sets of these ``families`` alone, which takes a third.

    Where one of them is no family, the book has all: then a message can name them. Raises
    :class:`~ratinglist.errors.RulesError` naming file and key where one is wrong.
    """
    rules, tables = data("rules"), data("tables")
    known = {folder.name for folder in rules.iterdir() if folder.is_dir()}
    folders = [rules / one for one in families] if families and known.issuperset(families) else [rules]
    return RuleBook.parse(
        {
            path.relative_to(rules).with_suffix("").as_posix(): path.read_text(encoding="utf-8")
            for folder in folders
            for path in sorted(folder.rglob("*.toml"))
        },
        expected={"expected_score": (tables / "expected_score.csv").read_text(encoding="utf-8")},
        performance={"performance": (tables / "performance.csv").read_text(encoding="utf-8")},
        thousandths={"logistic_thousandths": (tables / "logistic_thousandths.csv").read_text(encoding="utf-8")},
    )
