"""The published tables of a calculated month."""

from __future__ import annotations

import polars as pl

from ratinglist.period import Period
from ratinglist.rating import rating_list
from ratinglist.rating.model import MonthInputs, MonthResult, system_of
from ratinglist.rating.rating_list import PlayerLookup
from ratinglist.rating.rules import RuleBook, SystemRuleSet
from ratinglist.rating.systems.own_state import KeptState
from ratinglist.rating.systems.registry import SYSTEMS
from ratinglist.tables import PUBLISHED


def tables_of(month: MonthResult, inputs: MonthInputs) -> dict[str, pl.DataFrame]:
    """Return the published tables of a calculated month by file stem."""
    system = system_of(inputs)
    published = PUBLISHED if system is None else SYSTEMS[system.system].published
    lists = lists_of(inputs.period, inputs.family, month.list_state, inputs.players, inputs.rules, month.system_state)
    playing = [month.sides.select(pl.col("fide_id").unique()), month.entries, month.pool]
    unlisted = rating_list.unlisted_among(playing, [rows["fide_id"] for rows in lists.values()])
    tables = {name: getattr(month, name) for name in ("changes", "games", "events", "entries", "pool")}
    return {
        **{stem: published[stem].conform(rows) for stem, rows in tables.items()},
        "unrated": rating_list.unrated_players(unlisted, inputs.players),
        **lists,
    }


def own_state_of(month: MonthResult, inputs: MonthInputs) -> KeptState | None:
    """Return the state that the system of a family keeps in a table of its own; None: it keeps none."""
    rule_set = system_of(inputs)
    state = None if rule_set is None else SYSTEMS[rule_set.system].state
    if rule_set is None or state is None:
        return None
    return KeptState(rule_set.system, state, state.table.sorted(month.own_state))


def lists_of(
    period: Period,
    family: str,
    state: pl.DataFrame,
    players: pl.DataFrame,
    book: RuleBook,
    system_state: pl.DataFrame,
) -> dict[str, pl.DataFrame]:
    """Return the published list of every time control that has a rule set, by file stem.

    In: ``state`` (``LIST_STATE``) of the month, ``players`` (``PLAYER``) as the list has them, ``system_state``
    (``SYSTEM_STATE``), which the list of another system than FIDE's shows in columns of its own.
    """
    lists: dict[str, pl.DataFrame] = {}
    lookup = PlayerLookup(players)
    for time_control in sorted(state["time_control"].unique()):
        rule_set = book.on(family, time_control, period.first_day)
        if rule_set is not None:
            of_control = state.filter(pl.col("time_control") == time_control)
            rows = rating_list.encode_list(of_control, lookup, period, rule_set.list)
            if isinstance(rule_set, SystemRuleSet):
                rows = rating_list.join_system_state(rows, system_state, time_control)
            rows = rating_list.decode_list(rows, lookup, period, time_control)
            lists[time_control] = rows.cast({pl.Enum: pl.String})
    return lists
