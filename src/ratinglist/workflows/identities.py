"""The command `ratinglist identities`: compares the names of registered players and of reports in DuckDB."""

from __future__ import annotations

import polars as pl

from ratinglist.errors import NothingReadError
from ratinglist.names import identity_matching
from ratinglist.names.identity_matching import CANDIDATE
from ratinglist.settings import Settings
from ratinglist.store import received
from ratinglist.store.database import Store
from ratinglist.text import person_text
from ratinglist.workflows.opening import open_to_read

MIN_SCORE = 70
"""The default. Same name, year and federation give 85 or more; a similar name or an unknown year of birth about 70."""


def propose(settings: Settings, min_score: int = MIN_SCORE) -> pl.DataFrame:
    """Return likely duplicates and likely wrong FIDE IDs in reports (``CANDIDATE``), the highest score first.

    Only candidates with at least ``min_score`` points are returned. Does not change the store. Raises
    :class:`NothingReadError` where no player is registered.
    """
    with open_to_read(settings) as store:
        settings.progress("reading the store", 0, 1)
        players = received.players(store)
        if players.is_empty():
            raise NothingReadError("No player is registered yet: ratinglist import-list FILE --month YYYY-MM")
        players = identity_matching.with_name_forms(players)
        lines = _report_lines(store)
        settings.progress("comparing registered players", 0, 1)
        found = [_duplicates(store, players, lines, min_score)]
        settings.progress("comparing players of reports", 0, 1)
        found.append(_wrong_ids(store, players, lines, min_score))
    return CANDIDATE.sorted(pl.concat(found))


def text(rows: pl.DataFrame, min_score: int) -> str:
    """Format the candidates for people: two lines each, the second with the evidence; or that none has the score."""
    lines = []
    for row in rows.to_dicts():
        one = person_text(row["fide_id"], row["name"], row["federation"], row["birth_year"])
        other = person_text(row["other_id"], row["other_name"], row["other_federation"], row["other_birth_year"])
        where = f", {row['file']}, line {row['line']}" if row["file"] else ""
        more = f" and {row['times'] - 1:,} more" if row["times"] > 1 else ""
        lines += [f"{row['score']:>3}  {row['kind']:<9}  {one}  ↔  {other}{where}{more}", f"     {row['evidence']}"]
    return "\n".join(lines) or (
        f"No possible duplicates, and no FIDE ID in a report that looks wrong, with a score of {min_score} or more "
        "(--min-score)."
    )


def _duplicates(store: Store, players: pl.DataFrame, lines: pl.DataFrame, least: int) -> pl.DataFrame:
    pairs = identity_matching.pairs(players, players, "fide_id")
    compared = _with_similarity(store, identity_matching.join_name_forms(pairs, players, "fide_id", players))
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
    return identity_matching.duplicates(compared, met, active, players, least)


def _wrong_ids(store: Store, players: pl.DataFrame, lines: pl.DataFrame, least: int) -> pl.DataFrame:
    person = ["fide_id", "name", "federation", "sex", "birth_date", "birth_year"]
    first = pl.struct("file", "line").sort_by("received_on", "file", "line").first()
    people = lines.group_by(person).agg(pl.len().cast(pl.Int32).alias("times"), first.alias("first"))
    people = identity_matching.with_name_forms(people.unnest("first").sort(person).with_row_index("person_no"))
    own = people.select("person_no", pl.col("fide_id").alias("other_id"))
    own = _with_similarity(store, identity_matching.join_name_forms(own, people, "person_no", players))
    # A person who fits the registered player in everything needs no comparison with others.
    doubtful = own.filter(
        ~(
            (pl.col("sorted_words") == pl.col("other_sorted_words"))
            & pl.col("birth_year").eq_missing(pl.col("other_birth_year"))
            & (pl.col("federation") == pl.col("other_federation"))
        ).fill_null(value=False)
    )
    unconfirmed = people.join(doubtful.select("person_no"), on="person_no", how="semi")
    others = identity_matching.pairs(unconfirmed, players, "person_no")
    compared = _with_similarity(store, identity_matching.join_name_forms(others, unconfirmed, "person_no", players))
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
    """Read the player lines with a FIDE ID of every accepted report that counts, as corrected, with their event."""
    return store.read(
        """
        select line.fide_id, line.name, line.federation, line.sex, line.birth_date, line.birth_year, line.line,
            report.file_name as file, report.event_id, report.received_on, report.start_date, report.end_date
        from current_report_player as line join current_report as report using (report_no)
        where line.fide_id is not null and not report.withdrawn
        """
    )


def _with_similarity(store: Store, compared: pl.DataFrame) -> pl.DataFrame:
    """Add ``similarity``: 100 minus the percentage of letters to change.

    The names are compared in their own order and with sorted words; the higher value counts.
    """
    names = ["sorted_words", "other_sorted_words", "one_spelling", "other_one_spelling"]
    with store.seeing(names=compared.select(names).drop_nulls().unique()):
        similarities = store.read(
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
    return compared.join(similarities, on=names, how="left")
