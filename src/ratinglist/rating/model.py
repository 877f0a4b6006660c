"""What the calculation of one month reads and what it gives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import polars as pl

from ratinglist.period import Period
from ratinglist.rating.rules import RuleBook, RuleSet
from ratinglist.reasons import GAME_REASONS
from ratinglist.schemas import GAME, dictionary_encode


@dataclass(frozen=True, slots=True)
class MonthInputs:
    """Everything a month's calculation reads.

    ``lists``: :data:`~ratinglist.schemas.LIST_STATE` of every list before ``period`` that is still needed; the newest
    month of each time control is what changes are added to, the others are in force at some event's start.
    ``players``: :data:`~ratinglist.schemas.PLAYER`, one row per known FIDE ID.
    ``reports``: :data:`~ratinglist.schemas.REPORT`, versions received before the list takes effect, refused ones too.
    ``report_players``: at least ``report_id`` and ``fide_id`` of the accepted ones (``REPORT_PLAYER``).
    ``report_games``: those of the accepted ones (``REPORT_GAME``, its lines left out). In both, ``report_id`` may be a
    Polars Enum of the ids.
    ``pool``: the pool after the list before (``POOL``).
    ``earlier_events``: every report an earlier list settled (``EARLIER_EVENT``).
    ``earlier_games``: games that earlier lists rated and that may stand in these reports again (``EARLIER_GAME``).
    ``withdrawn``: ``report_id`` of the reports that a correction withdrew.
    ``lists_there``: which lists those are (:func:`distinct_lists`).
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
    lists_there: pl.DataFrame = field(init=False)

    def __post_init__(self) -> None:
        """Look once which ``lists`` there are."""
        object.__setattr__(self, "lists_there", distinct_lists(self.lists))


@dataclass(frozen=True, slots=True)
class MonthResult:
    """What a month's calculation gives, each in its published order.

    ``events``: ``EVENT`` and, last, ``event_no``, ``rule_set`` (null where it is not rated) and ``report_id``.
    ``sides``: ``SIDE``. ``changes``: ``CHANGE``. ``entries``: ``ENTRY``. ``pool``: ``POOL``. ``list_state``:
    ``LIST_STATE`` of the new list, unrated players with state included.
    """

    events: pl.DataFrame
    sides: pl.DataFrame
    changes: pl.DataFrame
    entries: pl.DataFrame
    pool: pl.DataFrame
    list_state: pl.DataFrame

    @property
    def games(self) -> pl.DataFrame:
        """The sides as they are published (``GAME``)."""
        return decode_games(self.sides, self.events)


def decode_games(sides: pl.DataFrame, events: pl.DataFrame) -> pl.DataFrame:
    """The ``sides`` (``SIDE``) as published (``GAME``), in the same order; ``events``: see :class:`GameDecoder`."""
    return GAME.conform(GameDecoder(events).decode(sides))


class GameDecoder:
    """The words that numbers stand for in the sides of some events.

    ``events`` are numbered one after the other, with ``event_no``, ``time_control``, ``event_id``, ``rule_set`` and
    ``reason``.
    """

    def __init__(self, events: pl.DataFrame) -> None:
        of_event = events.sort("event_no")
        self._first = 0 if of_event.is_empty() else of_event.item(0, "event_no")
        self._words = of_event.select(
            dictionary_encode(of_event[name]) for name in ("time_control", "event_id", "rule_set")
        )
        # The reasons of events stand behind those of games.
        own = pl.Series(["", *GAME_REASONS])
        self._own = len(own)
        self._reasons = dictionary_encode(pl.concat([own, of_event["reason"]]))

    def decode(self, sides: pl.DataFrame) -> pl.DataFrame:
        """The ``sides`` (``SIDE``) with the columns of ``GAME``, in the same order, words as numbers of words."""
        place = pl.col("event_no") - self._first
        reason = pl.coalesce(pl.col("reason").to_physical().cast(pl.UInt32), place + self._own)
        is_rated = pl.col("change_hundredths").is_not_null()
        return GAME.conform_encoded(
            sides.with_columns(
                *(pl.lit(words).gather(place) for words in self._words),
                pl.lit(_COLOURS).gather(pl.col("is_white").cast(pl.UInt32)).alias("colour"),
                pl.when(is_rated).then(pl.col("rating") - pl.col("opponent_rating")).alias("difference"),
                is_rated.alias("rated"),
                pl.lit(self._reasons).gather(reason).alias("reason"),
            )
        )


_COLOURS = dictionary_encode(pl.Series(["b", "w"]))


def by_fide_id(rows: pl.DataFrame) -> pl.DataFrame:
    """``rows`` sorted by ``fide_id``, and known to be: those that stand so already are not sorted again."""
    return rows.set_sorted("fide_id") if rows["fide_id"].is_sorted() else rows.sort("fide_id")


def distinct_lists(states: pl.DataFrame) -> pl.DataFrame:
    """Which lists there are rows of: ``time_control`` and ``month`` of ``LIST_STATE``, once each, sorted.

    The rows of a list mostly stand together, and words that are those of the row before need not be looked up.
    """
    words = pl.col("time_control", "month")
    firsts = states.lazy().select(words).filter(pl.any_horizontal(words.ne_missing(words.shift(1))))
    return firsts.unique().sort("time_control", "month").collect()


def rules_of_list(inputs: MonthInputs) -> dict[str, RuleSet]:
    """The rule set of the new list for each time control that has an earlier list and a text in force, by name."""
    day = inputs.period.first_day
    found = {
        time_control: inputs.rules.on(inputs.family, time_control, day)
        for time_control in inputs.lists_there["time_control"].unique(maintain_order=True)
    }
    return {time_control: rule_set for time_control, rule_set in found.items() if rule_set is not None}


def newest_list(lists: pl.DataFrame, time_control: str) -> pl.DataFrame:
    """The newest list of a time control: what changes are added to and K is judged on."""
    of_control = lists.filter(pl.col("time_control") == time_control)
    return of_control.filter(pl.col("month") == pl.col("month").max())


def ratings_at_start(
    lists: pl.DataFrame, time_control: str, base_month: str, standard_month: str | None
) -> pl.DataFrame:
    """Everybody's rating when an event started: ``fide_id``, ``at_start`` and ``stands_in``.

    ``base_month`` is the list of the time control in force then. ``standard_month`` is the standard list in force,
    given where the event's rule set lets a standard rating stand in for a missing one (RB 7.2.1); ``stands_in`` marks
    those.
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
    """``rows`` in parts, each with :func:`ratings_at_start` for the lists in force: there are only a handful.

    ``rows`` has ``time_control``, ``base_month`` and ``standard_month``; they are left out of the parts.
    """
    in_force = ["time_control", "base_month", "standard_month"]
    for time_control, base_month, standard_month in rows.select(in_force).unique().sort(in_force).iter_rows():
        part = rows.filter(
            (pl.col("time_control") == time_control)
            & (pl.col("base_month") == base_month)
            & pl.col("standard_month").eq_missing(pl.lit(standard_month, dtype=pl.String))
        )
        yield part.drop(in_force), ratings_at_start(lists, time_control, base_month, standard_month)
