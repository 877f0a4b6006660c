"""Build the account of a player on one list: every game, every term of the sum, every reason with its article."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

import polars as pl

from ratinglist.analysis.explain.account_text import account_blocks
from ratinglist.analysis.explain.entry_account import entry_account, waiting_results
from ratinglist.analysis.explain.event_account import event_accounts
from ratinglist.analysis.explain.figures import Block, as_text
from ratinglist.analysis.explain.first_rating import EntrySources
from ratinglist.analysis.explain.glicko_account import DeviationsBefore
from ratinglist.analysis.explain.sources import Sources, of_time_control, single_row
from ratinglist.analysis.explain.system_account import EXACT_CHANGE, PlayerPart, system_account
from ratinglist.errors import CheckError
from ratinglist.period import Period
from ratinglist.rating.rating_list import after_one_time_step
from ratinglist.rating.rules import FIDE_SYSTEM, RuleBook, RuleSet, SystemRuleSet
from ratinglist.schemas import CHANGE, GAME, LISTS


@dataclass(frozen=True, slots=True)
class Account:
    """The explanation of a player's ratings on one list.

    ``content`` holds JSON values: scores in half points, the other figures in points or in hundredths.
    """

    content: dict[str, Any]

    def as_dict(self) -> dict[str, object]:
        """Return the account as JSON values."""
        return self.content

    def text(self) -> str:
        """Return the account as text for people."""
        return as_text(self.blocks())

    def blocks(self) -> list[Block]:
        """Return the account as lines and tables, for a page."""
        return account_blocks(self.content)

    def for_time_control(self, time_control: str) -> Account:
        """Return the account of one time control."""
        parts = [part for part in self.content["time_controls"] if part["time_control"] == time_control]
        return Account({**self.content, "time_controls": parts})


def account(sources: Sources, book: RuleBook) -> Account:
    """Return the account of a player, with a part for each time control that has anything about the player.

    Raises :class:`CheckError` where the published games do not add up to the published change.
    """
    rules = {rule_set.name: rule_set for rule_set in book.rule_sets}
    family = str(sources.manifest.get("family", ""))
    parts = []
    for time_control in LISTS:
        has_rules = family in book.families
        rule_set = book.on(family, time_control, sources.period.first_day) if has_rules else None
        if (part := _part(sources, time_control, rule_set, rules)) is not None:
            parts.append(part)
    tables = (*sources.lists.values(), sources.unrated)
    person = next((row for rows in tables if (row := single_row(rows)) is not None), {})
    return Account(
        {
            "month": str(sources.period),
            "revision": sources.revision,
            "fide_id": sources.fide_id,
            "name": sources.names.get(sources.fide_id),
            "federation": person.get("federation"),
            "time_controls": parts,
            "left_out": {name: list(columns) for name, columns in sorted(sources.left_out.items())},
            "rules_changed": _changed_rule_sets(sources, rules),
        }
    )


def _part(
    sources: Sources, time_control: str, rule_set: RuleSet | None, rules: dict[str, RuleSet]
) -> dict[str, Any] | None:
    """Return the part of one time control, or None where the list has nothing about the player there."""
    listed, before = single_row(sources.lists.get(time_control)), single_row(sources.before.get(time_control))
    change = single_row(of_time_control(sources.changes, time_control))
    games = of_time_control(sources.games, time_control)
    entry = single_row(of_time_control(sources.entries, time_control))
    pool = of_time_control(sources.pool, time_control)
    if listed is None and change is None and entry is None and games.is_empty() and pool.is_empty():
        return None
    events = event_accounts(games, sources.events, sources.names, rules, rule_set)
    _check_sum(sources, time_control, change, games, rule_set)
    waiting = waiting_results(pool, sources.events)
    waited = waiting_results(of_time_control(sources.earlier_pool, time_control), sources.events)
    entry_sources = EntrySources(waited, sources.listed_ratings.get(time_control, {}), sources.listed_events)
    deviations = _deviations_before(sources, time_control)
    part_sources = PlayerPart(sources.fide_id, listed, before, change, events, waiting, deviations, entry_sources)
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
        **({"system": system_account(part_sources, rule_set)} if isinstance(rule_set, SystemRuleSet) else {}),
        "coefficients": _coefficients(games, rule_set),
        "limit": _limit(change, games, before, rule_set),
        "rounding": _rounding(rule_set),
        "stands_in": _stands_in(sources, time_control, change, rule_set),
        "step": _step(sources, change, before, rule_set),
        "floor": _value(rule_set, "list.floor"),
        "inactive": _value(rule_set, "list.inactive_after_lists"),
        "events": events,
        "entry": None if entry is None else entry_account(entry, sources, time_control, rule_set),
        "waiting": waiting,
    }


def _deviations_before(sources: Sources, time_control: str) -> DeviationsBefore:
    month = sources.before_months.get(time_control)
    months = None if month is None else sources.period.index - Period.parse(month).index
    return DeviationsBefore(sources.deviations_before.get(time_control, {}), months)


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """Return a published row as JSON values, without the columns that the account holds elsewhere."""
    return {
        name: cell.isoformat() if isinstance(cell, date) else cell
        for name, cell in row.items()
        if name not in ("time_control", "fide_id", "list_month")
    }


def _value(rule_set: RuleSet | None, key: str) -> dict[str, Any] | None:
    if rule_set is None or key not in rule_set.articles:
        return None
    return {"value": rule_set.values()[key], "article": rule_set.articles[key]}


def _check_sum(
    sources: Sources, time_control: str, change: dict[str, Any] | None, games: pl.DataFrame, rule_set: RuleSet | None
) -> None:
    """Raise :class:`CheckError` unless the games add up to the published change."""
    exact = EXACT_CHANGE.get(rule_set.system if rule_set is not None else FIDE_SYSTEM, "")
    has_columns = sources.publishes(CHANGE, exact, "status") and sources.publishes(GAME, exact)
    if not exact or not has_columns or change is None or change[exact] is None:
        return
    total = games[exact].sum()
    if total != change[exact]:
        raise CheckError(
            f"The {time_control} games of player {sources.fide_id} for {sources.period} ({sources.revision}) add up to "
            f"{total} {exact.removeprefix('change_')}, but changes.parquet has {change[exact]}: a published file was "
            f"changed. Find it with ratinglist verify and the folder of that month."
        )


def _coefficients(games: pl.DataFrame, rule_set: RuleSet | None) -> list[dict[str, Any]]:
    """Return each K applied, with the cases to which the rule set gives it (``for``).

    ``for`` is empty where the limit on K × games made the K.
    """
    if rule_set is None or rule_set.system != FIDE_SYSTEM:
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
    """Return the limit on K × games where it lowered K: the K of the games is then the largest within the limit.

    Without the list before, this is recognised only where the K is none of the values in the rule set.
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
    if rule_set is None or rule_set.system != FIDE_SYSTEM:
        return None
    return {
        "rounded_per": rule_set.change.rounded_per,
        "halves": rule_set.change.halves,
        "article": rule_set.articles["change.halves"],
    }


def _stands_in(
    sources: Sources, time_control: str, change: dict[str, Any] | None, rule_set: RuleSet | None
) -> dict[str, Any] | None:
    """Return the rule by which the change is added to a standard rating: the player had none of this time control.

    None where the player had one, or where the list before is not published, so that this is not known.
    """
    is_unknown = time_control in sources.before_months and time_control not in sources.before
    had_rating = is_unknown or single_row(sources.before.get(time_control)) is not None
    if change is None or change["old_rating"] is None or had_rating or rule_set is None:
        return None
    return _value(rule_set, "event.standard_rating_stands_in") if rule_set.event.standard_rating_stands_in else None


def _step(
    sources: Sources, change: dict[str, Any] | None, before: dict[str, Any] | None, rule_set: RuleSet | None
) -> dict[str, Any] | None:
    """Return the rating ``before`` and ``after`` the one-time step, where this list has one and it moved the player."""
    if change is not None and change["old_rating"] is not None and change["change"] is not None:
        carried = change["old_rating"] + change["change"]
    elif change is None and before is not None and before["rating"] is not None:
        carried = before["rating"]
    else:
        return None
    if rule_set is None or rule_set.system != FIDE_SYSTEM:
        return None
    after = pl.select(after_one_time_step(pl.lit(carried), rule_set.list, sources.period)).item()
    article = rule_set.articles["list.one_time_step"]
    return None if after == carried else {"before": carried, "after": after, "article": article}


def _changed_rule_sets(sources: Sources, rules: dict[str, RuleSet]) -> list[str]:
    """Return the names of the rule sets whose file is no longer the one that the list was calculated with."""
    return [
        used["name"]
        for used in sources.manifest.get("rule_sets", [])
        if used["name"] not in rules or rules[used["name"]].digest != used["sha256"]
    ]
