"""Keep the index of players' names that `ratinglist find` searches: one Parquet file in the home, made from the store.

The file is named after a digest of everything that can change a name: the files imported and the corrections. So an
index is never out of date, whatever was imported, corrected, rolled back or restored; another store has another one.
The first search after names have changed makes it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import duckdb
import polars as pl

from ratinglist.analysis import name_search
from ratinglist.analysis.name_search import QueryWord
from ratinglist.files.durable_files import TEMPORARY_PREFIX, make_private_folder, put_in_place
from ratinglist.settings import SEARCH, Settings
from ratinglist.store.calculation_folder import parquet_source
from ratinglist.store.database import Store
from ratinglist.system_errors import system_error_text
from ratinglist.workflows.opening import open_to_read

_GROUPS = 64
"""Row groups of the file: a search reads the players of those alone that have a word found."""


def search(store: Store, settings: Settings, words: list[QueryWord]) -> pl.DataFrame:
    """Return the players with a word for each of ``words`` in their names: ``fide_id`` and ``score``, best first.

    ``score`` adds up over the words: 100 for the word itself, 90 for its beginning, 85 for the same sounds, 70 for a
    part of it, less for typing errors. A FIDE ID that was merged into another counts for that one. The index is written
    where it is missing and the home may be written.
    """
    with _readable_index(store, settings) as index, store.seeing(typed=pl.DataFrame(words)):
        return store.read(
            f"""
            with compared as materialized (
                select typed.number, name_index.word,
                    case
                        when name_index.word = typed.word then 100
                        when starts_with(name_index.word, typed.word) then 90
                        when name_index.spelling = typed.spelling then 85
                        when length(typed.word) > 2 and contains(name_index.word, typed.word) then 70
                        when abs(length(name_index.word) - length(typed.word)) <= errors
                            and bit_count(xor(name_index.letters, typed.letters)) <= 2 * errors
                        then 70 - 10 * damerau_levenshtein(name_index.word, typed.word)
                            + 5 * (name_index.word[1] = typed.word[1])::integer
                    end as score,
                    typed.errors
                from {index} as name_index, typed
            ),
            close as materialized (
                select number, word, score from compared where score >= 70 - 10 * errors
            ),
            of_word as (
                select close.number, close.score, unnest(name_index.fide_ids) as fide_id
                from {index} as name_index join close using (word)
                where name_index.word in (select word from close)
            ),
            of_player as (
                select coalesce(now_id, fide_id) as fide_id, number, max(score) as score
                from of_word left join current_identity using (fide_id)
                group by all
            )
            select fide_id, sum(score)::integer as score
            from of_player group by fide_id
            having count(*) = (select count(*) from typed)
            order by score desc, fide_id
            """  # noqa: S608 - our own path, quoted
        )


def make(settings: Settings) -> None:
    """Make the index where names have changed since, before the first search."""
    with open_to_read(settings) as store, _readable_index(store, settings):
        pass


@contextmanager
def _readable_index(store: Store, settings: Settings) -> Iterator[str]:
    """Yield what a query reads the index from: its file, or a frame where the file is missing and cannot be written."""
    path = _path(store)
    source = parquet_source(path)
    if path.exists() and _is_whole(store, source):
        yield source
        return
    settings.progress("indexing names", 0, 1)
    index = _index(store)
    if os.access(store.home, os.W_OK):
        _keep(path, index, settings)
    with store.seeing(name_index_frame=index):
        yield "name_index_frame"


def _is_whole(store: Store, source: str) -> bool:
    """Return whether the file can be read: a copied home may have a part of it."""
    try:
        store.execute(f"select word, fide_ids from {source} limit 0")  # noqa: S608 - our own path, quoted
    except duckdb.Error:
        return False
    return True


def _index(store: Store) -> pl.DataFrame:
    return name_search.words_of_names(
        store.read(
            "select fide_id, name from player union all select fide_id, name from corrected_data where name is not null"
        )
    )


def _keep(path: Path, index: pl.DataFrame, settings: Settings) -> None:
    """Write the index by one rename and delete those of earlier data.

    Where the disk refuses it, warn: what was to be done is done, and the next search makes the index again.
    """
    temporary = path.with_name(f"{TEMPORARY_PREFIX}{os.getpid()}-{path.name}")
    try:
        make_private_folder(path.parent)
        index.write_parquet(temporary, row_group_size=max(len(index) // _GROUPS, 1))
        put_in_place(temporary, path)
        for old in path.parent.glob("names-*.parquet"):
            if old != path:
                old.unlink(missing_ok=True)
    except (OSError, pl.exceptions.PolarsError) as error:
        if not (reason := system_error_text(error)):
            raise
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        settings.warn(
            f"the index of names could not be written to {path.parent}, and `find` is slow without it. {reason}"
        )


def _path(store: Store) -> Path:
    sources = store.read("select source_no, sha256, kind, rows from source_file order by source_no")
    digest = hashlib.sha256(sources.write_csv().encode()).hexdigest()
    return store.home / SEARCH / f"names-{digest[:16]}.parquet"
