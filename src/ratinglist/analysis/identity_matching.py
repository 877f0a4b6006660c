"""Who may be one person under two FIDE IDs, and whose ID a report may have got wrong: candidates, never decisions.

Two million players cannot be compared pair by pair. Players that share a key (a name in any order, the consonants of
a surname with an initial and a year of birth, a day of birth) are put side by side, and only they are judged: a score
from 0 to 100, and the evidence for and against in words. A birth date is compared here and stays here; what comes out
has the year.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from ratinglist.analysis import name_forms
from ratinglist.schemas import Column, Table

CANDIDATE = Table(
    "candidate",
    "pair of FIDE IDs that may be one person's, or name in a report whose FIDE ID may be another's",
    {
        "kind": Column(
            pl.String(), "duplicate (two FIDE IDs, one person), wrong_id (a report names another's FIDE ID)"
        ),
        "score": Column(pl.Int32(), "0 to 100"),
        "fide_id": Column(pl.Int64(), "one FIDE ID; the one that stands in the report"),
        "name": Column(pl.String(), "its name; the name in the report"),
        "federation": Column(pl.String(), "its federation; that in the report"),
        "birth_year": Column(pl.Int32(), "its year of birth; that in the report", null=True),
        "other_id": Column(pl.Int64(), "the other FIDE ID; the one that fits the report better"),
        "other_name": Column(pl.String(), "its registered name"),
        "other_federation": Column(pl.String(), "its registered federation"),
        "other_birth_year": Column(pl.Int32(), "its registered year of birth", null=True),
        "evidence": Column(pl.String(), "what speaks for and against, with the points of each"),
        "times": Column(pl.Int32(), "lines of reports that say so; 0 for a duplicate"),
        "file": Column(pl.String(), "the first of these reports; empty for a duplicate"),
        "line": Column(pl.Int32(), "the line in it", null=True),
    },
    key=("kind", "fide_id", "name", "birth_year", "federation", "other_id"),
    order=("score", "kind", "fide_id", "other_id", "name", "federation", "birth_year"),
    descending=(True, False, False, False, False, False, False),
)

ALIKE_FROM = 75
"""Names less alike than this, in hundredths, are different names."""
LARGEST_BLOCK = 1000
"""Players who share a key: with more of them the key says nothing."""
BETTER_BY = 25
"""How much better another player must fit a line of a report than the one whose FIDE ID stands there."""

THERE_TOO = -150
"""Nobody sits at two boards of one event: points that leave nothing of all the others."""

Clue = tuple[pl.Expr, pl.Expr | int, pl.Expr | str]
"""Whether it holds, its points, what it says."""

_KEYS = (
    ("words",),
    ("words", "birth_year"),
    ("bones", "initial", "birth_year"),
    ("given", "letter", "birth_year", "federation"),
    ("given", "birth_date"),
    ("surname", "birth_date"),
)
_PERSON = ("name", "federation", "sex", "birth_date", "birth_year")
_FORMS = (*_PERSON, "folded", "words", "plain", "initial", "surname")


def with_forms(people: pl.DataFrame) -> pl.DataFrame:
    """``people`` with the forms of their names that are compared.

    In: ``name``, ``federation``, ``sex``, ``birth_date``, ``birth_year``. Out: besides, ``folded``, ``plain``,
    ``words`` (by the alphabet), ``surname``, ``given``, ``initial``, ``letter`` (of the surname), ``bones``.
    """
    sounded = name_forms.sounded(pl.col("folded"))
    return (
        people.with_columns(
            name_forms.folded(pl.col("name")).alias("folded"),
            pl.coalesce("birth_year", pl.col("birth_date").dt.year().cast(pl.Int32)).alias("birth_year"),
        )
        .with_columns(sounded.alias("plain"))
        .with_columns(
            name_forms.words(pl.col("plain")).alias("words"),
            name_forms.surname(pl.col("plain")).alias("surname"),
            name_forms.given(pl.col("plain")).alias("given"),
        )
        .with_columns(
            pl.col("plain").str.replace_all(",", " "),
            pl.col("given").str.slice(0, 1).alias("initial"),
            pl.col("surname").str.slice(0, 1).alias("letter"),
            name_forms.skeleton(pl.col("surname")).alias("bones"),
        )
    )


def pairs(left: pl.DataFrame, right: pl.DataFrame, left_id: str) -> pl.DataFrame:
    """Who of ``left`` shares a key with whom of ``right``: ``left_id`` and ``other_id``, every pair once.

    Of a frame with itself a pair comes in one order, the smaller FIDE ID first.
    In: frames of :func:`with_forms`; ``left`` with ``left_id``, ``right`` with ``fide_id``. A key shared by more than
    :data:`LARGEST_BLOCK` of ``right`` is passed over: the rarer keys of the same players remain.
    """
    found = []
    for key in _KEYS:
        known = right.select(pl.col("fide_id").alias("other_id"), *key).filter(_has(key))
        known = known.filter(pl.len().over(list(key)) <= LARGEST_BLOCK)
        shared = left.select(left_id, *key).filter(_has(key)).join(known, on=list(key)).select(left_id, "other_id")
        # Of a pair of players one order is enough.
        found.append(shared.filter(pl.col(left_id) < pl.col("other_id")) if left is right else shared)
    return pl.concat(found).unique().sort(left_id, "other_id")


def duplicate_pairs(players: pl.DataFrame) -> pl.DataFrame:
    """Pairs of registered players worth a look: ``fide_id`` < ``other_id``. In: :func:`with_forms` of ``PLAYER``."""
    return pairs(players, players, "fide_id")


def side_by_side(pairs: pl.DataFrame, left: pl.DataFrame, left_id: str, right: pl.DataFrame) -> pl.DataFrame:
    """``pairs`` with the forms of both sides; those of the other are called ``other_...``."""
    own = left.select(left_id, *_FORMS)
    others = right.select("fide_id", *_FORMS).rename(lambda name: f"other_{name.removeprefix('fide_')}")
    return pairs.join(own, on=left_id, how="left").join(others, on="other_id", how="left")


def judged(compared: pl.DataFrame, clues: Sequence[Clue], least: int = 0) -> pl.DataFrame:
    """``compared`` with ``score``, cut to 0..100, and ``evidence``, from all ``clues`` that hold.

    Only rows with ``least`` points are kept: the words are written for them alone.
    """
    points = [pl.when(holds).then(worth).otherwise(0).cast(pl.Int32) for holds, worth, _ in clues]
    told = [
        pl.when(holds).then(
            pl.format(
                "{} ({}{})",
                _expr(says),
                pl.when(_expr(worth) > 0).then(pl.lit("+")).otherwise(pl.lit("")),
                _expr(worth),
            )
        )
        for holds, worth, says in clues
    ]
    return (
        compared.with_columns(pl.sum_horizontal(points).clip(0, 100).alias("score"))
        .filter(pl.col("score") >= least)
        .with_columns(pl.concat_str(told, separator="; ", ignore_nulls=True).alias("evidence"))
    )


def _expr(value: pl.Expr | int | str) -> pl.Expr:
    return value if isinstance(value, pl.Expr) else pl.lit(value)


def fit() -> list[Clue]:
    """How well name, birth, federation and sex of both sides go together.

    Needs the columns of :func:`side_by_side` and ``spelling``: how alike the two names are, 0 to 100.
    """
    return [*_names(), *_births(), *_federation_and_sex()]


def duplicates(
    compared: pl.DataFrame, met: pl.DataFrame, active: pl.DataFrame, players: pl.DataFrame, least: int = 0
) -> pl.DataFrame:
    """Pairs that may be one person, as :data:`CANDIDATE`, with a score from ``least`` on.

    In: ``compared``: :func:`duplicate_pairs` side by side, with ``spelling``; ``met``: ``fide_id``, ``other_id`` and
    ``events`` in which both played; ``active``: ``fide_id``, ``first_day`` and ``last_day`` of anybody's events;
    ``players``: everybody with forms.
    """
    namesakes = players.group_by("words").agg(pl.len().cast(pl.Int32).alias("namesakes"))
    others = active.rename({"fide_id": "other_id", "first_day": "other_first", "last_day": "other_last"})
    evidence = (
        compared.join(met, on=["fide_id", "other_id"], how="left")
        .join(active, on="fide_id", how="left")
        .join(others, on="other_id", how="left")
        .join(namesakes, on="words", how="left")
    )
    follows = (pl.col("last_day") < pl.col("other_first")) | (pl.col("other_last") < pl.col("first_day"))
    shared = pl.col("words") == pl.col("other_words")
    common = pl.format("{} players have this name", pl.col("namesakes"))
    clues: list[Clue] = [
        *fit(),
        (shared & pl.col("namesakes").is_between(3, 5), -5, common),
        (shared & (pl.col("namesakes") > 5), -15, common),
        (_true(follows), 10, "one stops playing before the other begins"),
        (_true(~follows), -5, "both were playing at the same time"),
        (pl.col("events").is_not_null(), THERE_TOO, pl.format("both played in {} of the events", pl.col("events"))),
    ]
    found = judged(evidence.filter(_same_name() | _initials() | (pl.col("spelling") >= ALIKE_FROM)), clues, least)
    return _shaped(found.with_columns(pl.lit("duplicate").alias("kind")))


def wrong_ids(
    people: pl.DataFrame,
    own: pl.DataFrame,
    compared: pl.DataFrame,
    present: pl.DataFrame,
    digits: pl.DataFrame,
    least: int = 0,
) -> pl.DataFrame:
    """Names in reports that another registered player fits better than the one whose FIDE ID stands there.

    In: ``people`` of the reports: ``person_no``, ``fide_id``, ``times``, ``file``, ``line``; ``own``: they beside the
    registered player of their FIDE ID (``other_...``, null where nobody is registered), with ``spelling``;
    ``compared``: they beside others; ``present``: ``person_no`` and ``other_id`` where the other plays in one of these
    events himself; ``digits``: ``fide_id``, ``other_id`` and ``typing``: how many digits have to be typed anew. Out:
    :data:`CANDIDATE`, with a score from ``least`` on.
    """
    registered = pl.col("other_name").is_not_null()
    of_own = judged(own, fit()).select(
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
        *fit(),
        (pl.col("typing") == 1, 15, "the FIDE IDs differ by one slip of typing"),
        (pl.col("registered_name").is_null(), 5, "the FIDE ID of the report is not registered"),
        (
            pl.col("registered_name").is_not_null(),
            -(pl.col("own_score") // 2),
            pl.format("the FIDE ID of the report is that of {}", pl.col("registered_name")),
        ),
        (_true(pl.col("present")), THERE_TOO, "the other plays in the same event under his own FIDE ID"),
    ]
    fits = judged(evidence, fit()).filter(pl.col("score") - pl.col("own_score") >= BETTER_BY).drop("score", "evidence")
    found = judged(fits.filter(_same_name() | _initials() | (pl.col("spelling") >= ALIKE_FROM)), clues, least)
    return _shaped(found.with_columns(pl.lit("wrong_id").alias("kind")))


def _shaped(found: pl.DataFrame) -> pl.DataFrame:
    absent = {"times": pl.lit(0), "file": pl.lit(""), "line": pl.lit(None)}
    shaped = found.with_columns(
        *(value.alias(name) for name, value in absent.items() if name not in found.columns),
    )
    return CANDIDATE.sorted(CANDIDATE.conform(shaped))


def _names() -> list[Clue]:
    same = pl.col("folded") == pl.col("other_folded")
    turned = ~same & _same_name()
    initials = ~_same_name() & _initials()
    other = ~_same_name() & ~_initials()
    alike = other & (pl.col("spelling") >= ALIKE_FROM)
    return [
        (same, 55, "same name"),
        (turned, 50, "same name in another order or spelling"),
        (initials, 40, "same surname, and one given name is an initial of the other"),
        (alike, 11 * (pl.col("spelling") - 50) // 10, pl.format("names alike to {} in 100", pl.col("spelling"))),
        (other & (pl.col("spelling") < ALIKE_FROM), 0, "names differ"),
    ]


def _births() -> list[Clue]:
    day, other_day = pl.col("birth_date"), pl.col("other_birth_date")
    year, other_year = pl.col("birth_year"), pl.col("other_birth_year")
    same_day, other_days = _true(day == other_day), _true(day != other_day)
    same_year = _true(year == other_year)
    apart = _true(year != other_year)
    anniversary = _true((day.dt.month() == other_day.dt.month()) & (day.dt.day() == other_day.dt.day()))
    digits, other_digits = year.cast(pl.String), other_year.cast(pl.String)
    turned = _true(
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
        (apart & ~anniversary & slip, -10, pl.format("born in {} and {}, a slip of typing", year, other_year)),
        (apart & ~anniversary & ~slip, -45, pl.format("born in {} and {}", year, other_year)),
        (year.is_null() | other_year.is_null(), 0, "a year of birth is not known"),
    ]


def _federation_and_sex() -> list[Clue]:
    federation, other = pl.col("federation"), pl.col("other_federation")
    known = _true((federation != "") & (other != ""))
    sexes = _true((pl.col("sex") != "") & (pl.col("other_sex") != ""))
    same_sex = pl.col("sex") == pl.col("other_sex")
    return [
        (known & (federation == other), 10, "same federation"),
        (known & (federation != other), -5, pl.format("federations {} and {}", federation, other)),
        (sexes & same_sex, 5, "same sex"),
        (sexes & ~same_sex, -25, "different sexes"),
    ]


def _same_name() -> pl.Expr:
    return _true(pl.col("words") == pl.col("other_words"))


def _initials() -> pl.Expr:
    """Whether both have one surname, and one of them only an initial that fits the other's given name."""
    bare = pl.min_horizontal(
        pl.col("plain").str.len_chars() - pl.col("surname").str.len_chars(),
        pl.col("other_plain").str.len_chars() - pl.col("other_surname").str.len_chars(),
    )
    fits = (pl.col("initial") == pl.col("other_initial")) & (pl.col("initial") != "")
    # a blank and one letter behind the surname
    return _true((pl.col("surname") == pl.col("other_surname")) & fits & (bare == 2))


def _has(key: tuple[str, ...]) -> pl.Expr:
    texts = [name for name in key if name not in ("birth_year", "birth_date")]
    return pl.all_horizontal(*(pl.col(name).is_not_null() for name in key), *(pl.col(name) != "" for name in texts))


def _true(question: pl.Expr) -> pl.Expr:
    """``question``, where an unknown is a no."""
    return question.fill_null(value=False)
