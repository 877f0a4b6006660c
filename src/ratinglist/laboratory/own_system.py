"""The interface of an analyst's own system: a class of some 15 lines, in a file named on the command line.

``data/laboratory/mine.py`` is one: Elo with K 20 and 35 points for White, new players at 1500.

Ratings are doubles. What is summed over games is first rounded to 1e-9 and summed in whole numbers, so the result is
the same in any order of the games and on any number of threads.

:class:`OwnClass` calls such a class with checks. It is code of its author, so whatever it raises or returns is an error
of the class: a message names the file, the class, and what is expected. A system that exits (``SystemExit``) does not
end the program unnoticed.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import polars as pl

from ratinglist.errors import CommandLineError
from ratinglist.rating.expected_models import LOGISTIC_SCALE
from ratinglist.rating.systems.month import wave_of_ranks

_UNIT = 1_000_000_000


class OwnSystem(Protocol):
    """An analyst's system.

    ``name``: letters, digits, ``.``, ``_``, ``-``. ``columns``: what it keeps of a player besides the rating, by type.
    """

    name: str
    columns: Mapping[str, Any]

    def enter(self, players: pl.DataFrame) -> pl.DataFrame:
        """Return ``players`` with ``rating`` and the columns of the system.

        In: ``fide_id``, ``birth_year``, ``age`` in the year of the list, ``sex``, ``title``, ``federation``,
        ``games_played``, and ``list_rating`` (null for a newcomer). A player of the starting list keeps the list's
        rating, whatever is returned.
        """
        ...

    def expect(self, ratings: pl.DataFrame, games: pl.DataFrame) -> pl.Series:
        """Return the expected score of White, 0 to 1, for every one of ``games``.

        In: ``ratings``: one row per player; ``games``: ``white`` and ``black`` (row numbers of ``ratings``),
        ``event_id``, ``round``, ``date``.
        """
        ...

    def update(self, ratings: pl.DataFrame, month: OwnMonth) -> pl.DataFrame:
        """Return the ratings after a month, for the same players in the same order."""
        ...


@dataclass(frozen=True)
class OwnMonth:
    """The counted games of one month.

    ``games``: as :meth:`OwnSystem.expect` gets them, with the ``end_date`` of the event. ``white_score``: the score of
    White, 0, 0.5 or 1. ``players``: the number of rows of the ratings.
    """

    games: pl.DataFrame
    white_score: pl.Series
    players: int

    @cached_property
    def score(self) -> pl.Series:
        """Return the scores of both sides of the games: first every White, then every Black."""
        return self.both_sides(self.white_score)

    def both_sides(self, of_white: pl.Series) -> pl.Series:
        """Return a share of White and 1 less it for Black: first every White, then every Black."""
        return pl.concat([of_white, 1 - of_white]).alias("side")

    def of_opponent(self, ratings: pl.DataFrame, column: str) -> pl.Series:
        """Return a column of the ratings of every side's opponent: first every White's, then every Black's."""
        return pl.concat(
            [gather(ratings, column, self.games["black"]), gather(ratings, column, self.games["white"])]
        ).alias(column)

    def sum_by_player(self, of_sides: pl.Series) -> pl.Series:
        """Return the sum of a value of both sides by player, 0 for those without a game; in units of 1e-9."""
        units = (of_sides * _UNIT).round().cast(pl.Int64)
        return self._by_player(units).cast(pl.Float64) / _UNIT

    @cached_property
    def games_of_player(self) -> pl.Series:
        """Return the number of games by player."""
        return self._by_player(pl.repeat(1, 2 * self.games.height, dtype=pl.Int64, eager=True)).cast(pl.Int32)

    def by_event(self) -> list[OwnMonth]:
        """Return the month in parts, to be learnt one after the other: as if event by event, by their ends.

        No player is in two events of a part, and every event of a player is in a later part than the one before.
        """
        return self._in_waves(pl.struct("end_date", "event_id"))

    def by_game(self) -> list[OwnMonth]:
        """Return the month in parts with one game of a player each: as if game by game, event after event."""
        return self._in_waves(pl.struct("end_date", "event_id", "round", "white", "black"))

    def _in_waves(self, of_game: pl.Expr) -> list[OwnMonth]:
        games = self.games.with_columns(
            self.white_score.alias("white_score"), (of_game.rank("dense") - 1).alias("rank")
        )
        sides = pl.concat(games.select("rank", player=colour) for colour in ("white", "black")).unique()
        wave = wave_of_ranks(sides, int(sides.select((pl.col("rank").max() + 1).fill_null(0)).item()))
        parts = games.with_columns(wave.gather(games["rank"]).alias("wave")).sort("wave", "rank", maintain_order=True)
        return [
            OwnMonth(one.drop("white_score", "rank", "wave"), one["white_score"], self.players)
            for one in parts.partition_by("wave", maintain_order=True)
        ]

    def _by_player(self, of_sides: pl.Series) -> pl.Series:
        rows = pl.concat([self.games["white"], self.games["black"]])
        sums = pl.DataFrame({"row": rows, "value": of_sides}).group_by("row").agg(pl.col("value").sum())
        zero = pl.repeat(0, self.players, dtype=pl.Int64, eager=True)
        return zero.scatter(sums["row"], sums["value"])


def gather(ratings: pl.DataFrame, column: str, rows: pl.Series) -> pl.Series:
    """Return a column of the ratings at row numbers."""
    return ratings[column].gather(rows)


def logistic(difference: pl.Series) -> pl.Series:
    """Return 1 / (1 + 10^(−difference/400)) of every difference."""
    return 1 / (1 + (-difference / LOGISTIC_SCALE).exp())


METHODS = ("enter", "expect", "update")

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
_OF_REPLAY = ("fide_id", "rating")
"""The columns that the replay keeps of every player: a class has no column of these names."""
_HIGHEST_LIKELY = 100_000


@dataclass(frozen=True, slots=True)
class OwnClass:
    """An analyst's system with its ``name`` and ``columns``, read once.

    ``file`` and ``class_name`` are for messages.
    """

    system: OwnSystem
    file: str
    class_name: str
    name: str
    columns: Mapping[str, pl.DataType]

    @classmethod
    def checked(cls, system: Any, file: str, class_name: str) -> OwnClass:
        """Return an instance of an analyst's class; raise :class:`CommandLineError` where an attribute is wrong."""
        of_class = f"{file}: the class {class_name}"
        if missing := [name for name in ("name", "columns", *METHODS) if not hasattr(system, name)]:
            raise CommandLineError(
                f"{of_class} has no {', '.join(missing)}; a system has name, columns, enter, expect and update."
            )
        for method in METHODS:
            if not callable(getattr(system, method)):
                raise CommandLineError(f"{of_class} has no method {method}: {getattr(system, method)!r} is none.")
        name = system.name
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise CommandLineError(
                f"{of_class}: the name {name!r} must be a text of 1 to 40 letters, digits, '.', '_' or '-'."
            )
        columns = _checked_columns(system.columns, of_class)
        return cls(system, file, class_name, name, columns)

    def enter(self, newcomers: pl.DataFrame) -> pl.DataFrame:
        """Return what ``enter`` gives the players: ``fide_id``, ``rating`` and the columns of the class.

        In: the columns of :meth:`OwnSystem.enter`; a ``list_rating`` above 0 is kept, whatever is returned.
        """
        # A newcomer's rating in the list is a placeholder: the system gives one.
        placeholder = pl.when(pl.col("list_rating") > 0).then("list_rating").cast(pl.Float64)
        given = newcomers.with_columns(placeholder.alias("list_rating"))
        found = self._of_players("enter", given, lambda: self.system.enter(given))
        listed = given["list_rating"]
        return self._likely("enter", found.with_columns(rating=pl.coalesce(pl.lit(listed), "rating")))

    def update(self, ratings: pl.DataFrame, month: OwnMonth) -> pl.DataFrame:
        """Return the ratings after a month, with the columns of the class."""
        return self._likely("update", self._of_players("update", ratings, lambda: self.system.update(ratings, month)))

    def expect(self, ratings: pl.DataFrame, games: pl.DataFrame) -> pl.Series:
        """Return the expected score of White for every game."""
        expected = self._call("expect", lambda: self.system.expect(ratings, games))
        if (
            not isinstance(expected, pl.Series)
            or not expected.dtype.is_numeric()
            or len(expected) != len(games)
            or expected.null_count()
        ):
            raise self._wrong("expect", "must return a Polars Series of numbers with a value for every game")
        shares = expected.cast(pl.Float64)
        wrong = shares.filter(~shares.is_between(0, 1))
        if len(wrong):
            raise self._wrong("expect", f"must return shares between 0 and 1; it returned {wrong[0]}")
        return shares

    def _of_players(self, method: str, rows: pl.DataFrame, call: Callable[[], Any]) -> pl.DataFrame:
        """Return the columns of the system after a call, in their types; the players must be those of ``rows``."""
        found = self._call(method, call)
        if (
            not isinstance(found, pl.DataFrame)
            or "fide_id" not in found.columns
            or not found["fide_id"].equals(rows["fide_id"])
        ):
            raise self._wrong(method, "must return a Polars DataFrame with the same players, in order")
        kinds = {"rating": pl.Float64(), **self.columns}
        if missing := [name for name in kinds if name not in found.columns]:
            raise self._wrong(method, f"returned no column {', '.join(missing)}")
        columns = [found["fide_id"]]
        for name, kind in kinds.items():
            try:
                columns.append(found[name].cast(kind))
            except pl.exceptions.PolarsError:
                raise self._wrong(
                    method, f"returned the column '{name}' as {found[name].dtype}, with values that are no {kind}"
                ) from None
        return pl.DataFrame(columns)

    def _likely(self, method: str, rows: pl.DataFrame) -> pl.DataFrame:
        ratings = rows["rating"]
        if ratings.null_count() or not ratings.is_between(-_HIGHEST_LIKELY, _HIGHEST_LIKELY).all():
            raise self._wrong(method, "returned a rating that is missing, or not a likely number")
        return rows

    def _call(self, method: str, call: Callable[[], Any]) -> Any:
        """Return what a method of the class returns; raise :class:`CommandLineError` where it fails or exits."""
        try:
            return call()
        except BaseException as error:
            lines = [one.lineno for one in traceback.extract_tb(error.__traceback__) if one.filename == self.file]
            where = f"{self.file}, line {lines[-1]}" if lines else self.file
            raise CommandLineError(
                f"{self.name}.{method} failed: {failure_text(error)} ({where}). Fix the class."
            ) from None

    def _wrong(self, method: str, text: str) -> CommandLineError:
        return CommandLineError(f"{self.name}.{method} {text} ({self.file}, class {self.class_name}). Fix the class.")


def failure_text(error: BaseException) -> str:
    """Return the type and the first line of an error that an analyst's code raised."""
    reason = f"{error}".partition("\n")[0]
    return f"{type(error).__name__}: {reason}"


def _checked_columns(columns: Any, of_class: str) -> dict[str, pl.DataType]:
    """Return the columns of a class by their Polars type; raise :class:`CommandLineError` where they are none."""
    example = 'a dictionary from names to Polars types, such as {"games": pl.Int32}, or {}'
    if not isinstance(columns, Mapping):
        raise CommandLineError(f"{of_class}: its columns must be {example}; they are {columns!r}.")
    found = {}
    for name, kind in columns.items():
        if not isinstance(name, str) or not name:
            raise CommandLineError(f"{of_class}: its columns must be {example}; {name!r} is no name of a column.")
        if name in _OF_REPLAY:
            raise CommandLineError(
                f"{of_class}: its columns have '{name}', which the replay keeps of every player. Leave it out."
            )
        try:
            found[name] = pl.Series(name, [], dtype=kind).dtype
        except (TypeError, ValueError, pl.exceptions.PolarsError):
            raise CommandLineError(
                f"{of_class}: its columns must be {example}; of '{name}' {kind!r} is no Polars type."
            ) from None
        if found[name].is_nested() or found[name] in (pl.Object, pl.Null, pl.Unknown):
            raise CommandLineError(
                f"{of_class}: the type {kind!r} of the column '{name}' is not one of a single value: choose a number, "
                "a text, a date or a Boolean."
            )
    return found
