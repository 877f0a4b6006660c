"""The least a stage can cost: the same bytes read, cut once, one pass over the columns of the games, the same files.

``python -m benchmarks.floor STAGE FOLDER [FROM ...]`` does that and nothing else: nothing is checked, paired, joined,
rated, explained or made safe against a crash, and nothing is kept besides the files. It is no way to rate a month; it
is what no way can go below.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl

FILES_AT_ONCE = 1000
CELLS_START, CELL_WIDTH = 91, 10
FIELDS = {
    "start_number": (4, 4, pl.Int32),
    "sex": (9, 1, pl.String),
    "title": (10, 3, pl.String),
    "name": (14, 33, pl.String),
    "rating": (48, 4, pl.Int32),
    "federation": (53, 3, pl.String),
    "fide_id": (57, 11, pl.Int64),
    "birth": (69, 10, pl.String),
    "points": (80, 4, pl.String),
    "rank": (85, 4, pl.Int32),
}
HALVES = {"1": 2, "=": 1, "0": 0}
LISTS = ("standard", "rapid", "blitz")


def import_list(folder: Path, starting_list: str) -> None:
    """A starting list read, and its players and ratings written."""
    rows = pl.read_csv(starting_list, infer_schema_length=0)
    state = ["time_control", "rating", "k", "games_played", "reached_2400", "reached_2300", "last_played"]
    numbers = ["rating", "k", "games_played"]
    rows = rows.with_columns(pl.col("fide_id").cast(pl.Int64), pl.col(numbers).cast(pl.Int32))
    _write(rows.drop(*state), folder / "player.parquet")
    _write(rows.select("fide_id", *state), folder / "list_state.parquet")


def load(folder: Path, reports: str) -> None:
    """Reports read, cut into player lines and games, and both written."""
    lines, games = zip(*cut_reports(reports), strict=True)
    _write(pl.concat(lines), folder / "report_player.parquet")
    _write(pl.concat(games), folder / "report_game.parquet")


def rate(folder: Path, published: str) -> None:
    """The tables of a month read, one pass over its games, and all of them written."""
    tables = _tables(published)
    _pass_over(tables["games"])
    for name, frame in tables.items():
        _write(frame, folder / f"{name}.parquet")


def publish(folder: Path, published: str) -> None:
    """The tables of a month read and written as they are published."""
    _publish(folder, _tables(published))


def export(folder: Path, published: str) -> None:
    """The published lists read and written as text."""
    for name in LISTS:
        file = Path(published) / f"{name}.parquet"
        if file.exists():
            pl.read_parquet(file).write_csv(folder / f"{name}.csv")


def run(folder: Path, reports: str, published: str) -> None:
    """Reports read and cut, one pass over the month's games, its tables written as they are published."""
    for lines, games in cut_reports(reports):
        del lines, games
    tables = _tables(published)
    _pass_over(tables["games"])
    _publish(folder, tables)


def cut_reports(reports: str) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    """Player lines and games of a thousand reports at a time."""
    files = sorted(Path(reports).rglob("*.trf"))
    for start in range(0, len(files), FILES_AT_ONCE):
        texts = [_text(file.read_bytes()) for file in files[start : start + FILES_AT_ONCE]]
        lines = (
            pl.DataFrame({"file_no": range(start, start + len(texts)), "text": texts})
            .with_columns(pl.col("text").str.split("\n"))
            .explode("text")
            .filter(pl.col("text").str.starts_with("001"))
        )
        players = lines.select(
            "file_no", *(_field("text", *place).alias(name) for name, place in FIELDS.items()), "text"
        )
        width = int(players["text"].str.len_chars().max() or 0)  # type: ignore[arg-type]
        games = [
            _games(players, number, CELLS_START + CELL_WIDTH * number)
            for number in range((width - CELLS_START + CELL_WIDTH - 1) // CELL_WIDTH)
        ]
        yield players.drop("text"), pl.concat(games)


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("cp1252")


def _field(text: str, start: int, width: int, dtype: type[pl.DataType]) -> pl.Expr:
    cut = pl.col(text).str.slice(start, width).str.strip_chars()
    return cut if dtype is pl.String else cut.cast(dtype, strict=False)


def _games(players: pl.DataFrame, number: int, start: int) -> pl.DataFrame:
    """White's cells of one round: both players and White's half points."""
    cells = players.select(
        "file_no",
        pl.lit(number + 1, dtype=pl.Int32).alias("round"),
        pl.col("start_number").alias("white"),
        _field("text", start, 4, pl.Int32).alias("black"),
        _field("text", start + 5, 1, pl.String).alias("colour"),
        _field("text", start + 7, 1, pl.String).alias("code"),
    )
    return cells.filter((pl.col("colour") == "w") & pl.col("code").is_in(list(HALVES))).select(
        "file_no",
        "round",
        "white",
        "black",
        pl.col("code").replace_strict(HALVES, return_dtype=pl.Int32).alias("halves"),
    )


def _pass_over(games: pl.DataFrame) -> int:
    """The exact change of the whole month in hundredths."""
    k, halves, expected = (pl.col(name) for name in ("k", "score_halves", "expected_hundredths"))
    return int(games.select((k * (halves * 50 - expected)).cast(pl.Int64).sum()).item())


def _tables(published: str) -> dict[str, pl.DataFrame]:
    return {file.stem: pl.read_parquet(file) for file in sorted(Path(published).glob("*.parquet"))}


def _publish(folder: Path, tables: dict[str, pl.DataFrame]) -> None:
    for name, frame in tables.items():
        _write(frame, folder / f"{name}.parquet")
        if name in LISTS:
            frame.write_csv(folder / f"{name}.csv")


def _write(frame: pl.DataFrame, file: Path) -> None:
    frame.write_parquet(file, compression="zstd", compression_level=3)


FLOORS: dict[str, Callable[..., None]] = {
    "import-list": import_list,
    "load": load,
    "rate": rate,
    "publish": publish,
    "export": export,
    "run": run,
}

if __name__ == "__main__":
    stage, to, *read_from = sys.argv[1:]
    Path(to).mkdir(parents=True, exist_ok=True)
    FLOORS[stage](Path(to), *read_from)
