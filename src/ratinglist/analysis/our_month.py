"""One time control of our month, published or calculated, with the inputs that it was calculated from."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from ratinglist.rating.model import MonthInputs
from ratinglist.rating.rules import RuleSet


@dataclass(frozen=True, slots=True)
class OurMonth:
    """One time control of our month.

    ``listed`` (``LISTED``), ``changes``, ``games``, ``entries``, ``events``: the published tables; ``state``
    (``LIST_STATE``) of the list. ``versions``: all descriptions of a player ever received: ``fide_id``, ``name``,
    ``federation``, ``sex``, ``title``, ``women_title``. ``inferred``: ``fide_id`` and the columns of the state that an
    import inferred, comma-separated.
    """

    inputs: MonthInputs
    time_control: str
    listed: pl.DataFrame
    changes: pl.DataFrame
    games: pl.DataFrame
    entries: pl.DataFrame
    events: pl.DataFrame
    state: pl.DataFrame
    versions: pl.DataFrame
    inferred: pl.DataFrame

    @property
    def rules(self) -> RuleSet | None:
        """Return the rule set of the list; None where none is in force."""
        return self.inputs.rules.on(self.inputs.family, self.time_control, self.inputs.period.first_day)

    @property
    def before(self) -> pl.DataFrame:
        """Return the list before (``LIST_STATE``), on whose state K depends."""
        lists = self.inputs.lists.filter(time_control=self.time_control)
        return lists.filter(pl.col("month") == pl.col("month").max())
