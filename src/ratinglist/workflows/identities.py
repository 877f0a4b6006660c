"""The command `ratinglist identities`: pairs of FIDE IDs that may be one person's, and FIDE IDs that may be wrong.

The result is candidates for an officer to look at; nothing is decided here. Two million players cannot be compared pair
by pair. So only players that share a key are compared (a name in any order; the consonants of a surname with an initial
and a year of birth; a day of birth): each pair gets a score from 0 to 100 and the evidence for and against it as text.
Birth dates are compared here and never returned; the result has the year of birth only.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from ratinglist.errors import NothingReadError
from ratinglist.names import folding
from ratinglist.settings import Settings
from ratinglist.store import received
from ratinglist.store.database import Store
from ratinglist.tables import Column, Table
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
        players = with_name_forms(players)
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
    shared = pairs(players, players, "fide_id")
    compared = _with_similarity(store, join_name_forms(shared, players, "fide_id", players))
    of_pairs = lines.filter(
        pl.col("fide_id").is_in(pl.concat([shared["fide_id"], shared["other_id"]]).unique().implode())
    )
    with store.seeing(pairs=shared, played=of_pairs.select("fide_id", "event_id").unique()):
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
    return duplicates(compared, met, active, players, least)


def _wrong_ids(store: Store, players: pl.DataFrame, lines: pl.DataFrame, least: int) -> pl.DataFrame:
    person = ["fide_id", "name", "federation", "sex", "birth_date", "birth_year"]
    first = pl.struct("file", "line").sort_by("received_on", "file", "line").first()
    people = lines.group_by(person).agg(pl.len().cast(pl.Int32).alias("times"), first.alias("first"))
    people = with_name_forms(people.unnest("first").sort(person).with_row_index("person_no"))
    own = people.select("person_no", pl.col("fide_id").alias("other_id"))
    own = _with_similarity(store, join_name_forms(own, people, "person_no", players))
    # A person who fits the registered player in everything needs no comparison with others.
    doubtful = own.filter(
        ~(
            (pl.col("sorted_words") == pl.col("other_sorted_words"))
            & pl.col("birth_year").eq_missing(pl.col("other_birth_year"))
            & (pl.col("federation") == pl.col("other_federation"))
        ).fill_null(value=False)
    )
    unconfirmed = people.join(doubtful.select("person_no"), on="person_no", how="semi")
    others = pairs(unconfirmed, players, "person_no")
    compared = _with_similarity(store, join_name_forms(others, unconfirmed, "person_no", players))
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
    return wrong_ids(people, own, compared, present, digits, least)


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


CANDIDATE = Table(
    "candidate",
    "pair of FIDE IDs that may be one person's, or name in a report whose FIDE ID may be another's",
    {
        "kind": Column(
            pl.String(), "duplicate (two FIDE IDs, one person), wrong_id (a report names another's FIDE ID)"
        ),
        "score": Column(pl.Int32(), "0 to 100"),
        "fide_id": Column(pl.Int64(), "one FIDE ID; the one in the report"),
        "name": Column(pl.String(), "its name; the name in the report"),
        "federation": Column(pl.String(), "its federation; that in the report"),
        "birth_year": Column(pl.Int32(), "its year of birth; that in the report", null=True),
        "other_id": Column(pl.Int64(), "the other FIDE ID; the one that fits the report better"),
        "other_name": Column(pl.String(), "its registered name"),
        "other_federation": Column(pl.String(), "its registered federation"),
        "other_birth_year": Column(pl.Int32(), "its registered year of birth", null=True),
        "evidence": Column(pl.String(), "the clues for and against, with the points of each"),
        "times": Column(pl.Int32(), "report lines with these data; 0 for a duplicate"),
        "file": Column(pl.String(), "the first of these reports; empty for a duplicate"),
        "line": Column(pl.Int32(), "the line in it", null=True),
    },
    key=("kind", "fide_id", "name", "birth_year", "federation", "other_id"),
    order=("score", "kind", "fide_id", "other_id", "name", "federation", "birth_year"),
    descending=(True, False, False, False, False, False, False),
)

ALIKE_FROM = 75
"""Names with a lower similarity, from 0 to 100, are different names."""
LARGEST_BLOCK = 1000
"""A key that more players share than this is ignored: it does not narrow the choice."""
BETTER_BY = 25
"""Points by which another player must fit a report line better than the player registered under its FIDE ID."""

SAME_EVENT_POINTS = -150
"""Points where both FIDE IDs played in one event: a person plays at one board only, so the score becomes 0."""

Clue = tuple[pl.Expr, pl.Expr | int, pl.Expr | str]
"""A condition, the points it gives, and its sentence in the evidence."""

_KEYS = (
    ("sorted_words",),
    ("sorted_words", "birth_year"),
    ("consonants", "given_initial", "birth_year"),
    ("given", "surname_initial", "birth_year", "federation"),
    ("given", "birth_date"),
    ("surname", "birth_date"),
)
_PERSON = ("name", "federation", "sex", "birth_date", "birth_year")
_FORMS = (*_PERSON, "folded", "sorted_words", "one_spelling", "given_initial", "surname")


def with_name_forms(people: pl.DataFrame) -> pl.DataFrame:
    """Add the forms of the names that are compared (see :mod:`~ratinglist.names.folding`).

    In: ``name``, ``federation``, ``sex``, ``birth_date``, ``birth_year``. Out: the same, with the year of birth taken
    from the date where it is null, and ``folded``, ``one_spelling``, ``sorted_words``, ``surname``, ``given``,
    ``given_initial``, ``surname_initial`` and ``consonants`` (of the surname).
    """
    return (
        people.with_columns(
            folding.folded(pl.col("name")).alias("folded"),
            pl.coalesce("birth_year", pl.col("birth_date").dt.year().cast(pl.Int32)).alias("birth_year"),
        )
        .with_columns(folding.one_spelling(pl.col("folded")).alias("one_spelling"))
        .with_columns(
            folding.sorted_words(pl.col("one_spelling")).alias("sorted_words"),
            folding.surname(pl.col("one_spelling")).alias("surname"),
            folding.given_names(pl.col("one_spelling")).alias("given"),
        )
        .with_columns(
            pl.col("one_spelling").str.replace_all(",", " "),
            pl.col("given").str.slice(0, 1).alias("given_initial"),
            pl.col("surname").str.slice(0, 1).alias("surname_initial"),
            folding.consonants(pl.col("surname")).alias("consonants"),
        )
    )


def pairs(left: pl.DataFrame, right: pl.DataFrame, left_id: str) -> pl.DataFrame:
    """Return the pairs of ``left`` and ``right`` that share a key: ``left_id`` and ``other_id``, each pair once.

    In: frames of :func:`with_name_forms`; ``left`` with ``left_id``, ``right`` with ``fide_id``. Where both are the
    same frame, the smaller FIDE ID comes first. A key that more than :data:`LARGEST_BLOCK` rows of ``right`` share is
    ignored: the rarer keys of the same players remain.
    """
    found = []
    for key in _KEYS:
        others = right.select(pl.col("fide_id").alias("other_id"), *key).filter(_has(key))
        others = others.filter(pl.len().over(list(key)) <= LARGEST_BLOCK)
        shared = left.select(left_id, *key).filter(_has(key)).join(others, on=list(key)).select(left_id, "other_id")
        found.append(shared.filter(pl.col(left_id) < pl.col("other_id")) if left is right else shared)
    return pl.concat(found).unique().sort(left_id, "other_id")


def join_name_forms(pairs: pl.DataFrame, left: pl.DataFrame, left_id: str, right: pl.DataFrame) -> pl.DataFrame:
    """Join the name forms of both sides to ``pairs``; the columns of the right side are named ``other_...``."""
    own = left.select(left_id, *_FORMS)
    others = right.select("fide_id", *_FORMS).rename(lambda name: f"other_{name.removeprefix('fide_')}")
    return pairs.join(own, on=left_id, how="left").join(others, on="other_id", how="left")


def with_scores(compared: pl.DataFrame, clues: Sequence[Clue], least: int = 0) -> pl.DataFrame:
    """Add ``score``, limited to 0..100, and ``evidence``, from all ``clues`` that hold.

    Only rows with at least ``least`` points are returned: formatting the evidence of all rows would be expensive.
    """
    points = [pl.when(holds).then(worth).otherwise(0).cast(pl.Int32) for holds, worth, _ in clues]
    sentences = [
        pl.when(holds).then(
            pl.format(
                "{} ({}{})",
                _expr(sentence),
                pl.when(_expr(worth) > 0).then(pl.lit("+")).otherwise(pl.lit("")),
                _expr(worth),
            )
        )
        for holds, worth, sentence in clues
    ]
    return (
        compared.with_columns(pl.sum_horizontal(points).clip(0, 100).alias("score"))
        .filter(pl.col("score") >= least)
        .with_columns(pl.concat_str(sentences, separator="; ", ignore_nulls=True).alias("evidence"))
    )


def _expr(value: pl.Expr | int | str) -> pl.Expr:
    return value if isinstance(value, pl.Expr) else pl.lit(value)


def shared_clues() -> list[Clue]:
    """Return the clues of name, birth, federation and sex, which both kinds of candidate share.

    They use the columns of :func:`join_name_forms` and ``similarity``, the similarity of the two names from 0 to 100.
    """
    return [*_names(), *_births(), *_federation_and_sex()]


def duplicates(
    compared: pl.DataFrame, met: pl.DataFrame, active: pl.DataFrame, players: pl.DataFrame, least: int = 0
) -> pl.DataFrame:
    """Return the pairs that may be one person, as :data:`CANDIDATE`, with a score of at least ``least``.

    In: ``compared``: :func:`pairs` of the players with the name forms of both sides and ``similarity``; ``met``:
    ``fide_id``, ``other_id`` and ``events``, the number of events in which both played; ``active``: ``fide_id``,
    ``first_day`` and ``last_day`` of the player's events; ``players``: all players with name forms.
    """
    namesakes = players.group_by("sorted_words").agg(pl.len().cast(pl.Int32).alias("namesakes"))
    others = active.rename({"fide_id": "other_id", "first_day": "other_first", "last_day": "other_last"})
    evidence = (
        compared.join(met, on=["fide_id", "other_id"], how="left")
        .join(active, on="fide_id", how="left")
        .join(others, on="other_id", how="left")
        .join(namesakes, on="sorted_words", how="left")
    )
    follows = (pl.col("last_day") < pl.col("other_first")) | (pl.col("other_last") < pl.col("first_day"))
    shared = pl.col("sorted_words") == pl.col("other_sorted_words")
    common = pl.format("{} players have this name", pl.col("namesakes"))
    both_played = pl.format("both played in {} of the events", pl.col("events"))
    clues: list[Clue] = [
        *shared_clues(),
        (shared & pl.col("namesakes").is_between(3, 5), -5, common),
        (shared & (pl.col("namesakes") > 5), -15, common),
        (_is_true(follows), 10, "one stops playing before the other begins"),
        (_is_true(~follows), -5, "both were playing at the same time"),
        (pl.col("events").is_not_null(), SAME_EVENT_POINTS, both_played),
    ]
    found = with_scores(
        evidence.filter(_is_same_name() | _is_initial() | (pl.col("similarity") >= ALIKE_FROM)), clues, least
    )
    return _candidates(found.with_columns(pl.lit("duplicate").alias("kind")))


def wrong_ids(
    people: pl.DataFrame,
    own: pl.DataFrame,
    compared: pl.DataFrame,
    present: pl.DataFrame,
    digits: pl.DataFrame,
    least: int = 0,
) -> pl.DataFrame:
    """Return the names in reports that fit another registered player better than the one with the report's FIDE ID.

    In: ``people``: the persons of the reports, ``person_no``, ``fide_id``, ``times``, ``file``, ``line``; ``own``: each
    person joined with the player registered under the FIDE ID (``other_...``, null where there is none), with
    ``similarity``; ``compared``: each person joined with other players, the same columns; ``present``: ``person_no``
    and ``other_id`` where the other player is in one of the person's events too; ``digits``: ``fide_id``, ``other_id``
    and ``digit_edits``, the edits that turn one number into the other. Out: :data:`CANDIDATE`, with a score of at least
    ``least``.
    """
    registered = pl.col("other_name").is_not_null()
    of_own = with_scores(own, shared_clues()).select(
        "person_no",
        pl.when(registered).then("score").otherwise(0).alias("own_score"),
        pl.col("other_name").alias("registered_name"),
    )
    named = people.select("person_no", "fide_id", "times", "file", "line")
    evidence = (
        compared.join(named, on="person_no")
        .filter(pl.col("fide_id") != pl.col("other_id"))
        .join(of_own, on="person_no", how="left")
        .join(
            present.unique().with_columns(pl.lit(value=True).alias("present")), on=["person_no", "other_id"], how="left"
        )
        .join(digits, on=["fide_id", "other_id"], how="left")
    )
    clues: list[Clue] = [
        *shared_clues(),
        (pl.col("digit_edits") == 1, 15, "the FIDE IDs differ by one typing error"),
        (pl.col("registered_name").is_null(), 5, "the FIDE ID of the report is not registered"),
        (
            pl.col("registered_name").is_not_null(),
            -(pl.col("own_score") // 2),
            pl.format("the FIDE ID of the report is that of {}", pl.col("registered_name")),
        ),
        (
            _is_true(pl.col("present")),
            SAME_EVENT_POINTS,
            "the other player is in the same event under their own FIDE ID",
        ),
    ]
    fits = (
        with_scores(evidence, shared_clues())
        .filter(pl.col("score") - pl.col("own_score") >= BETTER_BY)
        .drop("score", "evidence")
    )
    found = with_scores(
        fits.filter(_is_same_name() | _is_initial() | (pl.col("similarity") >= ALIKE_FROM)), clues, least
    )
    return _candidates(found.with_columns(pl.lit("wrong_id").alias("kind")))


def _candidates(found: pl.DataFrame) -> pl.DataFrame:
    absent = {"times": pl.lit(0), "file": pl.lit(""), "line": pl.lit(None)}
    shaped = found.with_columns(
        *(value.alias(name) for name, value in absent.items() if name not in found.columns),
    )
    return CANDIDATE.sorted(CANDIDATE.conform(shaped))


def _names() -> list[Clue]:
    same = pl.col("folded") == pl.col("other_folded")
    turned = ~same & _is_same_name()
    initials = ~_is_same_name() & _is_initial()
    other = ~_is_same_name() & ~_is_initial()
    alike = other & (pl.col("similarity") >= ALIKE_FROM)
    return [
        (same, 55, "same name"),
        (turned, 50, "same name in another order or spelling"),
        (initials, 40, "same surname, and one given name is an initial of the other"),
        (alike, 11 * (pl.col("similarity") - 50) // 10, pl.format("similar names, {} in 100", pl.col("similarity"))),
        (other & (pl.col("similarity") < ALIKE_FROM), 0, "names differ"),
    ]


def _births() -> list[Clue]:
    day, other_day = pl.col("birth_date"), pl.col("other_birth_date")
    year, other_year = pl.col("birth_year"), pl.col("other_birth_year")
    same_day, other_days = _is_true(day == other_day), _is_true(day != other_day)
    same_year = _is_true(year == other_year)
    apart = _is_true(year != other_year)
    anniversary = _is_true((day.dt.month() == other_day.dt.month()) & (day.dt.day() == other_day.dt.day()))
    digits, other_digits = year.cast(pl.String), other_year.cast(pl.String)
    turned = _is_true(
        (digits.str.slice(0, 2) == other_digits.str.slice(0, 2))
        & (digits.str.slice(2, 1) == other_digits.str.slice(3, 1))
        & (digits.str.slice(3, 1) == other_digits.str.slice(2, 1))
    )
    slip = turned | (year - other_year).abs().is_in([1, 10, 100])
    return [
        (same_day, 30, "born on the same day"),
        (same_year & other_days, -25, "born in the same year, on different days"),
        (same_year & ~same_day & ~other_days, 20, "born in the same year"),
        (apart & anniversary, 10, "born on the same day of another year"),
        (apart & ~anniversary & slip, -10, pl.format("born in {} and {}, a typing error", year, other_year)),
        (apart & ~anniversary & ~slip, -45, pl.format("born in {} and {}", year, other_year)),
        (year.is_null() | other_year.is_null(), 0, "a year of birth is not known"),
    ]


def _federation_and_sex() -> list[Clue]:
    federation, other = pl.col("federation"), pl.col("other_federation")
    known = _is_true((federation != "") & (other != ""))
    sexes = _is_true((pl.col("sex") != "") & (pl.col("other_sex") != ""))
    same_sex = pl.col("sex") == pl.col("other_sex")
    return [
        (known & (federation == other), 10, "same federation"),
        (known & (federation != other), -5, pl.format("federations {} and {}", federation, other)),
        (sexes & same_sex, 5, "same sex"),
        (sexes & ~same_sex, -25, "different sexes"),
    ]


def _is_same_name() -> pl.Expr:
    return _is_true(pl.col("sorted_words") == pl.col("other_sorted_words"))


def _is_initial() -> pl.Expr:
    """Return whether both have one surname, and one of them has only an initial, which fits the other's given name."""
    bare = pl.min_horizontal(
        pl.col("one_spelling").str.len_chars() - pl.col("surname").str.len_chars(),
        pl.col("other_one_spelling").str.len_chars() - pl.col("other_surname").str.len_chars(),
    )
    fits = (pl.col("given_initial") == pl.col("other_given_initial")) & (pl.col("given_initial") != "")
    # A rest of two characters is a blank and one letter behind the surname.
    return _is_true((pl.col("surname") == pl.col("other_surname")) & fits & (bare == 2))


def _has(key: tuple[str, ...]) -> pl.Expr:
    texts = [name for name in key if name not in ("birth_year", "birth_date")]
    return pl.all_horizontal(*(pl.col(name).is_not_null() for name in key), *(pl.col(name) != "" for name in texts))


def _is_true(condition: pl.Expr) -> pl.Expr:
    """Return ``condition`` with null as false."""
    return condition.fill_null(value=False)
