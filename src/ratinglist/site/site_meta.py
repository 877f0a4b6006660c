"""Make the file that every page with a script loads first: the months, the rule sets with their articles, the table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ratinglist.rating.rules import RuleBook
from ratinglist.schemas import LISTS
from ratinglist.site.published_months import PublishedMonth


def meta(months: Sequence[PublishedMonth], book: RuleBook) -> dict[str, Any]:
    """Return the months of a site, and what explains their figures, as JSON values.

    ``rules``: the values and articles of every rule set that was in force in these months or is named in them. ``dp``:
    rating differences by share of the points in hundredths (8.1.1), for the performances in cross-tables.
    """
    digests = {one.name: one.digest for one in book.rule_sets}
    described = [_month(month, book, digests) for month in months]
    named = {name for one in described for name in one["inForce"].values()}
    named |= {used["name"] for month in months for used in month.manifest.facts.get("rule_sets", [])}
    rules = {one.name: one.as_dict() for one in book.rule_sets if one.name in named}
    tables = sorted(book.performance)
    return {"months": described, "rules": rules, "dp": book.performance[tables[-1]].to_list() if tables else []}


def _month(month: PublishedMonth, book: RuleBook, digests: dict[str, str]) -> dict[str, Any]:
    family = str(month.manifest.facts.get("family", ""))
    in_force = {}
    if family in book.families:
        for control in LISTS:
            rule_set = book.on(family, control, month.period.first_day)
            if rule_set is not None:
                in_force[control] = rule_set.name
    used = month.manifest.facts.get("rule_sets", [])
    return {
        "month": month.name,
        "revision": month.folder.name,
        "shown": month.is_shown,
        "controls": month.controls,
        "namesUnrated": month.names_unrated,
        "before": dict(month.before),
        "inForce": in_force,
        "leftOut": {stem: list(columns) for stem, columns in month.left_out.items()},
        "rulesChanged": [one["name"] for one in used if digests.get(one["name"]) != one["sha256"]],
    }
