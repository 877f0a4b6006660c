"""The inputs and the result of one month's calculation, and the lists that its events refer to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import polars as pl

from ratinglist.period import Period
from ratinglist.rating.rules import RuleBook, RuleSet, SystemRuleSet
from ratinglist.rating.systems.own_state import NO_STATE
from ratinglist.reasons import GAME_REASONS
from ratinglist.tables import (
    GAME,
    IMPORTED_PLAYER,
    POOLED_GAME,
    REFERENCE_RATING,
    SYSTEM_GAME,
    SYSTEM_STATE,
    Table,
    dictionary_encode,
    encode_columns,
    own_columns,
)


@dataclass(frozen=True, slots=True)
class MonthInputs:
    """Everything that the calculation of one month reads.

    ``lists``: :data:`~ratinglist.tables.LIST_STATE` of every list before ``period`` that is still needed. Changes are
    added to the newest month of each time control; the others were in force when some event started.
    ``players``: :data:`~ratinglist.tables.PLAYER`, one row per known FIDE ID.
    ``reports``: :data:`~ratinglist.tables.REPORT`, versions received before the list takes effect, refused ones too.
    ``report_players``: at least ``report_id`` and ``fide_id`` of the accepted reports (``REPORT_PLAYER``).
    ``report_games``: games of the accepted reports (``REPORT_GAME`` without the line numbers). In both frames
    ``report_id`` may be a Polars Enum of the ids.
    ``pool``: the pool after the list before (``POOL``).
    ``earlier_events``: every report that an earlier list settled (``EARLIER_EVENT``).
    ``earlier_games``: games that earlier lists rated and that these reports may contain again (``EARLIER_GAME``).
    ``withdrawn``: ``report_id`` of the reports that a correction withdrew. ``without_name``: of those whose name of the
    event has a date of birth, and is not published.
    ``system_state``: what a system keeps of the players on the list before (``SYSTEM_STATE``). ``own_state``: what it
    keeps in a table of its own.
    ``pooled_games``: the games of the results that wait in the pool (``POOLED_GAME``), where a system needs them.
    ``imported``: what the imported lists have of their players (``IMPORTED_PLAYER``), for another system than FIDE's.
    ``references``: the ratings of the reference lists that are still needed (``REFERENCE_RATING``).
    ``lists_there``: the time controls and months of ``lists`` (:func:`distinct_lists`).
    """

    period: Period
    family: str
    rules: RuleBook
    lists: pl.DataFrame
    players: pl.DataFrame
    reports: pl.DataFrame
    report_players: pl.DataFrame
    report_games: pl.DataFrame
    pool: pl.DataFrame
    earlier_events: pl.DataFrame
    earlier_games: pl.DataFrame
    withdrawn: pl.Series = field(default_factory=lambda: pl.Series("report_id", [], dtype=pl.String))
    without_name: pl.Series = field(default_factory=lambda: pl.Series("report_id", [], dtype=pl.String))
    system_state: pl.DataFrame = field(default_factory=SYSTEM_STATE.empty)
    own_state: pl.DataFrame = field(default_factory=lambda: NO_STATE)
    pooled_games: pl.DataFrame = field(default_factory=POOLED_GAME.empty)
    references: pl.DataFrame = field(default_factory=REFERENCE_RATING.empty)
    imported: pl.DataFrame = field(default_factory=IMPORTED_PLAYER.empty)
    lists_there: pl.DataFrame = field(init=False)

    def __post_init__(self) -> None:
        """Compute ``lists_there`` once."""
        object.__setattr__(self, "lists_there", distinct_lists(self.lists))


@dataclass(frozen=True, slots=True)
class MonthResult:
    """Everything that the calculation of one month computes, each table in its published order.

    ``events``: ``EVENT`` followed by ``event_no``, ``rule_set`` (null where the event is not rated) and ``report_id``.
    ``sides``: ``SIDE``. ``changes``: ``CHANGE``. ``entries``: ``ENTRY``. ``pool``: ``POOL``. ``list_state``:
    ``LIST_STATE`` of the new list, unrated players with a state included. ``coincidences``: games of two events that
    look like one game and both count (:class:`~ratinglist.rating.duplicate_games.DuplicateGames`). ``system_state``:
    ``SYSTEM_STATE``, empty unless the system keeps more of a player. Another system than FIDE's has the columns of
    ``SYSTEM_PUBLISHED``.
    """

    events: pl.DataFrame
    sides: pl.DataFrame
    changes: pl.DataFrame
    entries: pl.DataFrame
    pool: pl.DataFrame
    list_state: pl.DataFrame
    coincidences: pl.DataFrame = field(default_factory=pl.DataFrame)
    system_state: pl.DataFrame = field(default_factory=SYSTEM_STATE.empty)
    own_state: pl.DataFrame = field(default_factory=lambda: NO_STATE)

    @property
    def games(self) -> pl.DataFrame:
        """Return the sides as they are published (``GAME``)."""
        return decode_games(self.sides, self.events)


@dataclass(frozen=True, slots=True)
class JudgedMonth:
    """The events of a month with their participants and the sides of their games.

    ``events``: :func:`~ratinglist.rating.event_verdicts.judge_events`. ``participants``:
    :func:`~ratinglist.rating.participants.join_ratings`. ``sides``:
    :func:`~ratinglist.rating.player_games.sides_of_games`; ``event_row``, ``participant_row`` and ``opponent_row`` are
    rows of the other two frames. ``duplicate_sides``: those that count in another report
    (:func:`~ratinglist.rating.duplicate_games.find_duplicate_games`). ``coincidences``: see :class:`MonthResult`.
    """

    events: pl.DataFrame
    participants: pl.DataFrame
    sides: pl.DataFrame
    duplicate_sides: pl.DataFrame
    coincidences: pl.DataFrame


def decode_games(sides: pl.DataFrame, events: pl.DataFrame) -> pl.DataFrame:
    """Return ``sides`` (``SIDE``) as published (``GAME``), in the same order; ``events``: see :class:`GameDecoder`."""
    return _game_table(sides).conform(GameDecoder(events).decode(sides))


def _game_table(sides: pl.DataFrame) -> Table:
    """Return the table that these sides are published as: with a system's columns where they have them."""
    return SYSTEM_GAME.extended(own_columns(sides.schema)) if "expected_thousandths" in sides.columns else GAME


class GameDecoder:
    """Convert sides (``SIDE``) to published games (``GAME``): event numbers become codes, names and reasons.

    ``events`` have consecutive ``event_no``, and ``time_control``, ``event_id``, ``rule_set`` and ``reason``. The texts
    are dictionary-encoded once here and gathered by event number for every frame of sides.
    """

    def __init__(self, events: pl.DataFrame) -> None:
        numbered = events.sort("event_no")
        self._first_event_no = 0 if numbered.is_empty() else numbered.item(0, "event_no")
        texts = ["time_control", "event_id", "rule_set"]
        self._event_texts = encode_columns(numbered.select(texts), texts)
        # One series of reasons: those of games in the order of SIDE's Enum, then that of each event.
        game_reasons = pl.Series(["", *GAME_REASONS])
        self._first_event_reason = len(game_reasons)
        self._reasons = dictionary_encode(pl.concat([game_reasons, numbered["reason"]]))

    def decode(self, sides: pl.DataFrame) -> pl.DataFrame:
        """Return ``sides`` (``SIDE``) with the columns of ``GAME``, in the same order, text dictionary-encoded."""
        event_row = pl.col("event_no") - self._first_event_no
        game_reason = pl.col("reason").to_physical().cast(pl.UInt32)
        reason = pl.coalesce(game_reason, event_row + self._first_event_reason)
        is_rated = (pl.col("reason") == "").fill_null(value=False)
        return _game_table(sides).conform_encoded(
            sides.with_columns(
                *(pl.lit(texts).gather(event_row) for texts in self._event_texts),
                pl.lit(_COLOURS).gather(pl.col("is_white").cast(pl.UInt32)).alias("colour"),
                pl.when(is_rated).then(pl.col("rating") - pl.col("opponent_rating")).alias("difference"),
                is_rated.alias("rated"),
                pl.lit(self._reasons).gather(reason).alias("reason"),
            )
        )


_COLOURS = pl.Series(["b", "w"], dtype=pl.Enum(["b", "w"]))


def by_fide_id(rows: pl.DataFrame) -> pl.DataFrame:
    """Return ``rows`` sorted by ``fide_id`` and flagged as sorted; sorted rows are not sorted again."""
    return rows.set_sorted("fide_id") if rows["fide_id"].is_sorted() else rows.sort("fide_id")


def distinct_lists(states: pl.DataFrame) -> pl.DataFrame:
    """Return the ``time_control`` and ``month`` of every list in ``states`` (``LIST_STATE``), once each, sorted.

    The rows of one list are mostly neighbours. So only rows that differ from the row before go into ``unique``.
    """
    keys = pl.col("time_control", "month")
    firsts = states.lazy().select(keys).filter(pl.any_horizontal(keys.ne_missing(keys.shift(1))))
    return firsts.unique().sort("time_control", "month").collect()


def rules_of_list(inputs: MonthInputs) -> dict[str, RuleSet]:
    """Return the new list's rule set by time control, for those with an earlier list and a rule set in force."""
    in_force = {
        time_control: inputs.rules.on(inputs.family, time_control, inputs.period.first_day)
        for time_control in inputs.lists_there["time_control"].unique(maintain_order=True)
    }
    return {time_control: rule_set for time_control, rule_set in in_force.items() if rule_set is not None}


def system_of(inputs: MonthInputs) -> SystemRuleSet | None:
    """Return the rule set of a family of another system than FIDE's, which has one time control; else None."""
    return next((one for one in rules_of_list(inputs).values() if isinstance(one, SystemRuleSet)), None)


def newest_list(lists: pl.DataFrame, time_control: str) -> pl.DataFrame:
    """Return the newest list of a time control: changes are added to it, K is judged on it."""
    is_of_control = pl.col("time_control") == time_control
    month = lists.select(pl.col("month").filter(is_of_control).max()).item()
    found = lists.filter(is_of_control & (pl.col("month") == month))
    # As literals, of which Polars keeps one value and not one for each row.
    texts = {"month": month, "time_control": time_control}
    return found.with_columns(pl.lit(text).alias(name) for name, text in texts.items())


def ratings_at_start(
    lists: pl.DataFrame, time_control: str, base_month: str, standard_month: str | None
) -> pl.DataFrame:
    """Return every player's rating when an event started: ``fide_id``, ``at_start`` and ``stands_in``.

    ``base_month`` is the list of the time control in force then. ``standard_month`` is the standard list in force, or
    None unless the event's rule set lets a standard rating stand in for a missing one (RB 7.2.1). ``stands_in`` is true
    for those ratings.
    """
    own = _rated_on(lists, time_control, base_month).with_columns(pl.lit(value=False).alias("stands_in"))
    if standard_month is None:
        return own
    standard = _rated_on(lists, "standard", standard_month).with_columns(pl.lit(value=True).alias("stands_in"))
    return pl.concat([own, standard.join(own, on="fide_id", how="anti")])


def _rated_on(lists: pl.DataFrame, time_control: str, month: str) -> pl.DataFrame:
    return lists.filter(
        (pl.col("time_control") == time_control) & (pl.col("month") == month) & pl.col("rating").is_not_null()
    ).select("fide_id", pl.col("rating").alias("at_start"))


def by_lists_in_force(rows: pl.DataFrame, lists: pl.DataFrame) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    """Yield ``rows`` in parts, each with :func:`ratings_at_start` on its lists in force: there are only a few.

    ``rows`` have ``time_control``, ``base_month`` and ``standard_month``; the parts are without these columns.
    """
    in_force = ["time_control", "base_month", "standard_month"]
    for time_control, base_month, standard_month in rows.select(in_force).unique().sort(in_force).iter_rows():
        part = rows.filter(
            (pl.col("time_control") == time_control)
            & (pl.col("base_month") == base_month)
            & pl.col("standard_month").eq_missing(pl.lit(standard_month, dtype=pl.String))
        )
        yield part.drop(in_force), ratings_at_start(lists, time_control, base_month, standard_month)
