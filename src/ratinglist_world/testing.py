"""The promises that every rating system keeps, checked on made-up months.

From the command line: ``python -m ratinglist_world.testing SYSTEM`` prints a line for each promise. Exit code 1 where
one is broken, 2 where there is no such system.

The tests of a package call :func:`broken_promises`, and :func:`unlike_second_calculation` for its ratings: a second
calculation in plain Python, which the author of the system writes too, gets the players of the list before and the
games that were played, and knows nothing else of the program. Only the public parts of the program are used: a system
is checked through its office and its list, and not by what is inside it.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from datetime import date
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any

import polars as pl

from ratinglist.cli.options import say
from ratinglist.errors import CommandLineError, RatinglistError
from ratinglist.office import Thresholds
from ratinglist.period import Period
from ratinglist.rating.model import MonthInputs, MonthResult, newest_list
from ratinglist.rating.month import rate_month
from ratinglist.rating.systems import registry
from ratinglist.settings import Settings
from ratinglist.store.inputs import read_month_inputs
from ratinglist.store.rule_files import rule_book
from ratinglist.workflows import import_files, load, run
from ratinglist.workflows.explain import explain
from ratinglist.workflows.opening import open_to_read, use_systems_of
from ratinglist_world.people import Plan, world_of
from ratinglist_world.simulate import simulate

STANDARD = "standard"
_BEFORE = Period.parse("2025-12")
"""The month of the list that every office begins with."""
_MONTHS, _PLAYERS, _EVENTS = 3, 60, 6
_TODAY = date(2027, 2, 1)
_PLAN = Plan(
    unrated=400,
    rapid=0,
    blitz=0,
    time_controls=(1000, 0, 0),
    swiss_field=(10, 30),
    problems={"late": 200, "repeated": 20, "corrected": 25, "other code": 10, "unregistered": 10},
)
"""A small world with many unlisted players and late reports, and with standard games alone."""


def make_office(folder: Path) -> Path:
    """Make the federation and, in ``folder/home``, an office that received all its months and calculated nothing.

    Returns the folder.
    """
    world = folder / "world"
    months = [_BEFORE + number for number in range(1, _MONTHS + 1)]
    simulate(world, world_of(_PLAYERS, months[0], reports=_EVENTS, federations=("ORV",), plan=_PLAN), _MONTHS)
    settings = Settings(home=folder / "home", family="fide", today=_TODAY)
    write_office_file(settings.home, ())
    import_files.import_list(settings, world / f"list-{_BEFORE}.csv", _BEFORE)
    for month in months:
        import_files.import_players(settings, world / f"players-{month}.csv")
    load.load(settings, [world / "reports" / str(month) for month in months], None)
    return folder


def copied(made_up: Path, folder: Path, family: str, packages: Sequence[str]) -> Settings:
    """Return the settings of a copy of the made-up office in ``folder`` that trusts some packages."""
    home = shutil.copytree(made_up / "home", folder / "home")
    write_office_file(home, packages)
    return Settings(home=home, family=family, today=_TODAY)


def write_office_file(home: Path, packages: Sequence[str]) -> None:
    """Write the ``office.toml`` of an office without questions: in a made-up world everything is unusual."""
    home.mkdir(parents=True, exist_ok=True)
    limits = [f"{field.name} = 10000" for field in fields(Thresholds)]
    lines = ["[questions]", *limits, "[systems]", f"trusted = {json.dumps(list(packages))}", ""]
    (home / "office.toml").write_text("\n".join(lines), encoding="utf-8")


@dataclass(frozen=True)
class Sample:
    """The office of a family in the made-up federation.

    ``settings``: of an office that has received all reports and calculated the ``first`` list. ``packages``: those that
    it trusts. ``inputs`` and ``result``: of the ``second`` list.
    """

    made_up: Path
    settings: Settings
    packages: tuple[str, ...]
    first: Period
    second: Period
    inputs: MonthInputs
    result: MonthResult

    @cached_property
    def published(self) -> Settings:
        """Return an office that has published both lists; look, do not touch."""
        folder = Path(mkdtemp(dir=self.settings.home.parent))
        settings = copied(self.made_up, folder, self.settings.family, self.packages)
        run.run(settings, self.first)
        run.run(settings, self.second)
        return settings


@contextmanager
def families_of(system: str) -> Iterator[tuple[list[str], list[str]]]:
    """Trust the package of a system, and give the system's families and that package; none for one of the program.

    Raises :class:`CommandLineError` where no installed system has the name.
    """
    packages = _packages(system)
    before = registry.trusted()
    registry.trust(packages)
    try:
        book = rule_book()
        yield [family for family in book.families if book.of(family)[0].system == system], packages
    finally:
        registry.trust(before)


def _packages(system: str) -> list[str]:
    """Return the package that has the system, none for one of the program."""
    if system in registry.SYSTEMS and system not in registry.plug_ins():
        return []
    packages = [plug_in.package for plug_in in registry.installed() if plug_in.name == system]
    if not packages:
        there = [*registry.SYSTEMS, *(system.name for system in registry.installed())]
        raise CommandLineError(
            f"There is no rating system '{system}'. There are {', '.join(sorted(set(there)))}. A system of a package "
            "is there once the package is installed: python3 -m pip install FOLDER"
        )
    return packages[:1]


def sample_of(made_up: Path, folder: Path, family: str, packages: Sequence[str]) -> Sample:
    """Return the office of a family in ``folder``, which calculates its first list there, and the second in memory."""
    settings = copied(made_up, folder, family, packages)
    use_systems_of(settings.home)
    book = rule_book()
    first = book.next_list(family, _BEFORE + 1)
    second = book.next_list(family, first + 1)
    run.rate(settings, first)
    with open_to_read(settings) as store:
        inputs = read_month_inputs(store, second, family, book)
    return Sample(made_up, settings, tuple(packages), first, second, inputs, rate_month(inputs))


def tables_of(result: MonthResult) -> dict[str, pl.DataFrame]:
    """Return the tables that a month computes, by name; a system's games as they are published."""
    frames = {field.name: getattr(result, field.name) for field in fields(result) if field.name != "coincidences"}
    return {name: rows for name, rows in frames.items() if isinstance(rows, pl.DataFrame) and rows.columns}


def in_another_order(inputs: MonthInputs, seed: int) -> MonthInputs:
    """Return the inputs with the rows of every table in another order."""
    frames = {field.name: getattr(inputs, field.name) for field in fields(inputs)}
    tables = {name: rows for name, rows in frames.items() if isinstance(rows, pl.DataFrame)}
    mixed: dict[str, Any] = {name: rows.sample(fraction=1, shuffle=True, seed=seed) for name, rows in tables.items()}
    return replace(inputs, **mixed)


_ORDERS = 2
_ACCOUNTS = 12
"""Players of each status whose account is read."""
_OFFICE_ONLY = ("month", "revision")
"""Columns that say which revision a row is of."""
_SHOWN = 3
_LATE = "-31d"


def broken_promises(system: str, *, made_up: Path | None = None) -> list[str]:
    """Return a sentence for each promise that a system breaks; none where it keeps them all.

    ``made_up``: the folder of the federation, where it was made already. Raises :class:`CommandLineError` where no
    installed system has the name.
    """
    return [f"{promise}: {text}" for promise, texts in checked(system, made_up) for text in texts]


def checked(system: str, made_up: Path | None = None) -> Iterator[tuple[str, list[str]]]:
    """Yield every promise with what breaks it, family by family."""
    with families_of(system) as (families, packages), TemporaryDirectory() as folder:
        world = made_up or make_office(Path(folder) / "federation")
        for family in families:
            try:
                sample = sample_of(world, Path(folder) / family, family, packages)
            except RatinglistError as error:
                yield f"{family}: a list is calculated", [str(error)]
                continue
            yield f"{family}: a list is calculated", []
            for promise, check in PROMISES.items():
                yield f"{family}: {promise}", _broken(check, sample)


def _broken(check: Callable[[Sample], Iterator[str]], sample: Sample) -> list[str]:
    """Return what breaks a promise, or what ended the check."""
    try:
        return list(dict.fromkeys(check(sample)))[:_SHOWN]
    except RatinglistError as error:
        return [str(error)]


def order_does_not_matter(sample: Sample) -> Iterator[str]:
    """Compare the list with those calculated from rows in another order."""
    tables = tables_of(sample.result)
    for seed in range(1, _ORDERS + 1):
        for name, rows in tables_of(rate_month(in_another_order(sample.inputs, seed))).items():
            if not rows.equals(tables[name]):
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
        inputs = sample.inputs
        inputs = replace(
            inputs,
            lists=inputs.lists.filter(kept),
            system_state=inputs.system_state.filter(kept),
            own_state=inputs.own_state.filter(kept),
        )
        yield from _wrong(inputs, rate_month(inputs))


def nothing_happens_without_games(sample: Sample) -> Iterator[str]:
    """Calculate a month without reports."""
    inputs = sample.inputs
    inputs = replace(
        inputs,
        reports=inputs.reports.clear(),
        report_players=inputs.report_players.clear(),
        report_games=inputs.report_games.clear(),
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


PROMISES: dict[str, Callable[[Sample], Iterator[str]]] = {
    "list, list before and changes add up": list_adds_up,
    "the order of events, games and players does not matter": order_does_not_matter,
    "unlisted players are rated by the rules, or wait": unlisted_players_are_rated_by_the_rules,
    "a month without games moves no rating": nothing_happens_without_games,
    "an event whose report arrives a month late is rated": late_reports_are_rated,
    "every event is rated on one list alone": events_are_rated_once,
    "every account leads to the published rating": accounts_lead_to_the_rating,
}
"""The promises in plain words, and what yields a sentence for each way in which a sample breaks one."""


_RATINGS_SHOWN = 5


@dataclass(frozen=True, slots=True)
class PlainPlayer:
    """A player who was on the list before: rating and number of rated games."""

    rating: int
    games: int


@dataclass(frozen=True, slots=True)
class PlainGame:
    """A game as one of its players sees it: each game comes twice.

    ``score_halves``: 2 for a win, 1 for a draw, 0. ``reason``: why it does not count; empty where it does. A forfeit is
    never among them.
    """

    event_id: str
    ended: date
    round: int
    player: int
    opponent: int
    is_white: bool
    score_halves: int
    reason: str


SecondCalculation = Callable[[Mapping[int, PlainPlayer], Sequence[PlainGame]], Mapping[int, int]]
"""From the list before, by FIDE ID, and the games, in the order of the events' ends, the rating of every player."""


def unlike_second_calculation(
    system: str, second: SecondCalculation, *, lists: int = 20, made_up: Path | None = None
) -> list[str]:
    """Return a sentence for each rating that the system and a second calculation have differently.

    In: ``lists``: how many are compared, each with other players listed and other events. ``made_up``: the folder of
    the federation, where it was made already. Raises :class:`CommandLineError` where no installed system has the name.
    """
    differences: list[str] = []
    with families_of(system) as (families, packages), TemporaryDirectory() as folder:
        world = made_up or make_office(Path(folder) / "federation")
        for family in families:
            sample = sample_of(world, Path(folder) / family, family, packages)
            for number in range(lists):
                inputs = _another_month(sample.inputs, number)
                differences += [
                    f"{family}, list {number}: {text}" for text in _unlike(inputs, rate_month(inputs), second)
                ]
    return differences[:_RATINGS_SHOWN]


def _another_month(inputs: MonthInputs, number: int) -> MonthInputs:
    """Return the inputs with some players unlisted and some events not reported; 0: as they are."""
    if not number:
        return inputs
    is_listed = pl.col("fide_id").hash(number) % 10 >= number % 10
    is_there = pl.col("report_id").cast(pl.String).hash(number) % 4 > 0
    return replace(
        inputs,
        lists=inputs.lists.filter(is_listed),
        system_state=inputs.system_state.filter(is_listed),
        own_state=inputs.own_state.filter(is_listed) if "fide_id" in inputs.own_state.columns else inputs.own_state,
        reports=inputs.reports.filter(is_there),
        report_players=inputs.report_players.filter(is_there),
        report_games=inputs.report_games.filter(is_there),
    )


def _unlike(inputs: MonthInputs, result: MonthResult, second: SecondCalculation) -> Iterator[str]:
    before = newest_list(inputs.lists, STANDARD).filter(pl.col("rating").is_not_null())
    listed = {
        player: PlainPlayer(rating, games)
        for player, rating, games in before.select("fide_id", "rating", "games_played").iter_rows()
    }
    due = dict(second(listed, list(_games(result))))
    after = result.list_state.filter(pl.col("rating").is_not_null())
    ratings = dict(after.select("fide_id", "rating").iter_rows())
    for player in sorted(due.keys() | ratings.keys()):
        if due.get(player) != ratings.get(player):
            yield f"player {player} has {ratings.get(player)}, and {due.get(player)} by the second calculation"


def _games(result: MonthResult) -> Iterator[PlainGame]:
    events = result.events.filter(status="rated").select("event_id", "start_date", "end_date")
    rows = (
        result.games.cast({pl.Enum: pl.String}).join(events, on="event_id").filter(pl.col("score_halves").is_not_null())
    )
    ordered = rows.sort("end_date", "start_date", "event_id", "round", "fide_id", maintain_order=True)
    for row in ordered.iter_rows(named=True):
        yield PlainGame(
            row["event_id"],
            row["end_date"],
            row["round"],
            row["fide_id"],
            row["opponent_id"],
            row["colour"] == "w",
            row["score_halves"],
            row["reason"] or "",
        )


_USAGE = "python -m ratinglist_world.testing SYSTEM: `ratinglist systems` shows the systems"


def main(arguments: list[str]) -> int:
    """Check the system that is named, and return the exit code."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        say(_USAGE, err=True)
        return CommandLineError.exit_code
    broken = 0
    try:
        for promise, texts in checked(arguments[0]):
            say("\n         ".join([f"{'FAILED' if texts else 'ok    '} {promise}", *texts]))
            broken += len(texts)
    except RatinglistError as error:
        say(f"ratinglist: {error}", err=True)
        return error.exit_code
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
