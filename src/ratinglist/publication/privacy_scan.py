"""What published files really carry, read back from them: the columns they may have, and no date of birth.

Nothing is believed of the frames the files were made from: names and types of columns come from the files.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from ratinglist.field_policy import FieldPolicy
from ratinglist.publication.manifest import MANIFEST, SIGNATURE
from ratinglist.publication.policy import Births
from ratinglist.schemas import LISTS, PUBLISHED
from ratinglist.store.table_files import arrow_schema

_OF_PLAYERS = (*LISTS, "diff", "both_numbers")
"""Files whose text is about the player of the row."""

_BESIDE = {"both_numbers": "both_numbers", "events": "event_status"}
"""Tables beside the revisions, by file stem."""

_LOOKS_LIKE_A_DATE = r"\d{1,4}[-./ ]\d{1,2}[-./ ]\d{1,4}|\d{8}"
_DAY, _MONTH, _BETWEEN = "0?%-d", "0?%-m", "[-./ ]"
_SPELT = "|".join(
    [
        *(
            f"(?:^|[^0-9]){_BETWEEN.join(order)}(?:[^0-9]|$)"
            for order in ((_DAY, _MONTH, "%Y"), ("%Y", _MONTH, _DAY), (_MONTH, _DAY, "%Y"))
        ),
        *("%Y%m%d", "%d%m%Y"),
    ]
)
"""The forms looked for, as the regular expression that the date of birth is put into.

Day month year, year month day or month day year in digits, the year of four, day and month with or without a nought,
one hyphen, dot, slash or blank between; and the eight digits of year month day or day month year together. A month in
words and a year of two digits are not looked for.
"""


def offences(revision: Path, policy: FieldPolicy, births: Births, texts: Iterable[str] = ()) -> list[str]:
    """What the files of a revision carry that they must not, in words; empty where there is nothing.

    A file that is none of the contract and none of ``texts``, and what :func:`of_table` finds in the others.
    """
    tables = [path for path in sorted(revision.iterdir()) if _is_table(path)]
    return strangers(revision, texts) + [one for path in tables for one in of_table(path, path.stem, policy, births)]


def strangers(revision: Path, texts: Iterable[str] = ()) -> list[str]:
    """The files of a revision that are none of the contract and none of ``texts``."""
    known = {MANIFEST, SIGNATURE, *texts}
    return [
        f"{path.name}: no such file may be published"
        for path in sorted(revision.iterdir())
        if path.name not in known and not _is_table(path)
    ]


def _is_table(path: Path) -> bool:
    return path.stem in PUBLISHED and path.suffix in (".parquet", ".csv")


def offences_beside(paths: Iterable[Path], policy: FieldPolicy, births: Births) -> list[str]:
    """As :func:`offences`, of the tables that stand beside the revisions: ``both_numbers`` and ``events``."""
    return [one for path in paths for one in of_table(path, _BESIDE[path.stem], policy, births)]


def of_table(path: Path, stem: str, policy: FieldPolicy, births: Births) -> list[str]:
    """What the file of a table carries that it must not, in words.

    A column that is none of its table's or left out by ``policy``, a type that is another, a date of birth known by
    ``births`` in a text of that player's row.
    """
    table = policy.table(stem)
    if path.suffix == ".csv":
        with path.open("rb") as file:
            carried = file.readline().decode().rstrip("\n").split(",")
        # Its cells are those of the Parquet file of that name: the digest of one is the logical digest of the other.
        return [f"{path.name}: carries the columns {', '.join(carried)}"] if carried != list(table.columns) else []
    schema = pq.read_schema(path)
    allowed = arrow_schema(table)
    wrong = [
        f"{path.name}: carries the column {column.name} ({column.type}), which it may not"
        for column in schema
        if column.name not in allowed.names or column.type != allowed.field(column.name).type
    ]
    if not wrong and schema.names != allowed.names:
        wrong = [f"{path.name}: carries {', '.join(schema.names)} instead of {', '.join(allowed.names)}"]
    if stem in _OF_PLAYERS and "fide_id" in schema.names:
        wrong += [f"{path.name}: {one}" for one in _births_told(path, births)]
    return wrong


def _births_told(path: Path, births: Births) -> list[str]:
    """The first texts of a table of players that tell the player's date of birth."""
    texts = [column.name for column in pq.read_schema(path) if str(column.type) in ("string", "large_string")]
    told = []
    for name in texts:
        if not _different(path, name).str.contains(_LOOKS_LIKE_A_DATE).any():
            continue
        cells = pl.read_parquet(path, columns=["fide_id", name], glob=False).rename({name: "text"})
        # Nearly nobody's name holds what looks like a date: whose birth is asked for is a handful.
        suspicious = cells.filter(pl.col("text").str.contains(_LOOKS_LIKE_A_DATE))
        born = births(suspicious["fide_id"].unique().sort()).drop_nulls()
        spelt = born.select("fide_id", pl.col("birth_date").dt.strftime(_SPELT).alias("spelt"))
        rows = suspicious.join(spelt, on="fide_id").filter(pl.col("text").str.contains(pl.col("spelt")))
        told += [
            f"{name} of player {fide_id} tells the date of birth" for fide_id in rows["fide_id"].unique().sort().head(5)
        ]
    return told


def _different(path: Path, name: str) -> pl.Series:
    """Every text that stands in a column, at least once; where the file has a dictionary of them, only that is read."""
    file = pq.ParquetFile(path)
    at = file.schema_arrow.names.index(name)
    groups = (file.metadata.row_group(number).column(at) for number in range(file.num_row_groups))
    if not all("RLE_DICTIONARY" in group.encodings for group in groups):
        return pl.read_parquet(path, columns=[name], glob=False)[name]
    column = pq.read_table(path, columns=[name], read_dictionary=[name])[name]
    texts = [pl.Series(name, chunk.dictionary, dtype=pl.String) for chunk in column.chunks]
    return pl.concat([pl.Series(name, [], dtype=pl.String), *texts]).unique()
