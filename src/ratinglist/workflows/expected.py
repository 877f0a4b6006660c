"""The command `ratinglist expected`: what two ratings expect to score against each other, by every model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from ratinglist.analysis import updating
from ratinglist.analysis.updating import Number
from ratinglist.pages.plain_text import text_table
from ratinglist.rating import expected_models as models
from ratinglist.rating.expected import expected_hundredths
from ratinglist.store.rule_files import rule_book
from ratinglist.summaries import Summary

TABLE = "expected_score"
"""The table of the regulations."""
_CUTS = {"table": None, "table_350": 350, "table_400": 400}
"""The models that look the difference up in the table of the regulations, and how far it is cut first."""

_MODELS = ("logistic", "normal", "linear", *_CUTS)


@dataclass(frozen=True, slots=True)
class ExpectedScore(Summary):
    """What the first of two players expects, who has White where there is an advantage; ``models``: a row of each.

    ``ingo``: the two numbers are Ingo numbers. ``difference``: in points of rating, the advantage included.
    """

    rating: int
    opponent_rating: int
    white_advantage: int
    ingo: bool
    difference: int
    models: pl.DataFrame

    def text(self) -> str:
        """Return the expected scores as a table."""
        numbers = [name for name in self.models.columns if name != "model"]
        header = ["model", *("opponent" if name == "opponent_expected" else name for name in numbers)]
        rows = [[row["model"], *(f"{row[name]:.4f}" for name in numbers)] for row in self.models.iter_rows(named=True)]
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
    first, difference = _ingo_share(rating, opponent_rating) if ingo else (None, rating - opponent_rating)
    rows = _expected_shares(difference + white_advantage, table)
    if first is not None:
        rows = pl.concat([first, rows])
    return ExpectedScore(rating, opponent_rating, white_advantage, ingo, difference + white_advantage, rows)


@dataclass(frozen=True, slots=True)
class SingleUpdate(Summary):
    """What one game makes of the first of two ratings with deviations.

    ``rows``: see :func:`~ratinglist.analysis.updating.single_update`; ``attenuations``: g of both deviations.
    """

    rating: int
    opponent_rating: int
    attenuations: tuple[Number, Number]
    rows: list[dict[str, Number]]

    def text(self) -> str:
        """Return the update as a table."""
        names = ("score", "expected", "new_rating", "new_deviation", "mode")
        rows = [[f"{row[name]:.4f}" for name in names] for row in self.rows]
        first, second = self.attenuations
        head = f"{self.rating} against {self.opponent_rating}: g of the deviations {first:.4f} and {second:.4f}"
        return "\n".join([head, *text_table(names, rows, [True] * len(names), rule=True)])


@dataclass(frozen=True, slots=True)
class Figures:
    """Some figures by name. ``title``: what they are of."""

    title: str
    values: dict[str, Number]

    def as_dict(self) -> dict[str, object]:
        """Return the figures as JSON-able values."""
        return {"title": self.title, **self.values}

    def text(self) -> str:
        """Return the figures as lines."""
        return "\n".join([self.title, *figure_lines(self.values)])


def figure_lines(figures: Mapping[str, Number]) -> list[str]:
    """Return a line for each figure."""
    return [f"{name.replace('_', ' ')}: {value:.3f}" for name, value in figures.items()]


def composed(first: Number, second: Number) -> Figures:
    """Return what A expects against B, from what each of them expects against the same third player."""
    share = pl.select(models.composed(pl.lit(first), pl.lit(second))).item()
    values = {
        "expected": share,
        "opponent_expected": 1 - share,
        "strength_of_a": first / (1 - first),
        "strength_of_b": second / (1 - second),
    }
    title = f"A expects {first:g} and B {second:g} against the same player, whose strength is 1"
    return Figures(title, values)


def single_update(rating: int, opponent_rating: int, deviation: Number, opponent_deviation: Number) -> SingleUpdate:
    """Return what a win, a draw or a loss makes of the first rating."""
    rows = updating.single_update(rating, opponent_rating, deviation, opponent_deviation)
    of_both = updating.attenuation(deviation), updating.attenuation(opponent_deviation)
    return SingleUpdate(rating, opponent_rating, of_both, rows)


def _ingo_share(own: int, opponent: int) -> tuple[pl.DataFrame, int]:
    """Return what a player with one Ingo number expects against another, and the difference in points of rating.

    Out: the row of the model ``ingo``, as :func:`_expected_shares` returns rows, and the difference of the ratings that
    the two numbers are worth.
    """
    numbers = pl.lit(own, dtype=pl.Int64), pl.lit(opponent, dtype=pl.Int64)
    difference = pl.select(models.rating_of_ingo(numbers[0]) - models.rating_of_ingo(numbers[1])).item()
    row = pl.select(pl.lit("ingo").alias("model"), (models.ingo_percent(*numbers) / 100).alias("expected"))
    return _with_probabilities(row), difference


def _expected_shares(difference: int, table: pl.Series) -> pl.DataFrame:
    """Return what a player expects to score who is rated ``difference`` points above the opponent.

    ``table``: the higher rated player's expected score in hundredths by the absolute difference. Out: one row per model
    of :data:`_MODELS`: ``model``, ``expected``, ``opponent_expected``, ``win``, ``draw`` and ``loss``, all shares of 1.
    """
    d = pl.lit(difference, dtype=pl.Int64)
    cut = {name: d if limit is None else d.clip(-limit, limit) for name, limit in _CUTS.items()}
    shares = {
        "logistic": models.logistic(d),
        "normal": models.normal(d),
        "linear": models.linear_units(d) / models.LINEAR_UNITS,
        **{name: expected_hundredths(used, table) / 100 for name, used in cut.items()},
    }
    rows = pl.concat([pl.select(pl.lit(name).alias("model"), shares[name].alias("expected")) for name in _MODELS])
    return _with_probabilities(rows)


def _with_probabilities(rows: pl.DataFrame) -> pl.DataFrame:
    draw = models.draw_probability(pl.col("expected"))
    return rows.with_columns(
        (1 - pl.col("expected")).alias("opponent_expected"),
        (pl.col("expected") - draw / 2).alias("win"),
        draw.alias("draw"),
        (1 - pl.col("expected") - draw / 2).alias("loss"),
    )
