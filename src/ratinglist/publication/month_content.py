"""What a calculated month publishes."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import polars as pl

from ratinglist.errors import NothingReadError
from ratinglist.period import Period
from ratinglist.publication import provenance
from ratinglist.publication.month_tables import InNumbers, Made, Rows
from ratinglist.rating import rating_list
from ratinglist.rating.model import GameDecoder, MonthInputs, MonthResult
from ratinglist.rating.rating_list import PlayerLookup
from ratinglist.store import calculations, player_history
from ratinglist.store.database import Store
from ratinglist.store.rule_files import rule_book


@dataclass(frozen=True, slots=True)
class Content:
    """The published ``tables`` of ``period`` by file stem, the manifest's ``facts``, the ``players`` as it has them."""

    period: Period
    tables: dict[str, Rows]
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
    calculation = calculations.calculation(store, period)
    if calculation is None:
        raise NothingReadError(f"The list of {period} was not calculated yet: ratinglist rate {period}")
    players = made.players if made is not None else None
    if players is None or _anybody_merged(store):
        players = player_history.players_of(store, period)
    facts: dict[str, object] = {
        "family": calculation["family"],
        "rule_sets": json.loads(calculation["rule_sets"]),
        "code_version": calculation["code_version"],
        "inputs": json.loads(calculation["inputs"]),
        "provenance": provenance.of(store, period),
    }
    if made is None:
        frames = {
            name: calculations.calculated(store, name, period) for name in calculations.CALCULATED if name != "game"
        }
        games = _games(*calculations.sides_of(store, period))
        lists = _lists(calculations.list_of(store, period), PlayerLookup(players), calculation["family"], period)
        made = Made({**_under_their_names(frames), "games": games, **lists})
    return Content(period, made.tables, facts, players)


def _anybody_merged(store: Store) -> bool:
    """Whether a number was merged into another: a calculation knows nothing of it, though the office does."""
    return len(store.read("select 1 as one from current_identity limit 1")) > 0


def tables_of(inputs: MonthInputs, result: MonthResult, told: Callable[[], PlayerLookup] | None = None) -> Made:
    """What a month publishes, from its calculation: what the store gives back, before it is there.

    ``told``: gives the players of the ``inputs`` ready to be told of, where that was begun before.
    """
    frames = {"event": result.events, "change": result.changes, "entry": result.entries, "pool": result.pool}
    games = _games(result.sides, result.events)
    players = told() if told else PlayerLookup(inputs.players)
    lists = _lists(result.list_state, players, inputs.family, inputs.period)
    return Made({**_under_their_names(frames), "games": games, **lists}, inputs.players)


def _under_their_names(frames: dict[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """What was calculated as it is published: by the names, and with the columns, of the published tables."""
    return {
        calculations.CALCULATED[name].name: calculations.CALCULATED[name].conform(frame)
        for name, frame in frames.items()
    }


def _games(sides: pl.DataFrame, events: pl.DataFrame) -> InNumbers:
    """The published games: both sides of each, in their order."""
    return InNumbers(sides, GameDecoder(events).decode)


def _lists(state: pl.DataFrame, players: PlayerLookup, family: str, period: Period) -> dict[str, InNumbers]:
    """The published list of every time control that has a rule set."""
    lists = {}
    for time_control in sorted(state["time_control"].unique()):
        rule_set = rule_book().on(family, time_control, period.first_day)
        if rule_set is not None:
            of_control = state.filter(pl.col("time_control") == time_control)
            numbers = rating_list.encode_list(of_control, players, period, rule_set.list)
            told = partial(rating_list.decode_list, players=players, period=period, time_control=time_control)
            lists[time_control] = InNumbers(numbers, told)
    return lists
