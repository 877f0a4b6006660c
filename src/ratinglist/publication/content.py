"""What a calculated month publishes."""

from __future__ import annotations

import json
from dataclasses import dataclass

import polars as pl

from ratinglist.correct import history
from ratinglist.errors import NothingReadError
from ratinglist.period import Period
from ratinglist.publication import provenance
from ratinglist.publication.tables import Made
from ratinglist.rating import calculated, rating_list
from ratinglist.rating.month import MonthInputs, MonthResult
from ratinglist.resources import rule_book
from ratinglist.store import Store


@dataclass(frozen=True, slots=True)
class Content:
    """The published ``tables`` of ``period`` by file stem, the manifest's ``facts``, the ``players`` as it has them."""

    period: Period
    tables: dict[str, pl.DataFrame]
    facts: dict[str, object]
    players: pl.DataFrame

    @property
    def rule_sets(self) -> list[str]:
        """The names of the rule sets used."""
        used = self.facts["rule_sets"]
        return [one["name"] for one in used] if isinstance(used, list) else []


def calculated_content(store: Store, period: Period, made: Made | None = None) -> Content:
    """What a calculated month publishes; :class:`NothingReadError` where it was not calculated.

    ``made``: :func:`tables_of` its result, where that is at hand and need not be read back.
    """
    calculation = calculated.calculation(store, period)
    if calculation is None:
        raise NothingReadError(f"The list of {period} was not calculated yet: ratinglist rate {period}")
    players = made.players if made is not None else None
    if players is None or _anybody_merged(store):
        players = history.players_of(store, period)
    facts: dict[str, object] = {
        "family": calculation["family"],
        "rule_sets": json.loads(calculation["rule_sets"]),
        "code_version": calculation["code_version"],
        "inputs": json.loads(calculation["inputs"]),
        "provenance": provenance.of(store, period),
    }
    if made is None:
        of_month = {
            schema.name: calculated.calculated(store, table, period) for table, schema in calculated.CALCULATED.items()
        }
        state = calculated.list_of(store, period)
        made = Made({**of_month, **_lists(state, players, calculation["family"], period)})
    return Content(period, made.tables, facts, players)


def _anybody_merged(store: Store) -> bool:
    """Whether a number was merged into another: a calculation knows nothing of it, though the office does."""
    return len(store.read("select 1 as one from current_identity limit 1")) > 0


def tables_of(inputs: MonthInputs, result: MonthResult) -> Made:
    """What a month publishes, from its calculation: what the store gives back, before it is there."""
    frames = {
        "event": result.events,
        "game": result.games,
        "change": result.changes,
        "entry": result.entries,
        "pool": result.pool,
    }
    of_month = {schema.name: schema.conform(frames[table]) for table, schema in calculated.CALCULATED.items()}
    lists = _lists(result.list_state, inputs.players, inputs.family, inputs.period)
    return Made({**of_month, **lists}, inputs.players)


def _lists(state: pl.DataFrame, players: pl.DataFrame, family: str, period: Period) -> dict[str, pl.DataFrame]:
    """The published list of every time control that has a rule set."""
    lists = {}
    for time_control in sorted(state["time_control"].unique()):
        rule_set = rule_book().on(family, time_control, period.first_day)
        if rule_set is not None:
            of_control = state.filter(pl.col("time_control") == time_control)
            lists[time_control] = rating_list.listed(of_control, players, period, rule_set)
    return lists
