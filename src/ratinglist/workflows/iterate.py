"""The command `ratinglist performance --iterate`: ratings for players without one, from a file of games."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from ratinglist.analysis.performance_rating import iterated
from ratinglist.analysis.updating import Number
from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.limits import MANIFEST_BYTES
from ratinglist.pages.plain_text import text_table

COLUMNS = ("player", "rating", "opponent", "opponent_rating", "score")
_HALVES = {"0": 0, "½": 1, "0.5": 1, ".5": 1, "1/2": 1, "=": 1, "1": 2}
_OF_GAME = {
    "player": pl.String(),
    "rating": pl.Int64(),
    "opponent": pl.String(),
    "opponent_rating": pl.Int64(),
    "score_halves": pl.Int64(),
}


@dataclass(frozen=True, slots=True)
class Iterated:
    """The values of players without a rating. ``rounds``: after each round, by player."""

    file: str
    start: int
    rounds: list[dict[str, Number]]

    def as_dict(self) -> dict[str, object]:
        """Return the values as JSON-able values."""
        return {"file": self.file, "start": self.start, "rounds": self.rounds}

    def text(self) -> str:
        """Return the values as a table, a column for each round."""
        head = ["player", *(str(number) for number in range(1, len(self.rounds) + 1))]
        rows = [[player, *(f"{one[player]:g}" for one in self.rounds)] for player in self.rounds[0]]
        title = f"{self.file}: performances in rounds, from {self.start}"
        return "\n".join([title, *text_table(head, rows, [False, *(True for _ in self.rounds)], rule=True)])


def iterate_file(path: Path, start: int, rounds: int, *, exact: bool = False) -> Iterated:
    """Return the iterated performances of the players without a rating in a file of games, each game once.

    Raises :class:`NothingReadError` where the file cannot be read, and :class:`CommandLineError` naming line and column
    where it is wrong.
    """
    games = _games(path)
    found = iterated(games, start, rounds, exact=exact)
    if not found or not found[0]:
        raise NothingReadError(f"{path}: every player has a rating, so there is nothing to calculate.")
    return Iterated(str(path), start, found)


def _games(path: Path) -> pl.DataFrame:
    """Return both sides of the games of a file."""
    try:
        size = path.stat().st_size
        text = path.read_text(encoding="utf-8-sig") if size <= MANIFEST_BYTES else None
    except (OSError, UnicodeDecodeError) as error:
        reason = "it is not UTF-8" if isinstance(error, UnicodeDecodeError) else error.strerror
        raise NothingReadError(f"{path} cannot be read: {reason}. Name a file of games as CSV.") from None
    if text is None:
        raise NothingReadError(f"{path}: it has {size:,} bytes, and at most {MANIFEST_BYTES:,} are read.")
    lines = csv.reader(io.StringIO(text))
    header = next(lines, [])
    if tuple(header) != COLUMNS:
        raise CommandLineError(f"{path}, line 1: the columns must be {','.join(COLUMNS)}. Correct the first line.")
    rows: list[tuple[str, int | None, str, int | None, int]] = []
    ratings: dict[str, int | None] = {}
    for number, cells in enumerate(lines, 2):
        if not cells:
            continue
        where = f"{path}, line {number}"
        if len(cells) != len(COLUMNS):
            raise CommandLineError(f"{where}: it has {len(cells)} cells and not {len(COLUMNS)}. Correct the line.")
        player, other = cells[0].strip(), cells[2].strip()
        own, opponent = (
            _rating(cells[1], f"{where}, column rating"),
            _rating(cells[3], f"{where}, column opponent_rating"),
        )
        if not player or not other or player == other:
            raise CommandLineError(f"{where}: a game has two different players. Correct the line.")
        if cells[4].strip() not in _HALVES:
            raise CommandLineError(f"{where}, column score: '{cells[4]}' is not a result: write 1, ½ (or 0.5) or 0.")
        for name, rating in ((player, own), (other, opponent)):
            if ratings.setdefault(name, rating) != rating:
                raise CommandLineError(f"{where}: {name} has another rating than before. Write the same on every line.")
        halves = _HALVES[cells[4].strip()]
        rows += [(player, own, other, opponent, halves), (other, opponent, player, own, 2 - halves)]
    return pl.DataFrame(rows, schema=_OF_GAME, orient="row")


def _rating(text: str, where: str) -> int | None:
    """Return a rating; None for an empty cell."""
    if not text.strip():
        return None
    if not re.fullmatch("[0-9]{1,4}", text.strip()):
        raise CommandLineError(
            f"{where}: '{text}' is not a rating: write a whole number, or nothing where there is none."
        )
    return int(text)
