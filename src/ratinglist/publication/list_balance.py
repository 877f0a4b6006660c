"""Account for the players of a list: those of the list before, those added since and those removed since."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True, slots=True)
class ListBalance:
    """The numbers of players that lead from the list before to a list; :attr:`now` is their sum.

    ``entered``: added by a first rating. ``through_standard``: added because their standard rating stood in. ``added``:
    added without a rated game, under a FIDE ID that others were merged into. ``delisted``: removed because they fell
    below the floor. ``lapsed``: removed because they have a rating on the reference list. ``removed``: removed for
    another reason, under a FIDE ID that was merged into another.
    ``never_listed``: players rated from their standard rating who fell below the floor at once; they are on neither.
    """

    before: int
    entered: int
    through_standard: int
    added: int
    delisted: int
    lapsed: int
    removed: int
    never_listed: int

    @classmethod
    def of(cls, listed: pl.DataFrame, before: pl.DataFrame, changes: pl.DataFrame) -> ListBalance:
        """Return the balance of one time control.

        In: ``fide_id`` of the rated players of the list and of the one before; ``changes``: ``fide_id``, ``status``.
        """
        statuses = changes.select("fide_id", "status")
        new = listed.join(before, on="fide_id", how="anti").join(statuses, on="fide_id", how="left")
        gone = before.join(listed, on="fide_id", how="anti").join(statuses, on="fide_id", how="left")
        passing = changes.filter(pl.col("status") == "delisted").join(before, on="fide_id", how="anti")
        return cls(
            before=len(before),
            entered=int((new["status"] == "entered").sum()),
            through_standard=int((new["status"] == "rated").sum()),
            added=new["status"].null_count(),
            delisted=int((gone["status"] == "delisted").sum()),
            lapsed=int((gone["status"] == "lapsed").sum()),
            removed=len(gone) - int(gone["status"].is_in(["delisted", "lapsed"]).sum()),
            never_listed=len(passing),
        )

    @property
    def now(self) -> int:
        """The number of players listed."""
        return (
            self.before + self.entered + self.through_standard + self.added - self.delisted - self.lapsed - self.removed
        )

    def text(self) -> str:
        """Return the balance as one sentence that adds up; parts of nobody are left out."""
        parts = [
            (self.entered, "+", "entered"),
            (self.through_standard, "+", "entered through their standard rating"),
            (self.added, "+", "added under another FIDE ID"),
            (self.delisted, "−", "delisted"),
            (self.lapsed, "−", "lapsed"),
            (self.removed, "−", "removed under another FIDE ID"),
        ]
        moves = "".join(f" {sign} {count:,} {label}" for count, sign, label in parts if count)
        sentence = f"{self.before:,} before{moves} = {self.now:,} now"
        if self.never_listed:
            players = "1 player was" if self.never_listed == 1 else f"{self.never_listed:,} players were"
            sentence += f"; {players} rated from the standard rating and delisted at once"
        return sentence
