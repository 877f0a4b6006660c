"""One player's list as an account that adds up: every term of the sum, every reason, every article."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from ratinglist.analysis.explain.account_text import told
from ratinglist.analysis.explain.entry_account import entry_of, waiting_of
from ratinglist.analysis.explain.event_account import events_of
from ratinglist.analysis.explain.sources import Sources, of_control, one
from ratinglist.errors import CheckError
from ratinglist.rating.rating_list import after_one_time_step
from ratinglist.rating.rules import RuleBook, RuleSet
from ratinglist.schemas import CHANGE, GAME, LISTS


@dataclass(frozen=True, slots=True)
class Account:
    """How a number came about. ``says`` holds JSON values: scores in half points, the rest in points or hundredths."""

    says: dict[str, Any]

    def as_dict(self) -> dict[str, object]:
        """The account as JSON-able values."""
        return self.says

    def text(self) -> str:
        """The account in plain words."""
        return told(self.says)

    def of(self, time_control: str) -> Account:
        """The account of one time control."""
        some = [part for part in self.says["time_controls"] if part["time_control"] == time_control]
        return Account({**self.says, "time_controls": some})


def account(sources: Sources, book: RuleBook) -> Account:
    """The account of a player, one part for each time control in which the list knows anything of him.

    Raises :class:`CheckError` where his published games do not add up to his published change.
    """
    rules = {rule_set.name: rule_set for rule_set in book.rule_sets}
    family = str(sources.manifest.get("family", ""))
    parts = []
    for time_control in LISTS:
        is_known = family in book.families
        rule_set = book.on(family, time_control, sources.period.first_day) if is_known else None
        if (part := _part(sources, time_control, rule_set, rules)) is not None:
            parts.append(part)
    listed = next((row for rows in sources.lists.values() if (row := one(rows)) is not None), {})
    return Account(
        {
            "month": str(sources.period),
            "revision": sources.revision,
            "fide_id": sources.fide_id,
            "name": sources.names.get(sources.fide_id),
            "federation": listed.get("federation"),
            "time_controls": parts,
            "left_out": {name: list(columns) for name, columns in sorted(sources.left_out.items())},
            "rules_changed": _changed(sources, rules),
        }
    )


def _part(
    sources: Sources, time_control: str, rule_set: RuleSet | None, rules: dict[str, RuleSet]
) -> dict[str, Any] | None:
    """One time control; None where the list knows nothing of the player there."""
    listed, before = one(sources.lists.get(time_control)), one(sources.before.get(time_control))
    change = one(of_control(sources.changes, time_control))
    games = of_control(sources.games, time_control)
    entry = one(of_control(sources.entries, time_control))
    pool = of_control(sources.pool, time_control)
    if listed is None and change is None and entry is None and games.is_empty() and pool.is_empty():
        return None
    events = events_of(games, sources.events, sources.names, rules, rule_set)
    _check_sum(sources, time_control, change, games)
    return {
        "time_control": time_control,
        "rule_set": None if rule_set is None else {"name": rule_set.name, "source": rule_set.source},
        "list_before": {
            "month": sources.before_months.get(time_control),
            "is_published": time_control in sources.before,
            **{name: None if before is None else before[name] for name in ("rating", "k", "flag")},
        },
        "listed": None if listed is None else _plain(listed),
        "change": None if change is None else _plain(change),
        "coefficients": _coefficients(games, rule_set),
        "limit": _limit(change, games, before, rule_set),
        "rounding": _rounding(rule_set),
        "stands_in": _stands_in(sources, time_control, change, rule_set),
        "step": _step(sources, change, before, rule_set),
        "floor": None if rule_set is None else _value(rule_set, "list.floor"),
        "inactive": None if rule_set is None else _value(rule_set, "list.inactive_after_lists"),
        "events": events,
        "entry": None if entry is None else entry_of(entry, sources, time_control, rule_set),
        "waiting": waiting_of(pool, sources.events),
    }


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """A published row without what the account says elsewhere."""
    return {name: cell for name, cell in row.items() if name not in ("time_control", "fide_id", "list_month")}


def _value(rule_set: RuleSet, key: str) -> dict[str, Any]:
    return {"value": rule_set.values()[key], "article": rule_set.articles[key]}


def _check_sum(sources: Sources, time_control: str, change: dict[str, Any] | None, games: pl.DataFrame) -> None:
    """What the account adds up to is what was published, or it is no account."""
    is_told = sources.carries(CHANGE, "change_hundredths", "status") and sources.carries(GAME, "change_hundredths")
    if not is_told or change is None or change["change_hundredths"] is None:
        return
    total = games["change_hundredths"].sum()
    if total != change["change_hundredths"]:
        raise CheckError(
            f"The {time_control} games of player {sources.fide_id} for {sources.period} ({sources.revision}) add up to "
            f"{total} hundredths, and changes.parquet says {change['change_hundredths']}: a published file was "
            f"changed. Find it with ratinglist verify and the folder of that month."
        )


def _coefficients(games: pl.DataFrame, rule_set: RuleSet | None) -> list[dict[str, Any]]:
    """The values of K applied, and whom the rule set gives each of them: empty where the limit made it."""
    if rule_set is None:
        return [{"k": k, "for": []} for k in games["k"].drop_nulls().unique().sort().to_list()]
    values = rule_set.values()
    keys = ("fixed",) if rule_set.development_coefficient.fixed else ("new", "junior", "normal", "master")
    return [
        {
            "k": k,
            "for": [
                {"case": key, "article": rule_set.articles[f"development_coefficient.{key}"]}
                for key in keys
                if values[f"development_coefficient.{key}"] == k
            ],
            "new_until_games": rule_set.development_coefficient.new_until_games,
            "master_from": rule_set.development_coefficient.master_from,
            "junior_below": rule_set.development_coefficient.junior_below,
            "junior_until": rule_set.development_coefficient.junior_until,
        }
        for k in games["k"].drop_nulls().unique().sort().to_list()
    ]


def _limit(
    change: dict[str, Any] | None, games: pl.DataFrame, before: dict[str, Any] | None, rule_set: RuleSet | None
) -> dict[str, Any] | None:
    """The limit on K × games where it bit: the K of the games is the largest that keeps to it.

    Without the list before it shows only where the K is none of the rule set's own.
    """
    ks = games["k"].drop_nulls().unique().to_list()
    limit = 0 if rule_set is None else rule_set.development_coefficient.period_limit
    if rule_set is None or change is None or not limit or not change["games"] or len(ks) != 1:
        return None
    usual = {getattr(rule_set.development_coefficient, name) for name in ("fixed", "new", "junior", "normal", "master")}
    k_before = None if before is None else before["k"]
    k, played = ks[0], change["games"]
    is_over = k not in usual if k_before is None else k_before * played > limit and k < k_before
    if k != limit // played or not is_over:
        return None
    article = rule_set.articles["development_coefficient.period_limit"]
    return {"limit": limit, "games": played, "k_before": k_before, "k": k, "article": article}


def _rounding(rule_set: RuleSet | None) -> dict[str, Any] | None:
    if rule_set is None:
        return None
    return {
        "rounded_per": rule_set.change.rounded_per,
        "halves": rule_set.change.halves,
        "article": rule_set.articles["change.halves"],
    }


def _stands_in(
    sources: Sources, time_control: str, change: dict[str, Any] | None, rule_set: RuleSet | None
) -> dict[str, Any] | None:
    """The rule by which a standard rating is what the change is added to: he had none on this list before."""
    is_unknown = time_control in sources.before_months and time_control not in sources.before
    had_one = is_unknown or one(sources.before.get(time_control)) is not None
    if change is None or change["old_rating"] is None or had_one or rule_set is None:
        return None
    return _value(rule_set, "event.standard_rating_stands_in") if rule_set.event.standard_rating_stands_in else None


def _step(
    sources: Sources, change: dict[str, Any] | None, before: dict[str, Any] | None, rule_set: RuleSet | None
) -> dict[str, Any] | None:
    """The one-time step, where this list has it and it moved the player: ``before`` and ``after`` it."""
    if change is not None and change["old_rating"] is not None and change["change"] is not None:
        carried = change["old_rating"] + change["change"]
    elif change is None and before is not None and before["rating"] is not None:
        carried = before["rating"]
    else:
        return None
    if rule_set is None:
        return None
    after = pl.select(after_one_time_step(pl.lit(carried), rule_set.list, sources.period)).item()
    article = rule_set.articles["list.one_time_step"]
    return None if after == carried else {"before": carried, "after": after, "article": article}


def _changed(sources: Sources, rules: dict[str, RuleSet]) -> list[str]:
    """The rule sets whose file says something else today than when the list was made."""
    return [
        used["name"]
        for used in sources.manifest.get("rule_sets", [])
        if used["name"] not in rules or rules[used["name"]].digest != used["sha256"]
    ]
