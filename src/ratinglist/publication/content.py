"""What a calculated month publishes."""

from __future__ import annotations

import json
from dataclasses import dataclass

import polars as pl

from ratinglist.correct import history
from ratinglist.errors import NothingReadError
from ratinglist.period import Period
from ratinglist.publication import provenance
from ratinglist.rating import calculated, rating_list
from ratinglist.resources import rule_book
from ratinglist.store import Store


@dataclass(frozen=True, slots=True)
class Content:
    """The published ``tables`` by file stem, the ``facts`` of the manifest, the ``players`` as the list knows them."""

    tables: dict[str, pl.DataFrame]
    facts: dict[str, object]
    players: pl.DataFrame

    @property
    def rule_sets(self) -> list[str]:
        """The names of the rule sets used."""
        used = self.facts["rule_sets"]
        return [one["name"] for one in used] if isinstance(used, list) else []


def calculated_content(store: Store, period: Period) -> Content:
    """What a calculated month publishes; :class:`NothingReadError` where it was not calculated."""
    calculation = calculated.calculation(store, period)
    if calculation is None:
        raise NothingReadError(f"The list of {period} was not calculated yet: ratinglist rate {period}")
    players = history.players_of(store, period)
    tables = {
        schema.name: calculated.calculated(store, table, period) for table, schema in calculated.CALCULATED.items()
    }
    state = calculated.list_of(store, period)
    for time_control in sorted(state["time_control"].unique()):
        rule_set = rule_book().on(calculation["family"], time_control, period.first_day)
        if rule_set is not None:
            of_control = state.filter(pl.col("time_control") == time_control)
            tables[time_control] = rating_list.listed(of_control, players, period, rule_set.list)
    facts: dict[str, object] = {
        "family": calculation["family"],
        "rule_sets": json.loads(calculation["rule_sets"]),
        "code_version": calculation["code_version"],
        "inputs": json.loads(calculation["inputs"]),
        "provenance": provenance.of(store, period),
    }
    return Content(tables, facts, players)
