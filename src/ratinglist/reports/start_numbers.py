"""Where the player of a start number stands: looked up in a table of every file's numbers, which costs no join."""

from __future__ import annotations

import polars as pl


class StartNumbers:
    """The start numbers of a batch of reports.

    ``players``: ``file_no`` and ``start_number`` (null where it cannot be read), one row per player line.
    ``repeated``: the numbers (``file_no``, ``start_number``) that stand on more than one line of a file; the first of
    those lines is the one that is found.
    """

    def __init__(self, players: pl.DataFrame) -> None:
        numbered = players.select("file_no", "start_number").with_row_index("row").drop_nulls("start_number")
        files, highest = numbered.select(pl.max("file_no", "start_number").fill_null(0)).row(0)
        # As many places for each file as the highest number of all needs, so that a place is found by arithmetic. A
        # start number has four digits: whatever a report says, a batch has some million places at most.
        self._highest = highest
        places = self._places(numbered["file_no"], numbered["start_number"])
        nobody = pl.Series([None], dtype=pl.UInt32).new_from_index(0, (files + 1) * (highest + 1))
        # The last that is written to a place remains, which is the first line.
        self._row = nobody.scatter(places.reverse(), numbered["row"].reverse())
        alone = len(nobody) - self._row.null_count() == len(numbered)
        again = numbered.clear() if alone else numbered.filter(places.is_duplicated())
        self.repeated = again.select("file_no", "start_number").unique()

    def rows(self, file_no: pl.Series, start_number: pl.Series) -> pl.Series:
        """The row among the players of each of ``start_number``; null where nobody has it, or it is null.

        Every one of ``file_no`` has players.
        """
        return self._row.gather(self._places(file_no, start_number))

    def _places(self, file_no: pl.Series, start_number: pl.Series) -> pl.Series:
        place: pl.Series = file_no * (self._highest + 1) + start_number
        is_beyond = start_number > self._highest
        if not is_beyond.any():
            return place
        beyond = pl.DataFrame([place.alias("place"), is_beyond.alias("beyond")])
        return beyond.select(pl.when(~pl.col("beyond")).then("place")).to_series()
