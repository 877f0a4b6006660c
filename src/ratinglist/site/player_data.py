"""Make the data of the players, and of the newest lists.

Of the players: ratings of all months as changes only, calculations, events, results that wait. Rows of each kind are
collected month after month, and written for one slice of the players after the other. Of the lists: rows in the order
of the list, a thousand to a file, also by federation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

import polars as pl

from ratinglist.schemas import LISTED, on_site
from ratinglist.site.data_file import CONTROLS, array, array_of_rows, member, number, text
from ratinglist.site.month_calculation import MonthCalculation
from ratinglist.site.places import best_wins, places, records, summed_records, wins

PLAYERS_OF_FILE = 500
PERSON, _HISTORY = on_site("person"), on_site("history")
LIST_COLUMNS = (*on_site("list"), "change")
"""The columns of a row of a list."""
_RUN = ("control", "fide_id", "event_id", "games", "score_halves", "opponent_rating_sum", "counted_month")
_RUNS = (*_RUN, "expires_month", "name")
KINDS = ("h", "d", "c", "s", "e", "n", "t", "p", "x", "r", "b", "a", "g", "q", "u")
"""The arrays of a player: lists, personal data, calculations, one-time steps, events, entries, their results, waiting
results, corrections, rollbacks, both numbers, places on the newest lists, results of all games, best wins, the club.
The reader's browser knows the order of their columns."""
ROWS_OF_FILE = 1_000
ALL = "all"
"""The name of the files with all federations; a federation has three letters, in upper case."""


def _cell(name: str) -> pl.Expr:
    """Return a column of a list, or its ``change``, as JSON."""
    return number(name) if name == "change" or LISTED.columns[name].dtype.is_integer() else text(name)


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

    def add_lists(self, month: int, lists: pl.DataFrame, unrated: pl.DataFrame) -> None:
        """Add the lists of a month, ``LISTED``, and the names of its unrated players, ``UNRATED``."""
        changed = self._lists.add(control_number(lists), keep_gone=True)
        json = array(number("control"), pl.lit(f"{month}"), *map(_cell, _HISTORY))
        self._add("h", changed, json)
        persons = lists.select("fide_id", *PERSON).unique("fide_id", keep="last", maintain_order=True)
        changed = self._persons.add(pl.concat([persons, self._completed(unrated)]), keep_gone=False)
        json = array(pl.lit(f"{month}"), *map(_cell, PERSON))
        self._add("d", changed, json)

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
        numbers = ("old_rating", "games", "k", "change_hundredths", "change", "new_rating")
        more = ("carried", "is_limited", "stands_in")
        has_more = pl.any_horizontal(pl.col(name).is_not_null() for name in more)
        json = pl.concat_str(
            pl.lit(f"[{month},"),
            pl.concat_str(number("control"), *map(number, numbers), text("status"), separator=","),
            pl.when(has_more)
            .then(pl.concat_str(pl.lit(","), pl.concat_str(*map(number, more), separator=",")))
            .otherwise(pl.lit("")),
            pl.lit("]"),
        )
        self._add("c", control_number(calculation.changes), json)
        json = array(pl.lit(f"{month}"), *map(number, ("control", "before", "after")))
        self._add("s", control_number(calculation.steps), json)
        average = (pl.col("opponent_average") * 100).cast(pl.Int64)
        json = array(
            pl.lit(f"{month}"),
            *map(number, ("control", "games", "score_halves")),
            number(average),
            *map(number, ("p_hundredths", "dp", "computed_rating", "published")),
            text("reason"),
            number("is_whole"),
        )
        self._add("n", control_number(calculation.entries), json)
        json = array(
            pl.lit(f"{month}"),
            number("control"),
            *map(text, ("event_id", "name")),
            *map(number, ("games", "score_halves", "opponent_rating_sum")),
            text("counted_month"),
        )
        self._add("t", control_number(calculation.results), json)

    def add_events(self, month: int, events: pl.DataFrame) -> None:
        """Add the events of a month in which each player has games: ``fide_id``, ``file``, ``place``."""
        self._add("e", events, array(pl.lit(f"{month}"), number("file"), number("place")))

    def add_pool(self, month: int, pool: pl.DataFrame) -> None:
        """Add the results that wait: ``POOL``, with ``name`` of the event."""
        self._collected.add("p", control_number(pool).select(*_RUNS, pl.lit(month, pl.Int32).alias("month")))

    def add_corrections(self, month: int, revision: int, diff: pl.DataFrame) -> None:
        """Add what a revision of a month changed: ``DIFF``."""
        json = array(
            pl.lit(f"{month},{revision}"),
            number("control"),
            number("old_rating"),
            number("new_rating"),
            *map(text, ("cause", "because", "corrections")),
        )
        self._add("x", control_number(diff), json)

    def add_rollback(self, month: int, step: Mapping[str, Any], moved: pl.DataFrame) -> None:
        """Add whom a rollback of a month moved: a row of ``ROLLED_BACK``, and the ratings before and after."""
        rows = moved.with_columns(reason=pl.lit(step["reason"]), day=pl.lit(str(step["rolled_back_on"])))
        json = array(
            pl.lit(f"{month}"),
            *map(number, ("control", "old_rating", "new_rating")),
            pl.lit(f"{step['from_revision']},{step['to_revision']}"),
            *map(text, ("day", "reason")),
        )
        self._add("r", control_number(rows), json)

    def add_places(self, lists: pl.DataFrame, groups: dict[str, tuple[int, int]]) -> None:
        """Add the places of the newest lists, ``LISTED``, in the federation and in the age ``groups``."""
        self._collected.add("a", places(lists, groups))

    def add_games(self, month: int, games: pl.DataFrame, names: pl.DataFrame) -> None:
        """Add the results of the rated games of a month, and the best wins; ``names`` with ``title``."""
        self._collected.add("g", records(games))
        self._collected.add("q", wins(games, names, month))

    def add_clubs(self, clubs: pl.DataFrame) -> None:
        """Add the clubs of players: ``fide_id``, ``club``, ``page``."""
        self._add("u", clubs, array(text("club"), number("page")))

    def add_both_numbers(self, month: int, both: pl.DataFrame) -> None:
        """Add the two ratings of a month where they differ: ``BOTH_NUMBERS``."""
        differ = both.filter(pl.col("as_published").ne_missing(pl.col("as_now_known")))
        json = array(pl.lit(f"{month}"), number("control"), number("as_published"), number("as_now_known"))
        self._add("b", control_number(differ), json)

    def _add(self, kind: str, rows: pl.DataFrame, json: pl.Expr) -> None:
        self._collected.add(kind, rows.select("fide_id", json.alias("json")))

    def persons(self) -> pl.DataFrame:
        """Return every player who was ever named, with the newest data: ``fide_id`` and :data:`PERSON`."""
        return self._persons.state_or(LISTED.empty().select("fide_id", *PERSON))

    def texts(self) -> Iterator[pl.DataFrame]:
        """Yield the JSON of the players who are on a list or have results, slice by slice.

        Out: ``fide_id``, ``json``, by FIDE ID.
        """
        for number_of_slice in range(self._collected.slices):
            rows = self._collected.of_slice(number_of_slice)
            of_all_months = {"p": _waiting, "g": summed_records, "q": best_wins}
            yield _texts({kind: of_all_months.get(kind, _as_they_are)(one) for kind, one in rows.items()})


def _as_they_are(rows: pl.DataFrame) -> pl.DataFrame:
    return rows


def _texts(rows: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Return the JSON of players, ``fide_id`` and ``json``. In: ``fide_id`` and ``json`` of each row, by kind."""
    ids = pl.concat([LISTED.empty().select("fide_id"), *(one.select("fide_id") for one in rows.values())])
    ids = ids.unique().sort("fide_id")
    present = [kind for kind in KINDS if kind in rows]
    for kind in present:
        grouped = rows[kind].group_by("fide_id", maintain_order=True).agg(array_of_rows(pl.col("json")).alias(kind))
        ids = ids.join(grouped, on="fide_id", how="left", maintain_order="left")
    members = [pl.concat_str(pl.lit(","), member(kind, pl.col(kind))).fill_null("") for kind in present]
    whole = pl.concat_str([pl.lit('{"id":'), number("fide_id"), *members, pl.lit("}")])
    return ids.select("fide_id", whole.alias("json"))


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
    json = array(
        *map(number, ("control", "from", "to")),
        *map(text, ("event_id", "name")),
        *map(number, ("games", "score_halves", "opponent_rating_sum")),
        text("counted_month"),
        text(last_month(pl.col("expires_month"))),
    )
    return runs.select("fide_id", json.alias("json"))


def last_month(expires_month: pl.Expr) -> pl.Expr:
    """Return the last list that counts a result; null where none is given, or results do not expire."""
    first_day = (expires_month + "-01").str.to_date("%Y-%m-%d", strict=False)
    return first_day.dt.offset_by("-1mo").dt.strftime("%Y-%m")


def player_files(players: pl.DataFrame, files: int) -> pl.DataFrame:
    """Return the JSON of each file of players: ``file`` and ``json``. In: ``fide_id``, ``json``, by FIDE ID."""
    return (
        players.with_columns((pl.col("fide_id") % files).alias("file"))
        .group_by("file", maintain_order=True)
        .agg(array_of_rows(pl.col("json")).alias("json"))
        .sort("file")
    )


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


def list_files(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the JSON of the files of a list: ``part``, ``file``, ``rows`` and ``json``.

    In: ``LISTED`` of one time control in its order, with ``change``. ``part`` is :data:`ALL` or a federation; a list
    of a single federation has no second copy. A code that is not made of three letters has no files of its own.
    """
    json = array(*map(_cell, LIST_COLUMNS))
    whole = rows.select(pl.lit(ALL).alias("part"), json.alias("json"))
    parts = [whole]
    if rows["federation"].n_unique() > 1:
        has_code = rows["federation"].str.contains(r"^[A-Z]{3}$").fill_null(value=False)
        parts.append(rows.filter(has_code).select(pl.col("federation").alias("part"), json.alias("json")))
    return (
        pl.concat(parts)
        .with_columns((pl.int_range(pl.len()).over("part") // ROWS_OF_FILE).alias("file"))
        .group_by("part", "file", maintain_order=True)
        .agg(pl.len().alias("rows"), array_of_rows(pl.col("json")).alias("json"))
        .sort("part", "file")
    )
