"""A calculated month that passed the checks, with the questions it raises."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from ratinglist.config import Settings
from ratinglist.errors import CheckError, NothingReadError
from ratinglist.period import Period
from ratinglist.publication import (
    checks,
    questions,
)
from ratinglist.publication.raised_questions import (
    RaisedQuestion,
    with_reasons,
)
from ratinglist.publication.revision_facts import facts_of
from ratinglist.store import calculations, player_history
from ratinglist.store.calculations import Calculation
from ratinglist.store.database import Store

Reasons = Mapping[str, str]
"""Why a list is right all the same, by question."""


@dataclass(frozen=True, slots=True)
class Ready:
    """A month that passed the checks: its calculation, what its manifest states, and the questions it raises."""

    calculation: Calculation
    facts_calculated: dict[str, object]
    asked: list[RaisedQuestion]
    players: pl.DataFrame

    @property
    def period(self) -> Period:
        """The month."""
        return self.calculation.period

    @property
    def facts(self) -> dict[str, object]:
        """What the manifest states, the answers given among it."""
        return {**self.facts_calculated, "answers": [one.as_fact() for one in self.asked if one.reason]}


def ready(
    store: Store,
    settings: Settings,
    calculation: Calculation,
    reasons: Reasons | None = None,
    players: pl.DataFrame | None = None,
) -> Ready:
    """Check a calculated month and raise its questions; ``reasons``: the answers given now.

    ``players``: the players that the month was calculated with, where they are in memory. Raises :class:`CheckError`
    where a check of ``sql/checks`` finds a wrong row.
    """
    period = calculation.period
    # A merge that came after the calculation keeps the merged number on the list, and the calculation knows it no more.
    if players is None or len(store.read("select 1 as one from current_identity limit 1")):
        players = player_history.players_of(store, period)
    settings.progress("checking", 0, 1)
    with checks.prepared(store, period, players):
        if found := checks.offences(store, period):
            raise CheckError(checks.stopped_text(period, found))
        asked = questions.raised(store, period, settings.office.questions)
    facts = facts_of(store, calculation)
    return Ready(calculation, facts, with_reasons(asked, reasons or {}), players)


def calculated(store: Store, period: Period) -> Calculation:
    """Return the current calculation of a month; raises :class:`NothingReadError` where it was not calculated."""
    found = calculations.calculation(store, period)
    if found is None:
        raise NothingReadError(f"The list of {period} was not calculated yet: ratinglist rate {period}")
    return found
