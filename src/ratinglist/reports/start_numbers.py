"""The row of the player of a start number, looked up in a table of all numbers, which is cheaper than a join."""

from __future__ import annotations

import polars as pl


class StartNumbers:
    """The start numbers of a batch of reports.

    ``players``: ``file_no`` and ``start_number`` (null where it cannot be read), one row per player line.
    ``repeated``: the numbers (``file_no``, ``start_number``) that are on more than one line of a file; such a number is
    looked up as the first of those lines.
    """

    def __init__(self, players: pl.DataFrame) -> None:
        numbered = players.select("file_no", "start_number").with_row_index("row").drop_nulls("start_number")
        files, highest = numbered.select(pl.max("file_no", "start_number").fill_null(0)).row(0)
        # Every file has as many places as the highest number of all files, so that a place is computed, not searched.
        # A start number has four digits, so a batch has some million places at most.
        self._highest = highest
        places = self._places(numbered["file_no"], numbered["start_number"])
        empty = pl.Series([None], dtype=pl.UInt32).new_from_index(0, (files + 1) * (highest + 1))
        # The last value written to a place remains, so the rows are written in reverse order.
        self._row = empty.scatter(places.reverse(), numbered["row"].reverse())
        is_unique = len(empty) - self._row.null_count() == len(numbered)
        repeated = numbered.clear() if is_unique else numbered.filter(places.is_duplicated())
        self.repeated = repeated.select("file_no", "start_number").unique()

    def rows(self, file_no: pl.Series, start_number: pl.Series) -> pl.Series:
        """Return the row in the players of each ``start_number``; null where no player has it, or it is null.

        Every ``file_no`` must have players.
        """
        return self._row.gather(self._places(file_no, start_number))

    def _places(self, file_no: pl.Series, start_number: pl.Series) -> pl.Series:
        place: pl.Series = file_no * (self._highest + 1) + start_number
        is_beyond = start_number > self._highest
        if not is_beyond.any():
            return place
        beyond = pl.DataFrame([place.alias("place"), is_beyond.alias("beyond")])
        return beyond.select(pl.when(~pl.col("beyond")).then("place")).to_series()
