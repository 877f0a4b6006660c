"""The command `ratinglist expected`: what two ratings expect to score against each other, by every model."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from ratinglist.analysis.expected_shares import expected_shares, ingo_share
from ratinglist.pages.plain_text import text_table
from ratinglist.store.rule_files import rule_book

TABLE = "expected_score"
"""The table of the regulations."""


@dataclass(frozen=True, slots=True)
class ExpectedScore:
    """What the first of two players expects, who has White where there is an advantage; ``rows``: one per model.

    ``ingo``: the two numbers are Ingo numbers. ``difference``: in points of rating, the advantage included.
    """

    rating: int
    opponent_rating: int
    white_advantage: int
    ingo: bool
    difference: int
    rows: pl.DataFrame

    def as_dict(self) -> dict[str, object]:
        """Return the expected scores as JSON-able values."""
        return {
            "rating": self.rating,
            "opponent_rating": self.opponent_rating,
            "white_advantage": self.white_advantage,
            "ingo": self.ingo,
            "difference": self.difference,
            "models": self.rows.to_dicts(),
        }

    def text(self) -> str:
        """Return the expected scores as a table."""
        numbers = [name for name in self.rows.columns if name != "model"]
        header = ["model", *("opponent" if name == "opponent_expected" else name for name in numbers)]
        rows = [[row["model"], *(f"{row[name]:.4f}" for name in numbers)] for row in self.rows.iter_rows(named=True)]
        of_white = f", {self.white_advantage} of them for White" if self.white_advantage else ""
        kind = "Ingo " if self.ingo else ""
        head = (
            f"{kind}{self.rating} against {self.opponent_rating}: a difference of {self.difference} points{of_white}."
        )
        return "\n".join([head, *text_table(header, rows, [False, *(True for _ in numbers)], rule=True)])


def expected(rating: int, opponent_rating: int, white_advantage: int = 0, *, ingo: bool = False) -> ExpectedScore:
    """Return what the first player expects against the second; the first has White where there is an advantage.

    ``ingo``: both numbers are Ingo numbers, of which the lower is the stronger; then there is a row of that model too.
    """
    table = rule_book().expected_score[TABLE]
    first, difference = ingo_share(rating, opponent_rating) if ingo else (None, rating - opponent_rating)
    rows = expected_shares(difference + white_advantage, table)
    if first is not None:
        rows = pl.concat([first, rows])
    return ExpectedScore(rating, opponent_rating, white_advantage, ingo, difference + white_advantage, rows)
