"""What every rating system keeps, each promise with the check of it on a made-up month.

A check yields a sentence for each way in which the promise is broken.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from ratinglist.errors import RatinglistError
from ratinglist.period import Period
from ratinglist.rating.model import MonthInputs, MonthResult, newest_list
from ratinglist.rating.month import rate_month
from ratinglist.settings import Settings
from ratinglist.workflows.explain import explain
from ratinglist_world.testing.made_up import (
    STANDARD,
    MadeUp,
    Sample,
    families_of,
    in_another_order,
    sample_of,
    tables_of,
)

_ORDERS = 2
_ACCOUNTS = 12
"""Players of each status whose account is read."""
_OFFICE_ONLY = ("month", "revision")
"""Columns that say which revision a row is of."""
_SHOWN = 3
_LATE = "-31d"


@dataclass(frozen=True, slots=True)
class Promise:
    """A promise in plain words, and its check. ``is_quick``: whether it is checked in memory, in a second."""

    sentence: str
    check: Callable[[Sample], Iterator[str]]
    is_quick: bool = True


def broken_promises(system: str, *, quick: bool = False, made_up: MadeUp | None = None) -> list[str]:
    """Return a sentence for each promise that a system breaks; none where it keeps them all.

    ``quick``: check those alone that need no published list. ``made_up``: the federation, where it was made already.
    Raises :class:`CommandLineError` where no installed system has the name.
    """
    return [f"{promise.sentence}: {text}" for promise, texts in checked(system, quick, made_up) for text in texts]


def checked(system: str, quick: bool, made_up: MadeUp | None = None) -> Iterator[tuple[Promise, list[str]]]:
    """Yield every promise with what breaks it, family by family."""
    with families_of(system) as (families, packages), TemporaryDirectory() as folder:
        world = made_up or MadeUp.make(Path(folder) / "federation")
        for family in families:
            yield from _checked_family(world, Path(folder) / family, family, packages, quick)


def _checked_family(
    made_up: MadeUp, folder: Path, family: str, packages: list[str], quick: bool
) -> Iterator[tuple[Promise, list[str]]]:
    first = Promise(f"{family}: a list is calculated", lambda _: iter(()))
    with _caught() as failed:
        sample = sample_of(made_up, folder, family, packages)
        _ = sample.result
    yield first, failed
    for promise in () if failed else PROMISES:
        if quick and not promise.is_quick:
            continue
        found: list[str] = []
        with _caught() as failed:
            found = list(dict.fromkeys(promise.check(sample)))
        yield replace(promise, sentence=f"{family}: {promise.sentence}"), [*found[:_SHOWN], *failed]


@contextmanager
def _caught() -> Iterator[list[str]]:
    """Add what ended the block to the list that is given."""
    failed: list[str] = []
    try:
        yield failed
    except RatinglistError as error:
        failed.append(str(error))


def order_does_not_matter(sample: Sample) -> Iterator[str]:
    """Compare the list with those calculated from rows in another order."""
    for seed in range(1, _ORDERS + 1):
        yield from _differences(sample.result, rate_month(in_another_order(sample.inputs, seed)))


def _differences(result: MonthResult, other: MonthResult) -> Iterator[str]:
    for name, rows in tables_of(other).items():
        if not rows.equals(tables_of(result)[name]):
            yield f"the table {name} is another one"


def list_adds_up(sample: Sample) -> Iterator[str]:
    """Compare list, list before and changes."""
    yield from _wrong(sample.inputs, sample.result)
    if not len(sample.result.changes.filter(pl.col("games") > 0)):
        yield "no game of the made-up month is rated"


def _wrong(inputs: MonthInputs, result: MonthResult) -> Iterator[str]:
    """Yield the players whose change and lists contradict each other."""
    before = newest_list(inputs.lists, STANDARD).filter(pl.col("rating").is_not_null())
    after = result.list_state.filter(pl.col("rating").is_not_null())
    change = result.changes.select("fide_id", "old_rating", "new_rating", "change", "status")
    rows = (
        before.select("fide_id", before="rating")
        .join(after.select("fide_id", after="rating"), on="fide_id", how="full", coalesce=True)
        .join(change, on="fide_id", how="full", coalesce=True)
    )
    is_old = pl.when(pl.col("before").is_null()).then(pl.lit("entered")).otherwise(pl.lit("rated"))
    due = pl.when(pl.col("after").is_null()).then(pl.lit("lapsed")).otherwise(is_old)
    moved = pl.col("before").ne_missing(pl.col("after"))
    contradicts = (
        pl.col("old_rating").ne_missing(pl.col("before"))
        | pl.col("new_rating").ne_missing(pl.col("after"))
        | pl.col("status").ne_missing(due)
        | ((due == "rated") & pl.col("change").ne_missing(pl.col("after") - pl.col("before")))
    )
    for row in rows.filter(pl.when(pl.col("status").is_null()).then(moved).otherwise(contradicts)).to_dicts():
        yield f"the change of player {row['fide_id']} contradicts the lists: {row}"


def unlisted_players_are_rated_by_the_rules(sample: Sample) -> Iterator[str]:
    """Calculate with half of the players unlisted, and with nobody listed who plays."""
    playing = sample.inputs.report_players["fide_id"].unique().sort()
    for unlisted in (playing.gather_every(2), playing):
        kept = ~pl.col("fide_id").is_in(unlisted.implode())
        given = sample.inputs
        inputs = replace(
            given,
            lists=given.lists.filter(kept),
            system_state=given.system_state.filter(kept),
            own_state=given.own_state.filter(kept),
        )
        yield from _wrong(inputs, rate_month(inputs))


def nothing_happens_without_games(sample: Sample) -> Iterator[str]:
    """Calculate a month without reports."""
    given = sample.inputs
    inputs = replace(
        given,
        reports=given.reports.clear(),
        report_players=given.report_players.clear(),
        report_games=given.report_games.clear(),
    )
    result = rate_month(inputs)
    yield from _wrong(inputs, result)
    for row in result.changes.filter(status="rated").filter(pl.col("change") != 0).to_dicts():
        yield f"without a game the rating of player {row['fide_id']} moves by {row['change']}"


def late_reports_are_rated(sample: Sample) -> Iterator[str]:
    """Calculate with the events of the second list a month earlier: their reports arrive late."""
    is_shifted = pl.col("start_date") >= sample.first.first_day
    reports = sample.inputs.reports
    shifted = reports.filter(is_shifted)["report_id"].implode()
    games = pl.when(pl.col("report_id").is_in(shifted)).then(pl.col("date").dt.offset_by(_LATE)).otherwise("date")
    days = pl.col("start_date", "end_date")
    inputs = replace(
        sample.inputs,
        reports=reports.with_columns(pl.when(is_shifted).then(days.dt.offset_by(_LATE)).otherwise(days)),
        report_games=sample.inputs.report_games.with_columns(games),
    )
    result = rate_month(inputs)
    yield from _wrong(inputs, result)
    rated = sample.result.events.filter(status="rated")
    if rated.join(reports.filter(is_shifted), on="event_id", how="semi").is_empty():
        yield "no event of the second list is rated"
    for event in sorted(set(rated["event_id"]) - set(result.events.filter(status="rated")["event_id"])):
        yield f"the event {event} is not rated where its report arrives a month later"


def events_are_rated_once(sample: Sample) -> Iterator[str]:
    """Publish both lists; no event may be rated on both, and one that was reported late is on the second."""
    first, second = (_table(sample.published, month, "events") for month in (sample.first, sample.second))
    rated = [rows.filter(status="rated")["event_id"].to_list() for rows in (first, second)]
    for event in sorted(set(rated[0]) & set(rated[1])):
        yield f"the event {event} is rated on the lists of {sample.first} and of {sample.second}"
    if not rated[0] or not rated[1]:
        yield "one of the lists rates no event"


def accounts_lead_to_the_rating(sample: Sample) -> Iterator[str]:
    """Publish both lists and read accounts: their terms have to lead to what is published."""
    changes = _table(sample.published, sample.second, "changes").filter(pl.col("games") > 0)
    for row in changes.group_by("status", maintain_order=True).head(_ACCOUNTS).to_dicts():
        account = json.loads(json.dumps(explain(sample.published, row["fide_id"], sample.second).as_dict()))
        results = {term["what"]: term["result"] for term in account["time_controls"][0]["terms"]}
        for name in row.keys() - {"time_control", "fide_id", *_OFFICE_ONLY}:
            if row[name] is not None and row[name] != results.get(name):
                yield f"the account of player {row['fide_id']} has {results.get(name)} for {name}, not {row[name]}"


def _table(settings: Settings, month: Period, name: str) -> pl.DataFrame:
    folder = settings.published / str(month)
    rows = pl.read_parquet(folder / (folder / "latest").read_text(encoding="utf-8").strip() / f"{name}.parquet")
    return rows.drop(_OFFICE_ONLY, strict=False)


PROMISES = (
    Promise("list, list before and changes add up", list_adds_up),
    Promise("the order of events, games and players does not matter", order_does_not_matter),
    Promise("unlisted players are rated by the rules, or wait", unlisted_players_are_rated_by_the_rules),
    Promise("a month without games moves no rating", nothing_happens_without_games),
    Promise("an event whose report arrives a month late is rated", late_reports_are_rated),
    Promise("every event is rated on one list alone", events_are_rated_once, is_quick=False),
    Promise("every account leads to the published rating", accounts_lead_to_the_rating, is_quick=False),
)
"""All promises; each but the first two begins with the list that these are about."""
