"""The contents of a preview, and the rows of one time control of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from ratinglist.period import Period
from ratinglist.publication.publishing_command import PublishingCommand
from ratinglist.publication.questions import RaisedQuestion
from ratinglist.summaries import removed_text


@dataclass(frozen=True, slots=True)
class Previewed:
    """The contents of a preview.

    ``is_new``: no published revision has the same bytes. ``floors``: the lowest rating listed, by time control.
    ``tables``: the published tables by file stem. ``before``: ``time_control``, ``month``, ``fide_id`` and ``rating``
    of the lists before, rated players alone. ``counts``: ``month_count`` of this list's month and of the months of the
    lists before. ``players``: ``fide_id``, ``name``, ``federation``. ``refused``: the quarantine of the month;
    ``dismissed``: how many refused reports were set aside. ``questions``: the questions raised. ``approvals``: how many
    people have to approve it. ``go_on``: the command that publishes it.
    """

    period: Period
    revision: int
    digest: str
    is_new: bool
    rule_sets: Sequence[str]
    floors: Mapping[str, int]
    tables: Mapping[str, pl.DataFrame]
    before: pl.DataFrame
    counts: pl.DataFrame
    players: pl.DataFrame
    refused: Sequence[Mapping[str, object]]
    dismissed: int
    questions: Sequence[RaisedQuestion]
    approvals: int
    go_on: PublishingCommand

    def changes(self, control: str) -> pl.DataFrame:
        """Return the changes of a time control."""
        return self.tables["changes"].filter(pl.col("time_control") == control)

    def list_before(self, control: str) -> pl.DataFrame:
        """Return the rated players of the list before of a time control."""
        return self.before.filter(pl.col("time_control") == control)

    def month_before(self, control: str) -> str:
        """Return the month of the list before, ``none`` where there is none."""
        months = self.list_before(control)["month"]
        return str(months[0]) if len(months) else "none"

    def removed_text(self, control: str) -> str:
        """Return why players of a time control were removed, as text."""
        if self.floors.get(control) == 0:
            # Another system than FIDE's: a rating leaves the list only where it lapses.
            return "lapsed: no longer listed"
        return removed_text([self.floors[control]] if control in self.floors else [])
