"""Games that two reports contain: two slices of a long event, or one event under two codes. Each game counts once.

Once two codes are plainly one event, it counts once as a whole, under the code received first: the other may be
corrected. Two reports that share only a part of their games, as slices do, are compared game by game.

Only games whose players met in the same round with the same colours elsewhere are compared.
"""

from __future__ import annotations

import polars as pl

from ratinglist.messages import EVENT_REASONS
from ratinglist.tables import EARLIER_GAME

SAME_GAME = ["time_control", "round", "white_id", "black_id"]
_OF_EACH = ("event_code", "name", "white_halves", "black_halves")
COINCIDENCE = pl.Schema(
    {
        **{f"{name}{suffix}": EARLIER_GAME.columns[name].dtype for suffix in ("", "_first") for name in _OF_EACH},
        **{name: EARLIER_GAME.columns[name].dtype for name in (*SAME_GAME, "date")},
        "both_count": pl.Boolean(),
    }
)
"""A game of an event of this list, and the other event (``_first``) that has a game like it.

``both_count``: false where the two events are one, they differ in this game, and what the other event says counts. Its
scores (``_first``) are null where the other event has no such game.
"""


def on_two_days(other: str) -> pl.Expr:
    """Return whether two games of one code were played on two different days and so are two games.

    Needs ``date``, ``start_date`` and ``end_date`` of both, those of the second with the suffix ``other``. A date
    outside the days of its report is ignored: a file with all rounds so far may correct the date of an earlier round.
    """
    days = []
    for suffix in ("", other):
        day, start, end = (pl.col(f"{name}{suffix}") for name in ("date", "start_date", "end_date"))
        days.append(pl.when(day.is_between(start, end)).then(day))
    return (days[0] != days[1]).fill_null(value=False)


def find_duplicate_games(games: pl.DataFrame, earlier: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the games of this list's rated events that count in another event or slice, and the coincidences.

    In: ``games``: one row per game with the columns of :data:`~ratinglist.tables.EARLIER_GAME` and its ``event_id``
    in this list; ``earlier``: games that earlier lists rated. Out: ``event_id`` and :data:`SAME_GAME`; and
    :data:`COINCIDENCE`: games of two events that look like one game and both count, because the events are not plainly
    the same, and games of one event that have two results.

    Within one registration code, two games of the same players in the same round are the same game, whatever the
    result, unless they were played on two different days; the newest version counts it. Under two codes, they look
    alike if the result is the same too, and the date, or, where a report gives no date, the name and federation of two
    events with a day in common. Two events are plainly the same if they have such a game, and their names and
    federations agree, or at least half of the played games of the smaller report look like games of the other. Then
    games of the same players in the same round are the same game, whatever the result, as within one code: one of the
    two may have been corrected. Otherwise both count: two players may meet twice on a day. The code of which the first
    version was received first counts the game, by its newest version. One that an earlier list rated stays.
    """
    paired = _met_twice(games, earlier)
    is_earlier = pl.col("event_id").is_null()  # sorted first: a game that an earlier list rated stays
    newest_first: list[pl.Expr | str] = [
        ~is_earlier,
        -pl.col("version"),
        -pl.col("received_on").to_physical(),
        "start_date",
        "event_id",
    ]
    in_code = _repeated(
        paired, newest_first, (pl.col("event_code") == pl.col("event_code_first")) & ~on_two_days("_first")
    )
    remaining = paired.join(in_code, on=["event_id", *SAME_GAME], how="anti", nulls_equal=True)
    by_code: list[pl.Expr | str] = [~is_earlier, "first_received_on", "event_code", "start_date", "event_id"]
    same_events = _plainly_the_same(paired)
    under_two_codes = _repeated(remaining, by_code, _UNDER_TWO_CODES & ~on_two_days("_first"), same_events)
    counted = remaining.join(under_two_codes, on=["event_id", *SAME_GAME], how="anti", nulls_equal=True)
    omitted = remaining.join(under_two_codes, on=["event_id", *SAME_GAME], how="semi", nulls_equal=True)
    coincidences = pl.concat([_coincidences(counted), _with_two_results(omitted, counted, same_events)])
    return pl.concat([in_code, under_two_codes]), coincidences


def _met_twice(games: pl.DataFrame, earlier: pl.DataFrame) -> pl.DataFrame:
    """Return the games, those of ``earlier`` lists without ``event_id``, whose players met in two reports."""
    both = pl.concat([earlier.with_columns(pl.lit(None, pl.String).alias("event_id")), games], how="diagonal")
    return both.filter(pl.struct(SAME_GAME).is_duplicated())


def possible_copies(games: pl.DataFrame, earlier: pl.DataFrame) -> pl.DataFrame:
    """Return the pairs of events under two codes of which one may be a copy of the other, received first.

    In: as :func:`find_duplicate_games`. Out: ``event_id``, ``report_id``, ``report_id_first``, ``order``. More than
    half of the played games of each look like games of the other, and the copy has no round before or after those of
    the first. An event that an earlier list rated precedes, then the code of which the first version was received
    first.
    """
    by_code: list[pl.Expr | str] = [
        pl.col("event_id").is_not_null().alias("is_new"),
        "first_received_on",
        "event_code",
        "start_date",
        "event_id",
    ]
    ordered = _met_twice(games, earlier).with_columns(pl.struct(by_code).rank("dense").alias("order"))
    return (
        ordered.filter(pl.col("event_id").is_not_null())
        .join(ordered, on=SAME_GAME, suffix="_first")
        .filter(
            _UNDER_TWO_CODES,
            _LOOK_ALIKE,
            pl.col("order_first") < pl.col("order"),
            pl.col("first_round") >= pl.col("first_round_first"),
            pl.col("last_round") <= pl.col("last_round_first"),
        )
        .group_by("event_id", "report_id", "report_id_first", "order", "order_first")
        .agg(pl.len().alias("alike"), pl.max_horizontal("games", "games_first").first().alias("larger"))
        .filter(2 * pl.col("alike") > pl.col("larger"))
        .sort("order", "order_first")
        .select("event_id", "report_id", "report_id_first", "order")
    )


def find_copied_events(
    pairs: pl.DataFrame, copied: pl.DataFrame, games: pl.DataFrame
) -> tuple[pl.Series, pl.DataFrame]:
    """Return the ``event_id`` of the events of ``pairs`` that are copies, and the games in which they differ.

    The differences (:data:`COINCIDENCE`) are those from the event that counts.

    In: ``pairs``: :func:`possible_copies`; ``copied``: every game of the events that may be copies; ``games``: those of
    the others that are compared, of earlier lists too. Each game of a copy has a player who has a game in common with
    the first: a report of two groups is no copy of the report of one.
    """
    compared = copied.join(pairs.select("event_id", "report_id_first"), on="event_id").join(
        games.select("report_id", *SAME_GAME, *_OF_EACH, "date", "start_date", "end_date"),
        left_on=["report_id_first", *SAME_GAME],
        right_on=["report_id", *SAME_GAME],
        how="left",
        suffix="_first",
    )
    is_there = pl.col("event_code_first").is_not_null()
    pair = ["event_id", "report_id_first"]
    in_common = pl.concat(
        compared.filter(is_there).select(*pair, pl.col(side).alias("fide_id")) for side in ("white_id", "black_id")
    ).unique()
    strange = compared.filter(~is_there)
    for side in ("white_id", "black_id"):
        strange = strange.join(in_common, left_on=[*pair, side], right_on=[*pair, "fide_id"], how="anti")
    pairs = pairs.join(strange, on=pair, how="anti", maintain_order="left")
    of_report: dict[str, str] = {}
    counts_in: list[dict[str, object]] = []
    # A loop over the few copies: an event that is a copy itself has no copies.
    for event_id, report_id, first, _ in pairs.iter_rows():
        if report_id not in of_report and first not in of_report:
            of_report[report_id] = event_id
            counts_in.append({"event_id": event_id, "report_id_first": first})
    chosen = pl.DataFrame(counts_in, schema=pairs.select(pair).schema)
    names = compared.filter(is_there).group_by(pair).agg(pl.col("event_code_first", "name_first").first())
    differences = (
        compared.drop("event_code_first", "name_first")
        .join(chosen, on=pair, how="semi")
        .join(names, on=pair)
        .filter(pl.col("white_halves_first").is_null() | (~_RESULTS_AGREE & ~on_two_days("_first")))
        .with_columns(pl.lit(value=False).alias("both_count"))
        .select(COINCIDENCE.names())
        .sort(pl.all())
    )
    return chosen["event_id"], differences


_UNDER_TWO_CODES = pl.col("event_code") != pl.col("event_code_first")
_RESULTS_AGREE = (pl.col("white_halves") == pl.col("white_halves_first")) & (
    pl.col("black_halves") == pl.col("black_halves_first")
)
_NAMES_AGREE = (pl.col("name") == pl.col("name_first")) & (pl.col("federation") == pl.col("federation_first"))
# The pairs of one code that remain have two different dates.
_LOOK_ALIKE = _RESULTS_AGREE & pl.when(pl.col("date").is_not_null() & pl.col("date_first").is_not_null()).then(
    pl.col("date") == pl.col("date_first")
).otherwise(
    _NAMES_AGREE
    & (pl.col("start_date") <= pl.col("end_date_first"))
    & (pl.col("end_date") >= pl.col("start_date_first"))
)


def _plainly_the_same(games: pl.DataFrame) -> pl.DataFrame:
    """Return the pairs of reports under two codes that report one event: ``report_id`` and ``report_id_first``."""
    pairs = games.join(games, on=SAME_GAME, suffix="_first").filter(_UNDER_TWO_CODES & _LOOK_ALIKE)
    return (
        pairs.group_by("report_id", "report_id_first")
        .agg(
            pl.len().alias("alike"),
            pl.min_horizontal("games", "games_first").first().alias("smaller"),
            _NAMES_AGREE.first().alias("names_agree"),
        )
        .filter(pl.col("names_agree") | (2 * pl.col("alike") >= pl.col("smaller")))
        .select("report_id", "report_id_first")
    )


def _coincidences(counted: pl.DataFrame) -> pl.DataFrame:
    """Return the games that look alike under two codes and both count, the one of this list first."""
    return (
        counted.filter(pl.col("event_id").is_not_null())
        .join(counted, on=SAME_GAME, suffix="_first")
        .filter(_UNDER_TWO_CODES, _LOOK_ALIKE)
        # Of two events of this list, each pair once.
        .filter(pl.col("event_id_first").is_null() | (pl.col("event_code_first") < pl.col("event_code")))
        .with_columns(pl.lit(value=True).alias("both_count"))
        .select(COINCIDENCE.names())
        .unique()
        .sort(pl.all())
    )


def _with_two_results(omitted: pl.DataFrame, counted: pl.DataFrame, same_events: pl.DataFrame) -> pl.DataFrame:
    """Return the games that count in another event with another result (:data:`COINCIDENCE`)."""
    return (
        omitted.join(counted, on=SAME_GAME, suffix="_first")
        .join(same_events, on=["report_id", "report_id_first"], how="semi")
        .filter(_UNDER_TWO_CODES, ~_RESULTS_AGREE, ~on_two_days("_first"))
        .with_columns(pl.lit(value=False).alias("both_count"))
        .select(COINCIDENCE.names())
        .unique()
        .sort(pl.all())
    )


def _repeated(
    games: pl.DataFrame, order: list[pl.Expr | str], same: pl.Expr, same_events: pl.DataFrame | None = None
) -> pl.DataFrame:
    """Return the games of this list that are the ``same`` as a game that counts and precedes them in ``order``.

    ``same_events``: the pairs of reports that are compared (:func:`_plainly_the_same`); all where it is None.
    """
    position = pl.int_range(pl.len(), dtype=pl.UInt32).over(SAME_GAME, order_by=order)
    ordered = games.with_columns(position.alias("position"))
    pairs = (
        ordered.filter(pl.col("event_id").is_not_null())
        .join(ordered, on=SAME_GAME, suffix="_first")
        .filter((pl.col("position_first") < pl.col("position")) & same)
        .select("event_id", *SAME_GAME, "position", "position_first", "report_id", "report_id_first")
    )
    if same_events is not None:
        pairs = pairs.join(same_events, on=["report_id", "report_id_first"], how="semi")
    # By position, because a game that is repeated itself does not count and so repeats no other.
    repeated = pairs.clear().select("event_id", *SAME_GAME, "position")
    for number in pairs["position"].unique().sort():
        repeats = (
            pairs.filter(pl.col("position") == number)
            .join(repeated, left_on=[*SAME_GAME, "position_first"], right_on=[*SAME_GAME, "position"], how="anti")
            .select("event_id", *SAME_GAME, "position")
            .unique()
        )
        repeated = pl.concat([repeated, repeats])
    return repeated.select("event_id", *SAME_GAME)


def each_game_once(
    events: pl.DataFrame, games: pl.DataFrame, earlier: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Let each game count once, whatever reports contain it.

    In: ``events`` (:func:`~ratinglist.rating.event_verdicts.judge_events`), their ``games``, and those that ``earlier``
    lists rated (``EARLIER_GAME``). Out: the events, copies of another one ``duplicate``; the games, with
    ``same_game``: it counts in another event; and the coincidences (:data:`COINCIDENCE`).
    """
    compared = _games_to_compare(events, games, earlier)
    if compared.is_empty():
        return events, games.with_columns(pl.lit(value=False).alias("same_game")), pl.DataFrame(schema=COINCIDENCE)
    pairs = possible_copies(compared, earlier)
    copied = _with_event_columns(games, events.filter(pl.col("report_id").is_in(pairs["report_id"].implode())))
    copies, differences = find_copied_events(pairs, copied, pl.concat([earlier, compared.select(earlier.columns)]))
    is_copy = pl.col("event_id").cast(pl.String).is_in(copies.implode())
    repeated, coincidences = find_duplicate_games(compared.filter(~is_copy), earlier)
    game = ["event_id", "round", "white_id", "black_id"]
    same = repeated.select(pl.col("event_id").cast(games.schema["event_id"]), *game[1:], same_game=pl.lit(value=True))
    return (
        events.with_columns(
            pl.when(is_copy).then(pl.lit("same_games")).otherwise("reason").alias("reason"),
            pl.when(is_copy).then(pl.lit(EVENT_REASONS["same_games"].status)).otherwise("status").alias("status"),
        ),
        games.join(same.unique(), on=game, how="left").with_columns(pl.col("same_game").fill_null(value=False)),
        pl.concat([coincidences, differences]),
    )


def _games_to_compare(events: pl.DataFrame, games: pl.DataFrame, earlier: pl.DataFrame) -> pl.DataFrame:
    """Return the games of rated events whose players met in that round elsewhere too, here or in ``earlier``."""
    rated = games.join(events.filter(pl.col("status") == "rated").select("event_id"), on="event_id", how="semi")
    pairing = ["round", "white_id", "black_id"]
    repeated = rated.filter(rated.select(pairing).is_duplicated())
    of_earlier = rated.join(earlier, on=pairing, how="semi").join(repeated, on=pairing, how="anti")
    return _with_event_columns(pl.concat([repeated, of_earlier]), events)


def _with_event_columns(games: pl.DataFrame, events: pl.DataFrame) -> pl.DataFrame:
    """Return the games of the rated ``events`` with the columns that :func:`find_duplicate_games` compares."""
    columns = [name for name in EARLIER_GAME.columns if name in events.columns]
    rated = events.filter(pl.col("status") == "rated")
    with_events = games.join(rated.select("event_id", *columns), on="event_id")
    return with_events.select(pl.col("event_id").cast(pl.String), *EARLIER_GAME.columns)
