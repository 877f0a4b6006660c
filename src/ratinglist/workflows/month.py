"""The list of a month in five steps, each on an open store.

::

    ingest -> judge -> rate -> check -> publish

The first is :func:`~ratinglist.workflows.load.load_delivery`; ``judge`` and ``rate`` stand here; the last two are
:func:`~ratinglist.publication.drafts.check` and :func:`~ratinglist.publication.drafts.publish`.
`ratinglist run` takes them in this order with one store. In the flow of the month each is a task, which opens the store
for itself. `ratinglist load`, `rate` and `publish` take their part of them.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from ratinglist.analysis import report_states
from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.messages import sentence
from ratinglist.period import Period
from ratinglist.publication.doubts import notes_on
from ratinglist.rating.event_verdicts import STATUS
from ratinglist.rating.model import MonthInputs, MonthResult, rules_of_list
from ratinglist.rating.month import Judged, judge_month, rate_judged
from ratinglist.rating.rules import SystemRuleSet
from ratinglist.settings import Settings
from ratinglist.store import calculations
from ratinglist.store.database import Store
from ratinglist.store.inputs import read_month_inputs
from ratinglist.store.rule_files import rule_book
from ratinglist.summaries import MonthSummary
from ratinglist.text import counted

JudgedInputs = tuple[MonthInputs, Judged]
"""What a list is calculated from, and its events judged."""


def judge(store: Store, settings: Settings, period: Period, rated_from: Period | None = None) -> JudgedInputs:
    """Read what the list of a month is calculated from and judge every event: rated, or why not. Nothing is written.

    It starts from the published lists before, or from the newest calculations of those from ``rated_from`` on, which
    are rated again together. Raises what :func:`check_can_be_calculated` raises, and :class:`NothingReadError` where
    the family has no rules for any of the lists before.
    """
    check_can_be_calculated(store, settings, period)
    settings.progress("reading the store", 0, 1)
    with store.as_published(calculations.calculated_from(store, rated_from or period)):
        inputs = read_month_inputs(store, period, settings.family, rule_book())
    if not rules_of_list(inputs):
        raise NothingReadError(_nothing_to_start_from(inputs))
    settings.progress("judging the events", 0, 1)
    return inputs, judge_month(inputs)


def verdicts(judged: JudgedInputs) -> pl.DataFrame:
    """Return the verdict on each event: ``event_id``, ``time_control``, ``status``, ``reason``, sorted by these.

    ``reason``: a code of ``messages.toml``, empty where the event is rated.
    """
    events, *_ = judged[1]
    return events.select("event_id", "time_control", "status", "reason").sort(pl.all())


def verdicts_text(verdicts: pl.DataFrame) -> str:
    """Return how many events are rated and how many are not, and a line for each reason why not."""
    counts = dict(verdicts["status"].value_counts(sort=True).sort("status").iter_rows())
    reasons = verdicts.filter(pl.col("reason") != "")["reason"].cast(pl.String).value_counts(sort=True)
    by_status = ", ".join(f"{count:,} {status}" for status, count in counts.items())
    lines = [f"  {count:,} {sentence(reason)}" for reason, count in reasons.sort("count", "reason").iter_rows()]
    return "\n".join([f"{counted(verdicts.height, 'event')}: {by_status or 'none'}", *lines])


def rate(store: Store, settings: Settings, judged: JudgedInputs) -> MonthSummary:
    """Rate the judged events, write the calculation, which then is the month's current one, and count what it holds."""
    inputs, events = judged
    settings.progress("rating", 0, 1)
    result = rate_judged(events, inputs)
    settings.progress("writing the tables", 0, 1)
    calculation = _written(store, settings, inputs, result, inputs.period)
    with store.as_published([str(inputs.period)]):
        return summarized(store, settings, inputs, result, calculation)


def calculate(store: Store, settings: Settings, period: Period, rated_from: Period) -> calculations.FiledCalculation:
    """Judge and rate a month without counting it, for a list that is made again; raises what :func:`judge` raises."""
    inputs, events = judge(store, settings, period, rated_from)
    return _written(store, settings, inputs, rate_judged(events, inputs), rated_from)


def _written(
    store: Store, settings: Settings, inputs: MonthInputs, result: MonthResult, rated_from: Period
) -> calculations.FiledCalculation:
    with store.as_published(calculations.calculated_from(store, rated_from)):
        return calculations.write_calculated(store, inputs, result, settings.today, rated_from)


def check_can_be_calculated(store: Store, settings: Settings, period: Period) -> None:
    """Raise where the list of a month can never be calculated here, before anything is received for it.

    Raises :class:`CommandLineError` for an unknown family, for a month in which the family publishes no list, for a
    month whose list was imported, for another family than that of the published list, and for one of another system
    than the list before, and :class:`NothingReadError` where no list is before that month.
    """
    rule_book().of(settings.family)
    _check_published_in(settings, period)
    if calculations.is_imported(store, period):
        raise CommandLineError(
            f"The list of {period} was imported; a calculation would replace it. "
            f"Calculate {period + 1}, which starts from it."
        )
    _check_has_a_list_before(store, period)
    _check_family(store, settings, period)


def _check_has_a_list_before(store: Store, period: Period) -> None:
    """Raise :class:`NothingReadError` where no list is before the month."""
    first = store.value("select min(month) from standing_list")
    if first is not None and first < str(period):
        return
    is_earlier = f" The first list here is of {first}; if another month was meant, give that one." if first else ""
    raise NothingReadError(
        f"There is no list before {period} to start from. Nothing was received or calculated.{is_earlier} To calculate "
        f"{period}, import one first: ratinglist import-list FILE --month {period - 1}"
    )


def _check_family(store: Store, settings: Settings, period: Period) -> None:
    """Raise :class:`CommandLineError` for another family than the published list's, or another system than before."""
    history, book, month = store.log.history, rule_book(), str(period)
    families = history.families()
    if month in history.current and families.get(month, settings.family) != settings.family:
        raise CommandLineError(
            f"The list of {month} is published by the family '{families[month]}', and no other calculates it again. "
            f"Nothing was received or calculated. Give the command with --rules {families[month]}. An office of "
            f"another system is a home of its own: ratinglist --home OTHER import-list FILE --month {period - 1}, "
            f"then ratinglist --home OTHER run {month} FOLDER --rules {settings.family}"
        )
    imported = store.value("select max(month) from imported_list where month < $month", month=month)
    before = max((other for other in history.standing_calculations() if (imported or "") < other < month), default="")
    family = families.get(before)
    if family in book.families and book.is_system(family) != book.is_system(settings.family):
        raise CommandLineError(
            f"The lists of this home are of the family '{family}' (the newest before {month} is that of {before}), "
            f"and '{settings.family}' calculates by another system: one list cannot start from the other. Nothing "
            f"was received or calculated. Leave out --rules {settings.family} here, or begin a second office for "
            f"it: ratinglist --home OTHER import-list FILE --month {period - 1}, then ratinglist --home OTHER run "
            f"{month} FOLDER --rules {settings.family}"
        )


def _check_published_in(settings: Settings, period: Period) -> None:
    """Raise :class:`CommandLineError` where the family publishes no list in that month of the year."""
    book, family = rule_book(), settings.family
    if book.publishes_in(family, period):
        return
    rule_set = book.in_force(family, period.first_day)[0]
    named = ", ".join(f"{month:02d}" for month in rule_set.months or ())
    raise CommandLineError(
        f"The family '{family}' publishes no list in {period}: its lists are those of the months {named} "
        f"({rule_set.articles['list.published_in']}). The next one is {book.next_list(family, period)}."
    )


def _nothing_to_start_from(inputs: MonthInputs) -> str:
    controls = inputs.lists_there["time_control"].unique().sort().to_list()
    return (
        f"The family '{inputs.family}' has no rule set on {inputs.period.first_day} for {', '.join(controls)}. "
        "Choose another family with --rules; `ratinglist rules` shows what there is."
    )


def summarized(
    store: Store,
    settings: Settings,
    inputs: MonthInputs,
    result: MonthResult,
    calculation: calculations.FiledCalculation,
) -> MonthSummary:
    """Count what the calculation of a month gave, and note what an officer should know of it."""
    period = inputs.period
    by_status, changes = _occurrences(result.events["status"]), _occurrences(result.changes["status"])
    events = {status: by_status.get(status, 0) for status in dict.fromkeys(STATUS.values())}
    if dismissed := report_states.dismissed_of_month(store, str(period)):
        events |= {"refused": events["refused"] - dismissed, "dismissed": dismissed}
    # How many sides each reason keeps from being rated, that of their event or their own.
    not_rated = _occurrences(result.games.select(pl.col("reason").filter(~pl.col("rated"))).to_series())
    listed = result.list_state.filter(pl.col("rating").is_not_null())["time_control"]
    of_list = rules_of_list(inputs).values()
    return MonthSummary(
        month=str(period),
        family=inputs.family,
        rule_sets=list(calculation.rule_sets),
        events=events,
        results=result.games.height,
        results_rated=result.games.height - sum(not_rated.values()),
        results_not_rated=_most_first(not_rated),
        players={status: changes.get(status, 0) for status in _statuses(inputs.family)},
        waiting=result.pool.select("time_control", "fide_id").unique().height,
        listed=_most_first(_occurrences(listed)),
        refused=report_states.of_month(store, period),
        notes=notes_of_month(store, settings, inputs, result.coincidences),
        floors=sorted({rule_set.list.floor for rule_set in of_list if rule_set.list.floor}),
        uses_list_before=any(
            isinstance(rule_set, SystemRuleSet) and rule_set.own.list.ratings_used == "list_before"
            for rule_set in of_list
        ),
    )


def _occurrences(values: pl.Series) -> dict[str, int]:
    """Return how often each text occurs."""
    return dict(values.value_counts(name="times").iter_rows())


def _statuses(family: str) -> tuple[str, ...]:
    """Return the statuses of players that a summary counts: a rating is delisted by a floor, or lapses."""
    book = rule_book()
    if not book.is_system(family):
        return ("rated", "entered", "delisted")
    may_lapse = any("lapse" in key for rule_set in book.of(family) for key in rule_set.values())
    return ("rated", "entered", "lapsed") if may_lapse else ("rated", "entered")


def _most_first(counted: Mapping[str, int]) -> dict[str, int]:
    """Return the counts, most often first, then by name."""
    return dict(sorted(counted.items(), key=lambda item: (-item[1], item[0])))


def notes_of_month(store: Store, settings: Settings, inputs: MonthInputs, coincidences: pl.DataFrame) -> list[str]:
    """Return what an officer should know of a calculation that succeeded."""
    notes, period = [], inputs.period
    if inputs.rules.reads_references(inputs.family) and inputs.references.is_empty():
        ends = any("lapse.lapses_with" in rule.values() for rule in rules_of_list(inputs).values())
        effect = "no rating ends with this list" if ends else "nobody enters with a FIDE rating"
        notes.append(
            f"no reference list is imported, so {effect}. Import each as it appears; it counts for the events from its "
            f"month on: ratinglist import-list --reference FILE --month {period + 1}"
        )
    history = store.log.history
    month_before = str(inputs.lists["month"].max())
    before = history.standing_calculations().get(month_before)
    if before and before.facts["written"] != history.newest_calculations()[month_before].facts["written"]:
        notes.append(
            f"this list starts from that of {month_before} as it is published, r{history.current[month_before]}; what "
            f"was calculated for {month_before} since is not published: ratinglist rerate --from {month_before}"
        )
    if withdrawn := calculations.withdrawal(store, period):
        notes.append(f"these are the figures that were taken back, and they are not published. {withdrawn}")
    notes += notes_on(store, settings, period, coincidences)
    return [*notes, *report_states.pending_changes(store, inputs.rules, period)]
