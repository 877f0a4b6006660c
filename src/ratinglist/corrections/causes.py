"""Find why players differ between two calculations of a list: the steps of ``sql/causes``, one for each cause.

A side of a game explains a difference only where its part differs: whether it counts, its expected score, its K. An
opponent whose rating moved by a point without moving the expected score explains nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import duckdb
import polars as pl

from ratinglist.files import resources
from ratinglist.period import Period
from ratinglist.reasons import EVENT_REASONS, GAME_REASONS, sentence
from ratinglist.tables import own_columns


@dataclass(frozen=True, slots=True)
class Chain:
    """What leads to a list: the lists before it and the corrections.

    ``period``: the list. ``base``: the month of the list that it was calculated from. ``moved``:
    :data:`~ratinglist.corrections.carried.MOVED` of the lists before. ``touched``:
    :data:`~ratinglist.tables.TOUCHED`. ``rule_files``: the names of those changed since.
    """

    period: Period
    base: str
    moved: pl.DataFrame
    touched: pl.DataFrame
    rule_files: Collection[str] = ()


def find(
    players: pl.DataFrame, before: Mapping[str, pl.DataFrame], after: Mapping[str, pl.DataFrame], chain: Chain
) -> tuple[pl.DataFrame, set[int]]:
    """Return the causes of the differences of ``players``, and the corrections behind anything that differs.

    In: ``players``: the key, and what differs (:func:`~ratinglist.corrections.diff.compare_revisions`); ``before`` and
    ``after``: ``games``, ``events``, ``changes`` and ``lists`` of two calculations, by name. Out: the key, ``number``
    (1 to 5, the nearest first), ``because`` and the origin of each cause; and the numbers of the corrections.
    """
    sentences = [(code, sentence(code)) for code in (*EVENT_REASONS, *GAME_REASONS)]
    files = [(name, name.split("/")[1]) for name in sorted(chain.rule_files)]
    frames = {
        "player": players,
        "before_game": before["games"],
        "after_game": after["games"],
        "before_event": before["events"],
        "after_event": after["events"],
        "after_change": after["changes"],
        "moved": chain.moved,
        "touched": chain.touched,
        "this": pl.DataFrame({"month": [str(chain.period)], "base": [chain.base]}),
        "rule_file": _texts(files, "rule_file", "time_control"),
        "reason_sentence": _texts(sentences, "code", "sentence"),
    }
    with duckdb.connect() as connection:
        for name, frame in frames.items():
            connection.register(name, frame)
        connection.execute(_query("causes"))
        if own_columns(after["lists"].schema):
            while connection.execute(_query("other_players")).fetchall() != [(0,)]:
                pass
        connection.execute(_query("rules"))
        rows: pl.DataFrame = connection.sql("select * from cause").pl()
        return rows, {number for (number,) in connection.execute(_query("reaching")).fetchall()}


def _texts(rows: list[tuple[str, str]], *columns: str) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String()), orient="row")


def _query(name: str) -> str:
    return (resources.sql("causes") / f"{name}.sql").read_text(encoding="utf-8")
