"""What `ratinglist identities` reads and shows: registered players and reports, their names compared in DuckDB."""

from __future__ import annotations

import polars as pl

from ratinglist.analysis import identity_matching
from ratinglist.analysis.identity_matching import CANDIDATE
from ratinglist.config import Settings
from ratinglist.errors import NothingReadError
from ratinglist.store import received
from ratinglist.store.database import Store, open_store

MIN_SCORE = 70
"""Same name, year and federation give 85 and more; a name that is only alike, or an unknown birth, about this."""


def propose(settings: Settings, min_score: int = MIN_SCORE) -> pl.DataFrame:
    """Likely duplicates and likely wrong FIDE IDs in reports, best first (``CANDIDATE``), from ``min_score`` on.

    Nothing in the store is changed. Raises :class:`NothingReadError` where no player is registered.
    """
    with open_store(settings.store, settings.threads) as store:
        settings.progress("reading the store", 0, 1)
        players = received.players(store)
        if players.is_empty():
            raise NothingReadError("No player is registered yet: ratinglist import-list FILE --month YYYY-MM")
        known = identity_matching.with_name_forms(players)
        lines = _report_lines(store)
        settings.progress("looking for two FIDE IDs of one person", 0, 1)
        found = [_duplicates(store, known, lines, min_score)]
        settings.progress("looking for wrong FIDE IDs in reports", 0, 1)
        found.append(_wrong_ids(store, known, lines, min_score))
    return CANDIDATE.sorted(pl.concat(found))


def text(rows: pl.DataFrame) -> str:
    """Candidates for people: two lines each, the evidence below."""
    told = []
    for row in rows.to_dicts():
        one = _person(row["fide_id"], row["name"], row["federation"], row["birth_year"])
        other = _person(row["other_id"], row["other_name"], row["other_federation"], row["other_birth_year"])
        where = f", {row['file']}, line {row['line']}" if row["file"] else ""
        often = f" and {row['times'] - 1:,} more" if row["times"] > 1 else ""
        told += [f"{row['score']:>3}  {row['kind']:<9}  {one}  ↔  {other}{where}{often}", f"     {row['evidence']}"]
    return "\n".join(told) or "Nobody looks like somebody else."


def _person(fide_id: int, name: str, federation: str, birth_year: int | None) -> str:
    said = [part for part in (federation, str(birth_year) if birth_year else "") if part]
    return f"{fide_id} {name}" + (f" ({', '.join(said)})" if said else "")


def _duplicates(store: Store, known: pl.DataFrame, lines: pl.DataFrame, least: int) -> pl.DataFrame:
    pairs = identity_matching.duplicate_pairs(known)
    compared = _with_similarity(store, identity_matching.join_name_forms(pairs, known, "fide_id", known))
    of_pairs = lines.filter(
        pl.col("fide_id").is_in(pl.concat([pairs["fide_id"], pairs["other_id"]]).unique().implode())
    )
    with store.seeing(pairs=pairs, played=of_pairs.select("fide_id", "event_id").unique()):
        met = store.read(
            """
            select pairs.fide_id, pairs.other_id, count(*)::integer as events
            from pairs
            join played as own using (fide_id)
            join played as other on other.fide_id = pairs.other_id and other.event_id = own.event_id
            group by all
            """
        )
    active = of_pairs.group_by("fide_id").agg(
        pl.col("start_date").min().alias("first_day"), pl.col("end_date").max().alias("last_day")
    )
    return identity_matching.duplicates(compared, met, active, known, least)


def _wrong_ids(store: Store, known: pl.DataFrame, lines: pl.DataFrame, least: int) -> pl.DataFrame:
    person = ["fide_id", "name", "federation", "sex", "birth_date", "birth_year"]
    first = pl.struct("file", "line").sort_by("received_on", "file", "line").first()
    people = lines.group_by(person).agg(pl.len().cast(pl.Int32).alias("times"), first.alias("first"))
    people = identity_matching.with_name_forms(people.unnest("first").sort(person).with_row_index("person_no"))
    own = people.select("person_no", pl.col("fide_id").alias("other_id"))
    own = _with_similarity(store, identity_matching.join_name_forms(own, people, "person_no", known))
    # Who fits his FIDE ID in everything needs no other.
    doubted = own.filter(
        ~(
            (pl.col("sorted_words") == pl.col("other_sorted_words"))
            & pl.col("birth_year").eq_missing(pl.col("other_birth_year"))
            & (pl.col("federation") == pl.col("other_federation"))
        ).fill_null(value=False)
    )
    asked = people.join(doubted.select("person_no"), on="person_no", how="semi")
    others = identity_matching.pairs(asked, known, "person_no")
    compared = _with_similarity(store, identity_matching.join_name_forms(others, asked, "person_no", known))
    ids = others.join(people.select("person_no", "fide_id"), on="person_no").select("fide_id", "other_id").unique()
    played = lines.join(people, on=person, nulls_equal=True).select("person_no", "event_id").unique()
    with store.seeing(others=others, ids=ids, played=played, lines=lines.select("fide_id", "event_id").unique()):
        present = store.read(
            """
            select distinct others.person_no, others.other_id
            from others
            join played using (person_no)
            join lines on lines.fide_id = others.other_id and lines.event_id = played.event_id
            """
        )
        digits = store.read(
            """
            select fide_id, other_id, damerau_levenshtein(fide_id::varchar, other_id::varchar)::integer as digit_edits
            from ids
            """
        )
    return identity_matching.wrong_ids(people, own, compared, present, digits, least)


def _report_lines(store: Store) -> pl.DataFrame:
    """The player lines with a FIDE ID of every accepted report, with their event."""
    return store.read(
        """
        select report_player.fide_id, report_player.name, report_player.federation, report_player.sex,
            report_player.birth_date, report_player.birth_year, report_player.line, report.file_name as file,
            report.event_id, report.received_on, report.start_date, report.end_date
        from report_player join report using (report_id)
        where report_player.fide_id is not null
        """
    )


def _with_similarity(store: Store, compared: pl.DataFrame) -> pl.DataFrame:
    """``compared`` with ``similarity``: 100 less the share of letters to change, for the better order of the words."""
    names = ["sorted_words", "other_sorted_words", "one_spelling", "other_one_spelling"]
    with store.seeing(names=compared.select(names).drop_nulls().unique()):
        spelled = store.read(
            """
            select *,
                greatest(
                    100 - 100 * damerau_levenshtein(sorted_words, other_sorted_words)
                        // greatest(length(sorted_words), length(other_sorted_words), 1),
                    100 - 100 * damerau_levenshtein(one_spelling, other_one_spelling)
                        // greatest(length(one_spelling), length(other_one_spelling), 1)
                )::integer as similarity
            from names
            """
        )
    return compared.join(spelled, on=names, how="left")
