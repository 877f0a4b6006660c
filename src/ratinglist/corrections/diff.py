"""Compare two revisions of a list: which players differ, by how much and why, back to the correction that caused it.

A player's row differs from the revision before for one of five causes. The first that applies is given:

- ``game``: the player's own game adds something else: a result was corrected, or a game was added or removed;
- ``list_before``: what the player brings from an earlier list differs: the rating, or the standard rating that stands
  in for it; games counted for K; results that wait for a first rating;
- ``opponent``: the result is the same, but the expected score differs, because an earlier list changed the opponent;
- ``data``: the player's birth, name, federation or another column differs;
- ``rules``: the list was calculated by a rule file of the same name with other contents.

Where none of them applies, the row says so: its cause is ``unknown``.

A cause applies where the two calculations differ in it: in a part of the sum, in what a list before hands on, or in a
column. So a correction is behind a row only if a chain of such differences leads to it. The diff of each list names the
cause on that list only, so a chain of causes ends at the list where a correction changed a game or a player's data, or
where a rule file changed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb
import polars as pl

from ratinglist.files import resources
from ratinglist.messages import EVENT_REASONS, GAME_REASONS, sentence
from ratinglist.pages.document import Code, Document, Entries, Heading, Paragraph, Part, Table
from ratinglist.period import Period
from ratinglist.summaries import movement_text
from ratinglist.tables import (
    DIFF,
    LISTED,
    LISTED_DATA,
    LISTS,
    PUBLISHED,
    SYSTEM_DIFF,
    SYSTEM_LISTED,
    own_columns,
    words_of,
)
from ratinglist.text import hundredths, shown

_HUNDREDTHS = ("rating_hundredths", "deviation_hundredths")
"""The columns of a list that only some systems have."""
_UNKNOWN = "unknown"
_CAUSES = dict(enumerate(("game", "list_before", "opponent", "data", "rules"), 1))


def lists_of(tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Return the lists among published tables (by file stem) as one frame.

    Out: ``LISTED``, or ``SYSTEM_LISTED`` with the system's own columns where a list is of a system other than FIDE's.
    """
    lists = [tables[stem] for stem in LISTS if stem in tables]
    table = LISTED
    for listed in lists:
        if set(_HUNDREDTHS) <= set(listed.columns):
            table = SYSTEM_LISTED.extended(own_columns(listed.schema))
    return pl.concat([table.empty(), *map(table.conform, lists)])


def compare_revisions(
    before: Mapping[str, pl.DataFrame], after: Mapping[str, pl.DataFrame], states: pl.DataFrame, chain: Chain
) -> tuple[pl.DataFrame, pl.DataFrame, set[int]]:
    """Return every player with a column that differs between two revisions of one month's list, with the cause.

    In: published tables by file stem; ``states``: :func:`~ratinglist.corrections.diff.states_differing` of the
    month. Out: :data:`DIFF`, in order; the rows that the list adds to :data:`MOVED`, those of players with a difference
    that the list does not show; and the numbers of all corrections behind what differs in any table.
    """
    before, after = _compared(before), _compared(after)
    differing = _differing(before["lists"], after["lists"])
    players = _aspects(before, after, differing, states)
    causes, behind = find_causes(players, before, after, chain)
    return _with_causes(differing, causes), _moves(players, causes, chain), behind


def _compared(tables: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    stems = ("games", "changes", "events", "entries", "pool")
    return {"lists": lists_of(tables), **{stem: PUBLISHED[stem].conform(tables[stem]) for stem in stems}}


def _with_causes(differing: pl.DataFrame, causes: pl.DataFrame) -> pl.DataFrame:
    nearest = (
        causes.sort("number", "because", *ORIGIN, nulls_last=True)
        .group_by(LIST_KEY, maintain_order=True)
        .agg(pl.col("number", "because").first())
        .with_columns(cause=pl.col("number").replace_strict(_CAUSES, return_dtype=pl.String))
    )
    players = (
        differing.join(nearest, on=LIST_KEY, how="left")
        .join(_ends(causes), on=LIST_KEY, how="left")
        .with_columns(
            pl.col("cause").fill_null(_UNKNOWN),
            pl.col("because").fill_null("the cause is not known"),
            pl.col("corrections", "rule_files").fill_null(""),
        )
    )
    own = {name: column for name, column in own_columns(differing.schema).items() if name.startswith(("old_", "new_"))}
    table = SYSTEM_DIFF.extended(own) if "old_rating_hundredths" in players.columns else DIFF
    return table.sorted(table.conform(players))


def _ends(causes: pl.DataFrame) -> pl.DataFrame:
    """Return what is at the ends of each player's chains: ``corrections`` and ``rule_files``, comma-separated."""
    return causes.group_by(LIST_KEY).agg(
        pl.col(name).drop_nulls().unique().sort().cast(pl.String).str.join(", ").alias(column)
        for name, column in (("correction_no", "corrections"), ("rule_file", "rule_files"))
    )


def _moves(players: pl.DataFrame, causes: pl.DataFrame, chain: Chain) -> pl.DataFrame:
    """Return the rows that a list adds to :data:`MOVED`."""
    moves = players.join(_ends(causes), on=LIST_KEY, how="left").select(
        *LIST_KEY,
        pl.lit(str(chain.period)).alias("month"),
        pl.col("corrections", "rule_files").fill_null(""),
        "old_rating",
        "rating",
        "k_moved",
        "games_moved",
        "pool_moved",
        pl.col("hundredths_differ").alias("hundredths_moved"),
    )
    return with_origins(moves)


def _differing(before: pl.DataFrame, after: pl.DataFrame) -> pl.DataFrame:
    """Return the players with a column that differs: ``DIFF`` without the cause, and what differs.

    ``data_changed``: the text of the cause ``data``, should it apply; ``changed``: the columns of the player's data;
    ``comes_or_goes``: the player is on one of the lists only; ``k_differs``, ``flag_differs`` and
    ``hundredths_differ``.
    """
    of_system = [name for name in own_columns(before.schema) if name in after.columns]
    more = [*(name for name in _HUNDREDTHS if name in before.columns and name in after.columns), *of_system]
    facts = [name for name in (*LISTED.columns, *more) if name not in (*LIST_KEY, "list_month")]
    both = before.with_columns(pl.lit(value=True).alias("was")).join(
        after.with_columns(pl.lit(value=True).alias("is")), on=LIST_KEY, how="full", coalesce=True, suffix="_new"
    )
    same = pl.all_horizontal(pl.col(name).eq_missing(pl.col(f"{name}_new")) for name in facts)
    present = pl.col("was").is_not_null() & pl.col("is").is_not_null()
    other = {name: pl.col(name).ne_missing(pl.col(f"{name}_new")) for name in (*LISTED_DATA, "k")}
    data = pl.concat_str(
        [pl.when(other[name]).then(pl.lit(words_of(name))) for name in LISTED_DATA],
        separator=", ",
        ignore_nulls=True,
    )
    data_changed = (
        pl.when(pl.col("is").is_null())
        .then(pl.lit("no longer on the list under this FIDE ID"))
        .when(pl.col("was").is_null())
        .then(pl.lit("now on the list under this FIDE ID"))
        .when(data == "")
        .then(pl.lit("data that the list does not show, such as the birth date"))
        .otherwise(data)
    )
    changed = pl.concat_list(
        pl.when(present & other[name]).then(pl.lit(name)) for name in LISTED_DATA
    ).list.drop_nulls()
    differing = both.filter(~(same & present)).select(
        *LIST_KEY,
        pl.coalesce("name_new", "name").alias("name"),
        pl.coalesce("federation_new", "federation").alias("federation"),
        pl.col("rating").alias("old_rating"),
        pl.col("rating_new").alias("new_rating"),
        (pl.col("rating_new") - pl.col("rating")).alias("difference"),
        pl.col("games").alias("old_games"),
        pl.col("games_new").alias("new_games"),
        pl.col("k").alias("old_k"),
        pl.col("k_new").alias("new_k"),
        pl.format("player data changed: {}", data_changed).alias("data_changed"),
        changed.alias("changed"),
        (~present).alias("comes_or_goes"),
        (present & other["k"]).alias("k_differs"),
        (present & other["flag"]).alias("flag_differs"),
        *(pl.col(name).alias(f"old_{name}") for name in more),
        *(pl.col(f"{name}_new").alias(f"new_{name}") for name in more),
    )
    return differing.with_columns(hundredths_differ(differing).alias("hundredths_differ"))


def _aspects(
    before: Mapping[str, pl.DataFrame], after: Mapping[str, pl.DataFrame], differing: pl.DataFrame, states: pl.DataFrame
) -> pl.DataFrame:
    """Return every player with any difference, and in what: those of :func:`_differing`, and these.

    ``base`` and ``base_new``: the rating that the change is added to; ``old_rating`` and ``rating``: the list's;
    ``k_moved``, ``games_moved``: :func:`~ratinglist.corrections.diff.states_differing`; ``pool_moved``,
    ``entry_differs``: the waiting results, and what a first rating is calculated from; ``sum_differs``: the games of
    the period add something else, after rounding.
    """
    pool, entries = (_keys_differing(before[stem], after[stem]) for stem in ("pool", "entries"))
    moved = states.rename({"was": "state_rating", "is": "state_rating_new"})
    keys = pl.concat([frame.select(LIST_KEY) for frame in (differing, moved, pool, entries)]).unique()
    bases = [_bases(tables, name, keys) for tables, name in ((before, "base"), (after, "base_new"))]
    players = (
        keys.join(differing, on=LIST_KEY, how="left")
        .join(moved, on=LIST_KEY, how="left")
        .join(pool.with_columns(pool_moved=True), on=LIST_KEY, how="left")
        .join(entries.with_columns(entry_differs=True), on=LIST_KEY, how="left")
        .join(bases[0], on=LIST_KEY, how="left")
        .join(bases[1], on=LIST_KEY, how="left")
    )
    flags = (
        *("comes_or_goes", "k_differs", "flag_differs", "k_moved", "games_moved", "pool_moved", "entry_differs"),
        "hundredths_differ",
    )
    known = players.with_columns(
        pl.col(flags).fill_null(value=False),
        pl.col("changed").fill_null([]),
        rating=pl.coalesce("new_rating", "state_rating_new"),
        old_rating=pl.coalesce("old_rating", "state_rating"),
    )
    other_change = (pl.col("old_rating") - pl.col("base")).ne(pl.col("rating") - pl.col("base_new"))
    other_sum = other_change.fill_null(value=True) | pl.col("old_games").ne_missing(pl.col("new_games"))
    return known.with_columns(
        sum_differs=other_sum
        | pl.any_horizontal("comes_or_goes", "games_moved", "pool_moved", "entry_differs", "hundredths_differ")
    )


def _keys_differing(before: pl.DataFrame, after: pl.DataFrame) -> pl.DataFrame:
    columns = before.columns
    gone = before.join(after, on=columns, how="anti", nulls_equal=True)
    come = after.join(before, on=columns, how="anti", nulls_equal=True)
    return pl.concat([gone, come]).select(LIST_KEY).unique()


def _bases(tables: Mapping[str, pl.DataFrame], name: str, keys: pl.DataFrame) -> pl.DataFrame:
    """Return the rating that the change of each player of ``keys`` is added to; without a change, that on the list."""
    listed = tables["lists"].join(keys, on=LIST_KEY, how="semi").select(*LIST_KEY, "rating")
    changed = tables["changes"].join(keys, on=LIST_KEY, how="semi").select(*LIST_KEY, "old_rating", has_change=True)
    return listed.join(changed, on=LIST_KEY, how="full", coalesce=True).select(
        *LIST_KEY,
        pl.when(pl.col("has_change").fill_null(value=False)).then("old_rating").otherwise("rating").alias(name),
    )


SHOWN = 50
"""How many players, those with the largest differences, a ``DIFF.md`` shows; ``diff.parquet`` has all."""


def diff_document(
    diff: pl.DataFrame,
    period: Period,
    revision: int,
    corrections: Sequence[Mapping[str, object]],
    rule_files: Mapping[str, str],
) -> Document:
    """Return what ``DIFF.md`` of a revision says.

    In: ``diff`` (``DIFF``); ``corrections``: those behind it, each with ``correction_no``, ``what``, ``reason``,
    ``who`` and ``reported_on``; ``rule_files``: by name, how each rule file of this list changed.
    """
    totals = [
        _totals(time_control, players)
        for (time_control,), players in diff.group_by("time_control", maintain_order=True)
    ]
    nothing = "no player of a list differs; other tables do, such as the results that wait for a first rating"
    parts: list[Part] = [Entries(totals or [nothing]), Heading("Corrections behind it")]
    files = sorted({name for names in diff["rule_files"] for name in names.split(", ") if name} | set(rule_files))
    if corrections:
        columns = ("correction_no", "what", "reason", "who", "reported_on")
        listed = [[correction[name] for name in columns] for correction in corrections]
        parts.append(Table(("number", "what", "reason", "who", "reported on"), listed, (True, *[False] * 4)))
    else:
        others = "None." if files else "None reaches what differs. Each row says what is behind it, where it is known."
        parts.append(Paragraph(others))
    if files:
        changes = [(Code(name), f": {rule_files.get(name, 'changed for an earlier list')}") for name in files]
        parts += [Heading("Rule files behind it"), Entries(changes)]
    farthest = diff.with_columns(pl.col("difference").abs().alias("distance")).sort(
        "distance", "time_control", "fide_id", descending=[True, False, False], nulls_last=False
    )
    parts.append(Heading("Players who differ"))
    if len(diff) > SHOWN:
        parts.append(
            Paragraph((f"The {SHOWN} largest differences of {len(diff):,}; ", Code("diff.parquet"), " has all."))
        )
    # An office that publishes no names has none here.
    named = {"list": "time_control", "FIDE ID": "fide_id"} | ({} if diff["name"].is_null().all() else {"name": "name"})
    head = (*named, "was", "is", "because", "corrections")
    lines = [
        [
            *(row[name] for name in named.values()),
            *(_number_text(row, when) for when in ("old", "new")),
            *(row[name] for name in ("because", "corrections")),
        ]
        for row in farthest.head(SHOWN).iter_rows(named=True)
    ]
    parts.append(Table(head, lines, [name in ("FIDE ID", "was", "is") for name in head]))
    return Document(f"The list of {period}, revision {revision}: what changed against revision {revision - 1}", parts)


def numbers_behind(diff: pl.DataFrame) -> set[int]:
    """Return the numbers of the corrections behind a diff (``DIFF``)."""
    return {int(number) for numbers in diff["corrections"] for number in numbers.split(", ") if number}


def _number_text(row: Mapping[str, Any], when: str) -> str:
    """Return the rating of a row, and rating and deviation with hundredths where the system has them."""
    rating, deviation = (row.get(f"{when}_{name}_hundredths") for name in ("rating", "deviation"))
    whole = shown(row[f"{when}_rating"])
    if rating is None or deviation is None:
        return whole
    return f"{whole} ({hundredths(rating)} ± {hundredths(deviation)})"


def _totals(time_control: object, players: pl.DataFrame) -> str:
    counts = players.select(
        (pl.col("difference") > 0).sum().alias("up"),
        (pl.col("difference") < 0).sum().alias("down"),
        pl.col("old_rating").is_null().sum().alias("came"),
        pl.col("new_rating").is_null().sum().alias("left"),
        pl.col("difference").abs().max().fill_null(0).alias("farthest"),
    ).row(0, named=True)
    differ = "player differs" if len(players) == 1 else "players differ"
    moved = "".join(
        f"; {counts[name]:,} {what}" for name, what in (("came", "added"), ("left", "removed")) if counts[name]
    )
    return (
        f"{time_control}: {len(players):,} {differ}; "
        f"{movement_text(counts['up'], counts['down'], counts['farthest'])}{moved}"
    )


LIST_KEY = ["time_control", "fide_id"]

MOVED = {
    "time_control": pl.String(),
    "fide_id": pl.Int64(),
    "month": pl.String(),
    "correction_no": pl.Int32(),
    "rule_file": pl.String(),
    "old_rating": pl.Int32(),
    "rating": pl.Int32(),
    "k_moved": pl.Boolean(),
    "games_moved": pl.Boolean(),
    "pool_moved": pl.Boolean(),
    "hundredths_moved": pl.Boolean(),
}
"""The players who differ on earlier lists: a row per list, and per correction and rule file behind it (null: none).

``rating`` is the player's rating on the new revision of that list, ``old_rating`` that on the one before. The state of
the player differs too, which only later lists show: ``k_moved``: the K from that list on; ``games_moved``: the games
counted for K, or the last game; ``pool_moved``: the results that wait for a first rating; ``hundredths_moved``: the
hundredths of rating and deviation, where a system has them.
"""

ORIGIN = ["correction_no", "rule_file"]
_STATE = ("games_played", "reached_2400", "reached_2300", "last_played")


def no_moves() -> pl.DataFrame:
    """Return an empty frame of :data:`MOVED`."""
    return pl.DataFrame(schema=MOVED)


def moved_by(diff: pl.DataFrame, period: Period) -> pl.DataFrame:
    """Return the published diff of a list as :data:`MOVED`; of the state it has what the list shows."""
    moves = diff.select(
        *LIST_KEY,
        pl.lit(str(period)).alias("month"),
        "corrections",
        "rule_files",
        "old_rating",
        pl.col("new_rating").alias("rating"),
        pl.col("old_k").ne_missing(pl.col("new_k")).alias("k_moved"),
        pl.col("old_games").ne_missing(pl.col("new_games")).alias("games_moved"),
        (pl.col("old_rating").is_null() | pl.col("new_rating").is_null()).alias("pool_moved"),
        hundredths_differ(diff).alias("hundredths_moved"),
    )
    return with_origins(moves)


def hundredths_differ(diff: pl.DataFrame) -> pl.Expr:
    """Return whether the hundredths of rating or deviation, or a system's own columns, differ in a row of a diff.

    False where it has none of these.
    """
    names = [name.removeprefix("old_") for name in diff.columns if name.startswith("old_") and name not in DIFF.columns]
    differ = [
        pl.col(f"old_{name}").ne_missing(pl.col(f"new_{name}")) for name in names if f"new_{name}" in diff.columns
    ]
    return pl.any_horizontal(differ) if differ else pl.lit(value=False)


def with_origins(moves: pl.DataFrame) -> pl.DataFrame:
    """Return ``moves``, whose origins are the texts ``corrections`` and ``rule_files``, as :data:`MOVED`."""
    exploded = moves.with_columns(
        pl.col("corrections").str.split(", ").alias("correction_no"),
        pl.col("rule_files").str.split(", ").alias("rule_file"),
    )
    for name in ORIGIN:
        exploded = exploded.explode(name, empty_as_null=True, keep_nulls=True)
    return exploded.with_columns(pl.col(name).replace("", None) for name in ORIGIN).select(
        pl.col(name).cast(dtype) for name, dtype in MOVED.items()
    )


def states_differing(before: pl.DataFrame, after: pl.DataFrame) -> pl.DataFrame:
    """Return the players whose state on a list differs: the key, ``was``, ``is``, ``k_moved`` and ``games_moved``.

    In: ``LIST_STATE`` of one month by two calculations. ``was`` and ``is`` are the ratings.
    """
    columns = ["rating", "k", *_STATE]
    both = before.select(*LIST_KEY, *columns).join(
        after.select(*LIST_KEY, *columns), on=LIST_KEY, how="full", coalesce=True, suffix="_new"
    )
    games = pl.any_horizontal(pl.col(name).ne_missing(pl.col(f"{name}_new")) for name in _STATE)
    k = pl.col("k").ne_missing(pl.col("k_new"))
    return both.select(
        *LIST_KEY,
        pl.col("rating").alias("was"),
        pl.col("rating_new").alias("is"),
        k.alias("k_moved"),
        games.alias("games_moved"),
    ).filter(pl.col("was").ne_missing(pl.col("is")) | pl.col("k_moved") | pl.col("games_moved"))


def carried_on(moved: pl.DataFrame, base: str, states: pl.DataFrame, period: Period) -> pl.DataFrame:
    """Return :data:`MOVED` of a list of which no table differs: what is carried through it, from the ``base`` list.

    ``states``: :func:`states_differing` of the list, or of a revision that was taken back. Waiting results are a table,
    so none differ.
    """
    carried = states.join(moved.filter(pl.col("month") == base).select(*LIST_KEY, *ORIGIN), on=LIST_KEY, how="left")
    return carried.select(
        *LIST_KEY,
        pl.lit(str(period)).alias("month"),
        *ORIGIN,
        pl.col("was").alias("old_rating"),
        pl.col("is").alias("rating"),
        "k_moved",
        "games_moved",
        pl.lit(value=False).alias("pool_moved"),
        pl.lit(value=False).alias("hundredths_moved"),
    ).select(*MOVED)


@dataclass(frozen=True, slots=True)
class Chain:
    """What leads to a list: the lists before it and the corrections.

    ``period``: the list. ``base``: the month of the list that it was calculated from. ``moved``:
    :data:`~ratinglist.corrections.diff.MOVED` of the lists before. ``touched``:
    :data:`~ratinglist.tables.TOUCHED`. ``rule_files``: the names of those changed since.
    """

    period: Period
    base: str
    moved: pl.DataFrame
    touched: pl.DataFrame
    rule_files: Collection[str] = ()


def find_causes(
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
        causes: pl.DataFrame = connection.sql("select * from cause").pl()
        return causes, {number for (number,) in connection.execute(_query("reaching")).fetchall()}


def _texts(rows: list[tuple[str, str]], *columns: str) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String()), orient="row")


def _query(name: str) -> str:
    return (resources.sql("causes") / f"{name}.sql").read_text(encoding="utf-8")
