"""Copy the players and games of many months' reports, a month at a time: no more than one month is in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType

import polars as pl
import pyarrow.parquet as pq

from ratinglist.period import Period
from ratinglist.schemas import EARLIER_GAME
from ratinglist.store.database import Store
from ratinglist.store.month_inputs import games_of_reports, players_of_reports, read_earlier_games
from ratinglist.store.table_files import ROW_GROUP

_ORDER_OF_GAMES = ["id_no", "round", "white_id", "black_id"]
Progress = Callable[[str, int, int], None]


def in_order_of_reception(reports: pl.DataFrame, settled: pl.DataFrame) -> pl.Series:
    """Return the IDs of all reports in the order in which they were received, the ``settled`` ones first.

    The rows of a month's reports are neighbours then, and no month reads those of the others.
    """
    earlier = settled.select("report_id").unique().sort("report_id")
    return pl.concat([earlier, reports.sort("received_on", "report_id").select("report_id")])["report_id"]


def freeze_reports(
    store: Store,
    folder: Path,
    months: list[Period],
    reports: pl.DataFrame,
    settled: pl.DataFrame,
    progress: Progress,
) -> pl.DataFrame:
    """Write ``report_players.parquet`` and ``report_games.parquet``; return the games that were rated before.

    In: ``reports`` to judge, and reports that are ``settled`` and share a code with one of them. Out: ``EARLIER_GAME``
    of the games that lists before the first of ``months`` rated and these reports have again. In the files,
    ``id_no`` is the place in :func:`in_order_of_reception`.
    """
    numbered = in_order_of_reception(reports, settled).to_frame().with_row_index("id_no")
    known = store.read("select report_id, report_no, event_id, start_date from report")
    to_judge = known.join(reports, on="report_id", how="semi")
    earlier_games = [EARLIER_GAME.empty()]
    players_path, games_path = (folder / f"{name}.parquet" for name in ("report_players", "report_games"))
    with _Rows(players_path, ["id_no", "fide_id"]) as players, _Rows(games_path, _ORDER_OF_GAMES) as games:
        for done, of_month in enumerate(_by_month(reports, months)):
            progress("freezing reports", done, len(months))
            part = to_judge.join(of_month, on="report_id", how="semi")
            also = settled if done == 0 else settled.clear()
            compared = pl.concat([part, known.join(also, on="report_id", how="semi")])
            players.write(players_of_reports(store, part), numbered)
            games.write(games_of_reports(store, compared), numbered)
            with store.seeing(wanted=to_judge):
                earlier_games.append(read_earlier_games(store, str(months[0]), to_judge, part))
    return pl.concat(earlier_games).unique()


class _Rows:
    """A Parquet file of rows of reports, sorted; each part has later reports than the one before."""

    def __init__(self, path: Path, order: list[str]) -> None:
        self._path, self._order = path, order
        self._writer: pq.ParquetWriter | None = None

    def __enter__(self) -> _Rows:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._writer is not None:
            self._writer.close()

    def write(self, rows: pl.DataFrame, numbered: pl.DataFrame) -> None:
        """Write rows with ``id_no`` in place of ``report_id``, an Enum; in: ``numbered``: both of every report."""
        ids = rows["report_id"]
        if not isinstance(ids.dtype, pl.Enum):
            raise TypeError("the IDs of the reports are not encoded")
        of_category = ids.dtype.categories.to_frame("report_id").join(
            numbered, on="report_id", how="left", maintain_order="left"
        )
        id_no = of_category["id_no"].gather(ids.to_physical())
        found = rows.drop("report_id").insert_column(0, id_no).sort(self._order).to_arrow()
        if self._writer is None:
            self._writer = pq.ParquetWriter(self._path, found.schema, compression="zstd", compression_level=3)
        self._writer.write_table(found, ROW_GROUP)


def _by_month(reports: pl.DataFrame, months: list[Period]) -> Iterator[pl.DataFrame]:
    """Yield the reports that each month is the first one to judge; those received earlier are of the first month."""
    received = pl.col("received_on")
    for month in months:
        is_new = received < month.first_day
        yield reports.filter(is_new if month == months[0] else is_new & (received >= (month - 1).first_day))
