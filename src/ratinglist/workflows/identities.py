"""The command `ratinglist identities`: compares the names of registered players and of reports in DuckDB."""

from __future__ import annotations

import polars as pl

from ratinglist.analysis import identity_matching
from ratinglist.analysis.identity_matching import CANDIDATE
from ratinglist.errors import NothingReadError
from ratinglist.settings import Settings
from ratinglist.store import received
from ratinglist.store.database import Store
from ratinglist.text import person_text
from ratinglist.workflows.opening import open_to_read

MIN_SCORE = 70
"""The default. Same name, year and federation give 85 or more; a similar name or an unknown year of birth about 70."""
_NEIGHBOURS = 5
"""How many players of a federation show that a ten thousand of FIDE IDs is theirs."""


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


def registered_twice(store: Store, fide_ids: pl.Series) -> list[str]:
    """Return which of these players may be registered under a second FIDE ID: one name, one year of birth.

    Only the spelling that is the same in both is found; :func:`propose` compares all spellings, and takes longer.
    """
    if fide_ids.is_empty():
        return []
    with store.seeing(looked_at=pl.DataFrame([fide_ids.unique().alias("fide_id")])):
        found = store.read(
            """
            with person as (
                select fide_id, name, federation, coalesce(birth_year, year(birth_date))::integer as birth_year
                from registered_person
            ),
            one as (
                select * from person semi join looked_at using (fide_id) where birth_year is not null
            )
            select one.*, other.fide_id as other_id, other.name as other_name, other.federation as other_federation,
                other.birth_year as other_birth_year
            from one join person as other
                on lower(other.name) = lower(one.name) and other.birth_year = one.birth_year
                and other.fide_id <> one.fide_id
            where other.fide_id > one.fide_id or other.fide_id not in (select fide_id from one)
            order by one.fide_id, other_id
            """
        )
    return [
        f"{person_text(row['fide_id'], row['name'], row['federation'], row['birth_year'])} may be registered twice, as "
        f"{person_text(row['other_id'], row['other_name'], row['other_federation'], row['other_birth_year'])} too: "
        f"ratinglist correct merge {row['fide_id']} {row['other_id']}, where it is one person"
        for row in found.iter_rows(named=True)
    ]


def of_other_length(store: Store, source_no: int) -> list[str]:
    """Return which players of a file, registered by it, may have a digit too few or too many in their FIDE ID.

    Nobody else of their federation has a FIDE ID of their ten thousand, and :data:`_NEIGHBOURS` have one of the ten
    thousand that a digit more or less would give.
    """
    found = store.read(
        """
        with registered as (
            select fide_id, name, federation, fide_id // 10000 as block, source_no = $source as is_here
            from player
            qualify row_number() over (partition by fide_id order by source_no) = 1
        ),
        blocks as (
            select federation, block, count(*) filter (not is_here) as known, count(*) as players
            from registered group by all
        )
        select fide_id, name, federation, list(other.block order by other.block) as near
        from registered
        join blocks as own using (federation, block)
        join blocks as other using (federation)
        where is_here and own.players = 1 and other.known >= $neighbours
            and abs(length(other.block::varchar) - length(registered.block::varchar)) = 1
            and levenshtein(other.block::varchar, registered.block::varchar) = 1
        group by all
        order by fide_id
        """,
        source=source_no,
        neighbours=_NEIGHBOURS,
    )
    return [
        f"{row['fide_id']} {row['name']}: no other player of {row['federation']} has a FIDE ID that begins so, and "
        f"{' or '.join(f'{block}....' for block in row['near'])} is usual there; is a digit missing or too many?"
        for row in found.iter_rows(named=True)
    ]


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
