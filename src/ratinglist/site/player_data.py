"""Make the data of the players, and of the newest lists.

Of the players: ratings of all months as changes only, calculations, events, results that wait. Rows of each kind are
collected month after month, and written for one slice of the players after the other. Of the lists: rows in the order
of the list, a thousand to a file, also by federation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import polars as pl

from ratinglist.site.columns import PART, Packing, packed
from ratinglist.site.data_file import CONTROLS
from ratinglist.site.month_calculation import MonthCalculation
from ratinglist.site.places import best_wins, places, records, summed_records, wins
from ratinglist.tables import LISTED, on_site

PLAYERS_OF_FILE = 500
PERSON, _HISTORY = on_site("person"), on_site("history")
LIST_COLUMNS = (*on_site("list"), "change")
"""The columns of a row of a list."""
_RUN = ("control", "fide_id", "event_id", "games", "score_halves", "opponent_rating_sum", "counted_month")
_RUNS = (*_RUN, "expires_month", "name")
_RESULT = ("event_id", "name", "games", "score_halves", "opponent_rating_sum", "counted_month")
KINDS = ("h", "d", "c", "s", "e", "n", "t", "p", "x", "r", "b", "a", "g", "q", "u")
"""The arrays of a player: lists, personal data, calculations, one-time steps, events, entries, their results, waiting
results, corrections, rollbacks, both numbers, places on the newest lists, results of all games, best wins, the club.
The reader's browser knows the order of their columns."""
ROWS_OF_FILE = 1_000
ALL = "all"
"""The name of the files with all federations; a federation has three letters, in upper case."""


def control_number(frame: pl.DataFrame) -> pl.DataFrame:
    """Return ``frame`` with ``control``, the number of the time control."""
    return frame.with_columns(pl.col("time_control").replace_strict(CONTROLS, return_dtype=pl.UInt8).alias("control"))


class Changes:
    """The rows of one month that differ from those of the month before it, month after month.

    ``key`` identifies a row; ``values`` are compared. A row that is gone is kept once, with nulls.
    """

    def __init__(self, key: Sequence[str], values: Sequence[str]) -> None:
        """Begin without rows."""
        self._key, self._values = list(key), list(values)
        self._state: pl.DataFrame | None = None

    def add(self, rows: pl.DataFrame, *, keep_gone: bool) -> pl.DataFrame:
        """Add the rows of a month, and return those that changed: the key and the values, sorted by the key.

        ``keep_gone``: a row that is missing in them has ended; else it stays as it was.
        """
        rows = rows.select(*self._key, *self._values)
        if self._state is None:
            changed = self._state = rows
        else:
            both = rows.with_columns(pl.lit(1).alias("is_here")).join(
                self._state.with_columns(pl.lit(1).alias("was_here")),
                on=self._key,
                how="full",
                coalesce=True,
                suffix="_before",
            )
            differs = pl.any_horizontal(pl.col(one).ne_missing(pl.col(f"{one}_before")) for one in self._values)
            is_new = pl.col("was_here").is_null()
            is_gone = pl.col("is_here").is_null()
            changed = both.filter((differs & ~is_gone) | is_new | (is_gone & keep_gone)).select(
                *self._key, *self._values
            )
            if keep_gone:
                self._state = rows
            else:
                stays = self._state.join(changed.select(self._key), on=self._key, how="anti")
                self._state = pl.concat([stays, changed])
        return changed.sort(self._key)

    def state_or(self, empty: pl.DataFrame) -> pl.DataFrame:
        """Return the rows as the last month left them; ``empty`` before the first month."""
        return empty if self._state is None else self._state


class RowsByKind(Protocol):
    """Rows that are collected by kind, and read by slices of the players (:mod:`ratinglist.site.folder`)."""

    slices: int

    def add(self, kind: str, rows: pl.DataFrame) -> None:
        """Add rows of a kind, with ``fide_id``; their order is kept."""

    def of_slice(self, number: int) -> dict[str, pl.DataFrame]:
        """Return the rows of a slice by kind."""


class PlayerData:
    """The data of all players, collected month after month, the oldest first."""

    def __init__(self, collected: RowsByKind) -> None:
        """Begin without players; ``collected`` has no rows yet."""
        self._collected = collected
        self._lists = Changes(("fide_id", "control"), _HISTORY)
        self._persons = Changes(("fide_id",), PERSON)
        self.players = 0
        """How many there are in the files that were made."""

    def add_lists(self, month: int, lists: pl.DataFrame, unrated: pl.DataFrame) -> None:
        """Add the lists of a month, ``LISTED``, and the names of its unrated players, ``UNRATED``."""
        changed = self._lists.add(control_number(lists), keep_gone=True)
        self._add("h", month, changed, ("control", "month", *_HISTORY))
        persons = lists.select("fide_id", *PERSON).unique("fide_id", keep="last", maintain_order=True)
        changed = self._persons.add(pl.concat([persons, self._completed(unrated)]), keep_gone=False)
        self._add("d", month, changed, ("month", *PERSON))

    def _completed(self, unrated: pl.DataFrame) -> pl.DataFrame:
        """Return unrated players with what earlier lists had of them: one who was rated keeps the title."""
        earlier = [one for one in PERSON if one not in unrated.columns]
        texts = [one for one in PERSON if LISTED.columns[one].dtype == pl.String()]
        known = self._persons.state_or(LISTED.empty()).select("fide_id", *earlier)
        return unrated.join(known, on="fide_id", how="left", maintain_order="left").select(
            "fide_id", *(pl.col(one).fill_null("") if one in texts else one for one in PERSON)
        )

    def add_calculation(self, month: int, calculation: MonthCalculation) -> None:
        """Add the calculation of a month."""
        figures = ("old_rating", "games", "k", "change_hundredths", "change", "new_rating", "status")
        more = ("is_limited", "stands_in")
        self._add("c", month, control_number(calculation.changes), ("month", "control", *figures, *more))
        self._add("s", month, control_number(calculation.steps), ("month", "control", "before", "after"))
        average = (pl.col("opponent_average") * 100).cast(pl.Int64)
        entered = ("p_hundredths", "dp", "computed_rating", "published", "reason", "is_whole")
        entries = control_number(calculation.entries).with_columns(average.alias("average"))
        self._add("n", month, entries, ("month", "control", "games", "score_halves", "average", *entered))
        self._add("t", month, control_number(calculation.results), ("month", "control", *_RESULT))

    def add_events(self, month: int, events: pl.DataFrame) -> None:
        """Add the events of a month in which each player has games: ``fide_id``, ``file``, ``place``."""
        self._add("e", month, events, ("month", "file", "place"))

    def add_pool(self, month: int, pool: pl.DataFrame) -> None:
        """Add the results that wait: ``POOL``, with ``name`` of the event."""
        self._collected.add("p", control_number(pool).select(*_RUNS, pl.lit(month, pl.Int32).alias("month")))

    def add_corrections(self, month: int, revision: int, diff: pl.DataFrame) -> None:
        """Add what a revision of a month changed: ``DIFF``."""
        rows = control_number(diff).with_columns(revision=pl.lit(revision, pl.Int32))
        why = ("cause", "because", "corrections")
        self._add("x", month, rows, ("month", "revision", "control", "old_rating", "new_rating", *why))

    def add_rollback(self, month: int, step: Mapping[str, Any], moved: pl.DataFrame) -> None:
        """Add whom a rollback of a month moved: a row of ``ROLLED_BACK``, and the ratings before and after."""
        numbers = (pl.lit(step[name], pl.Int32).alias(name) for name in ("from_revision", "to_revision"))
        rows = control_number(moved).with_columns(
            *numbers, day=pl.lit(str(step["rolled_back_on"])), reason=pl.lit(step["reason"])
        )
        steps = ("from_revision", "to_revision", "day", "reason")
        self._add("r", month, rows, ("month", "control", "old_rating", "new_rating", *steps))

    def add_places(self, lists: pl.DataFrame, groups: dict[str, tuple[int, int]]) -> None:
        """Add the places of the newest lists, ``LISTED``, in the federation and in the age ``groups``."""
        self._collected.add("a", places(lists, groups))

    def add_games(self, month: int, games: pl.DataFrame, names: pl.DataFrame) -> None:
        """Add the results of the rated games of a month, and the best wins; ``names`` with ``title``."""
        self._collected.add("g", records(games))
        self._collected.add("q", wins(games, names, month))

    def add_clubs(self, clubs: pl.DataFrame) -> None:
        """Add the clubs of players: ``fide_id``, ``club``, ``page``."""
        self._collected.add("u", clubs.select("fide_id", "club", "page"))

    def add_both_numbers(self, month: int, both: pl.DataFrame) -> None:
        """Add the two ratings of a month where they differ: ``BOTH_NUMBERS``."""
        differ = both.filter(pl.col("as_published").ne_missing(pl.col("as_now_known")))
        self._add("b", month, control_number(differ), ("month", "control", "as_published", "as_now_known"))

    def _add(self, kind: str, month: int, rows: pl.DataFrame, columns: Sequence[str]) -> None:
        numbered = rows.with_columns(pl.lit(month, pl.UInt16).alias("month"))
        self._collected.add(kind, numbered.select("fide_id", *columns))

    def persons(self) -> pl.DataFrame:
        """Return every player who was ever named, with the newest data: ``fide_id`` and :data:`PERSON`."""
        return self._persons.state_or(LISTED.empty().select("fide_id", *PERSON))

    def files(self, files: int) -> Iterator[Iterator[tuple[int, bytes]]]:
        """Yield the files of the players who are on a list or have results, slice by slice: number and content.

        ``files``: how many there are; a player is in the one whose number is the remainder of the FIDE ID.
        """
        of_all_months = {"p": _waiting, "g": summed_records, "q": best_wins}
        for number in range(self._collected.slices):
            rows = self._collected.of_slice(number)
            kinds = {kind: of_all_months.get(kind, _as_they_are)(one) for kind, one in rows.items()}
            players = _players(kinds, files)
            self.players += players.height
            yield player_files(kinds, players, files)


def _as_they_are(rows: pl.DataFrame) -> pl.DataFrame:
    return rows


def _players(kinds: Mapping[str, pl.DataFrame], files: int) -> pl.DataFrame:
    """Return the players of the rows, sorted: the number of the file, ``fide_id``, and ``at``, the row in the file."""
    ids = pl.concat([LISTED.empty().select("fide_id"), *(one.select("fide_id") for one in kinds.values())]).unique()
    sorted_ids = ids.with_columns((pl.col("fide_id") % files).alias(PART)).sort(PART, "fide_id")
    return sorted_ids.with_columns(at=pl.int_range(pl.len(), dtype=pl.UInt32).over(PART))


def player_files(kinds: Mapping[str, pl.DataFrame], players: pl.DataFrame, files: int) -> Iterator[tuple[int, bytes]]:
    """Yield the files of players. In: the rows by kind, with ``fide_id`` first; their order is kept for each player.

    The table ``id`` has the players: their FIDE IDs divided by ``files``. The first column of the others is ``at``, the
    row of the player there.
    """
    tables = {"id": (players.select(PART, pl.col("fide_id") // files), Packing(["fide_id"]))}
    for kind in (one for one in KINDS if one in kinds):
        rows = kinds[kind].join(players, on="fide_id", how="left", maintain_order="left").drop("fide_id")
        rows = rows.select(PART, "at", pl.exclude(PART, "at")).sort(PART, "at", maintain_order=True)
        tables[kind] = (rows, Packing(["at"], _COMPUTED if kind == "c" else {}))
    return packed(tables)


_COMPUTED = {"new_rating": pl.col("old_rating") + pl.col("change")}


def _waiting(pool: pl.DataFrame) -> pl.DataFrame:
    """Return the waiting results, ``fide_id`` and ``json``: one row for a run of months in which a result waited."""
    rows = pool.sort(*_RUNS, "month", nulls_last=True)
    run = pl.col("month") - pl.int_range(pl.len(), dtype=pl.Int32).over(_RUNS)
    runs = (
        rows.with_columns(run.alias("run"))
        .group_by(*_RUNS, "run", maintain_order=True)
        .agg(pl.col("month").min().alias("from"), pl.col("month").max().alias("to"))
        .sort("fide_id", "from", "control", "counted_month", "event_id", nulls_last=True)
    )
    return runs.select("fide_id", "control", "from", "to", *_RESULT, last_month(pl.col("expires_month")).alias("last"))


def last_month(expires_month: pl.Expr) -> pl.Expr:
    """Return the last list that counts a result; null where none is given, or results do not expire."""
    first_day = (expires_month + "-01").str.to_date("%Y-%m-%d", strict=False)
    return first_day.dt.offset_by("-1mo").dt.strftime("%Y-%m")


def newest_ratings(lists: pl.DataFrame) -> pl.DataFrame:
    """Return the ratings of the newest lists in a row per player: ``fide_id``, ``rating_0`` to ``rating_2``."""
    wide = control_number(lists).select("fide_id", "control", "rating")
    ratings = LISTED.empty().select("fide_id").join(wide, on="fide_id", how="full", coalesce=True)
    columns = [
        pl.col("rating").filter(pl.col("control") == number_of).first().alias(f"rating_{number_of}")
        for number_of in CONTROLS.values()
    ]
    return ratings.group_by("fide_id").agg(columns)


def with_change(now: pl.DataFrame, before: pl.DataFrame) -> pl.DataFrame:
    """Return a list with ``change``: the difference from the list before, null for a player who was not on it."""
    ratings = before.select("fide_id", pl.col("rating").alias("rating_before"))
    return now.join(ratings, on="fide_id", how="left", maintain_order="left").with_columns(
        (pl.col("rating") - pl.col("rating_before")).alias("change")
    )


def list_files(rows: pl.DataFrame) -> tuple[pl.DataFrame, Iterator[tuple[int, bytes]]]:
    """Return what the files of a list are, ``part``, ``file`` and ``rows``, and the number and content of each.

    In: ``LISTED`` of one time control in its order, with ``change``. ``part`` is :data:`ALL` or a federation; a list
    of a single federation has no second copy. A code that is not made of three letters has no files of its own.
    """
    columns = rows.select(*LIST_COLUMNS)
    parts = [columns.select(pl.lit(ALL).alias("of"), pl.all())]
    if rows["federation"].n_unique() > 1:
        has_code = pl.col("federation").str.contains(r"^[A-Z]{3}$").fill_null(value=False)
        parts.append(
            columns.filter(has_code).select(pl.col("federation").alias("of"), pl.all()).sort("of", maintain_order=True)
        )
    numbered = pl.concat(parts).with_columns((pl.int_range(pl.len()).over("of") // ROWS_OF_FILE).alias("file"))
    numbered = numbered.with_columns(pl.struct("of", "file").rle_id().alias(PART))
    files = numbered.group_by("of", "file", maintain_order=True).agg(pl.len().alias("rows")).rename({"of": "part"})
    return files, packed({"rows": (numbered.drop("of", "file"), Packing(["fide_id"]))})
