"""The command `ratinglist reconcile`: compares a published or calculated list with an official file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.files import resources
from ratinglist.files.atomic_file import check_output, write_atomically
from ratinglist.files.durable_files import make_private_folder
from ratinglist.lists import list_reader as lists
from ratinglist.lists.formats import with_both_titles
from ratinglist.lists.official_rows import OFFICIAL_ROW
from ratinglist.messages import EVENT_REASONS
from ratinglist.names.alike import NAME_LENGTH, folded, one_spelling, sorted_words, to_ascii
from ratinglist.period import Period
from ratinglist.publication import revisions
from ratinglist.rating.model import MonthInputs
from ratinglist.rating.month import rate_month
from ratinglist.rating.rules import SystemRuleSet
from ratinglist.settings import Settings
from ratinglist.store.calculations import current_calculation
from ratinglist.store.database import Store
from ratinglist.store.inputs import read_month_inputs
from ratinglist.store.rule_files import rule_book
from ratinglist.store.table_files import check_table_path, write_table
from ratinglist.summaries import Facts, frame_table
from ratinglist.tables import LIST_STATE, LISTS, Column, Table
from ratinglist.workflows.opening import open_to_read
from ratinglist_lab.measures import queried

CLASSES = ("equal", "reading", "event", "unexplained")
"""The classes of a player, or of one column of a player."""

MAX_CHANGE_PER_GAME = 40
"""The most points by which one game can move a rating."""

CAUSES = {
    "one_time_step": "the one-time step of the list is taken on one side alone",
    "floor": "another floor is applied",
    "standard_stands_in": "a standard rating does not stand in for a missing one",
    "time_limit": "the limit on the thinking time is read differently",
    "rating_gap": "the rule on gaps of 600 is read differently",
    "tranche_too_small": "a small partial result counts for an entry",
    "entry_window": "results count longer for an entry",
    "entry_method": "the initial rating is computed by the other method",
    "entry_maximum": "the highest initial rating is another",
    "rounded_per_event": "the change is rounded for every event, not once",
    "rounded_per_period": "the change is rounded once, not for every event",
    "cap_every_game": "a difference above 400 is cut in every game",
    "cap_once": "of the differences in a player's favour only the largest of an event is cut",
    "cap_below_2650": "the difference of a player rated 2650 or more is not cut",
    "no_cap": "no difference is cut",
    "k_limit": "the limit of 700 on K × games is read differently",
    "k_junior_until": "a junior's K ends on another day",
    "k_junior_judged_on": "a junior's age is judged on another day",
    "k_fixed": "K is fixed in rapid and blitz on one side alone",
    "extra_event": "an event of ours does not count",
    "missing_event": "an event counts that we know and did not rate",
    "event_not_received": "games count that are in no report of ours",
    "transliteration": "the same name, written with other letters",
    "another_version": "the player's data as the store knew them on another day",
}
"""Code to what the official list does differently."""

_CAP = {"cap": 400}
_K = "development_coefficient"
_READINGS: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    ("one_time_step", "", "list", {"one_time_step": "none"}),
    ("floor", "none", "list", {"floor": 0}),
    ("floor", "1000", "list", {"floor": 1000}),
    ("standard_stands_in", "", "event", {"standard_rating_stands_in": False}),
    ("time_limit", "", "event", {"time_limit_applies_to": "nothing"}),
    ("rating_gap", "counted", "expected_score", {"gap_not_rated": 0}),
    ("rating_gap", "not counted", "expected_score", {"gap_not_rated": 600, "gap_needs_player_above": 2600}),
    ("tranche_too_small", "", "entry", {"tranche_min_games": 1, "tranche_min_halves": 0}),
    ("entry_window", "", "entry", {"window_lists": 1_000}),
    ("entry_method", "two_draws_at_1800", "entry", {"method": "two_draws_at_1800"}),
    ("entry_method", "twenty_per_half_point", "entry", {"method": "twenty_per_half_point"}),
    ("entry_maximum", "none", "entry", {"maximum": 0}),
    ("entry_maximum", "2200", "entry", {"maximum": 2200}),
    ("rounded_per_event", "", "change", {"rounded_per": "event"}),
    ("rounded_per_period", "", "change", {"rounded_per": "period"}),
    ("cap_every_game", "", "expected_score", {"cap_applies_to": "every_game", **_CAP}),
    ("cap_once", "", "expected_score", {"cap_applies_to": "best_game_per_event", **_CAP}),
    ("cap_below_2650", "", "expected_score", {"cap_applies_to": "players_below", "cap_players_below": 2650, **_CAP}),
    ("no_cap", "", "expected_score", {"cap_applies_to": "every_game", "cap": 10_000}),
    ("k_limit", "none", _K, {"period_limit": 0}),
    ("k_limit", "700", _K, {"period_limit": 700}),
    ("k_junior_until", "birthday", _K, {"junior_until": "eighteenth_birthday"}),
    ("k_junior_until", "end of year", _K, {"junior_until": "end_of_year_of_eighteenth_birthday"}),
    ("k_junior_judged_on", "list before", _K, {"junior_judged_on": "list_before"}),
    ("k_junior_judged_on", "start of event", _K, {"junior_judged_on": "event_start"}),
    ("k_fixed", "no", _K, {"fixed": 0}),
    ("k_fixed", "20", _K, {"fixed": 20}),
)
"""The readings: the cause, its detail, and the values of a section of the rules that it changes."""

DIFFERENCE = Table(
    "difference",
    "value in which our list and the official one differ",
    {
        "time_control": Column(pl.String(), "standard, rapid, blitz"),
        "fide_id": Column(pl.Int64(), "the player"),
        "name": Column(pl.String(), "the player's name, ours where the player is on our list"),
        "column": Column(pl.String(), "what differs; rating also where the player is on one list only"),
        "ours": Column(pl.String(), "our value; empty: none, or not listed"),
        "official": Column(pl.String(), "the official value; empty: none, or not listed"),
        "class": Column(pl.String(), "reading, event, unexplained"),
        "cause": Column(pl.String(), "a code (page of reasons); empty where unexplained"),
        "detail": Column(pl.String(), "the event with its status, or the value of the reading; may be empty"),
        "also": Column(pl.String(), "other causes that give the same number, comma-separated"),
    },
    key=("time_control", "fide_id", "column"),
)

FIGURES = pl.Schema({"time_control": pl.String(), "column": pl.String()} | dict.fromkeys(CLASSES, pl.Int64()))
"""The number of players in each class, by column. The rows ``rating`` count every player on either list."""

COLUMNS = ("rating", "games", "k", "flag", "name", "federation", "sex", "title", "women_title")


@dataclass(frozen=True, slots=True)
class OurMonth:
    """One time control of our month, published or calculated, with the ``inputs`` that it was calculated from.

    ``listed`` (``LISTED``), ``games`` and ``events``: the published tables of this time control. ``versions``: all
    descriptions of a player ever received: ``fide_id``, ``name``, ``federation``, ``sex``, ``title``, ``women_title``.
    """

    inputs: MonthInputs
    time_control: str
    listed: pl.DataFrame
    games: pl.DataFrame
    events: pl.DataFrame
    versions: pl.DataFrame


@dataclass(frozen=True, slots=True)
class ListComparison:
    """The result of a comparison: ``figures`` (:data:`FIGURES`) and ``differences`` (:data:`DIFFERENCE`)."""

    figures: pl.DataFrame
    differences: pl.DataFrame


def compare_lists(ours: OurMonth, official: pl.DataFrame) -> ListComparison:
    """Compare one time control of our month with the rows of the official list of it (``OFFICIAL_ROW``).

    Unrated players are on neither list. A column that is empty in all official rows is not compared, nor is a blank
    federation, sex, name, K or number of games of one player, nor a flag that is null. Names are equal where they are
    in ASCII, cut to the width of FIDE's column.
    """
    theirs = official.filter(pl.col("rating").is_not_null())
    values = theirs.select(pl.col(COLUMNS).cast(pl.String).fill_null("").ne("").any()).row(0, named=True)
    compared = [name for name in COLUMNS if name == "rating" or values[name]]
    lists = {"ours": _comparable(ours.listed), "theirs": _comparable(theirs)}
    differing = queried(resources.sql("reconcile") / "differing.sql", lists, compared=compared)
    words = [sorted_words(one_spelling(folded(pl.col(name)))) for name in ("ours", "official")]
    frames = {
        **lists,
        "differing": differing.with_columns(is_respelt=(pl.col("column") == "name") & (words[0] == words[1])),
        "possible": _other_readings(ours, differing.filter(pl.col("column").is_in(("rating", "games", "k")))),
        "cause": pl.DataFrame({"cause": list(CAUSES)}).with_row_index("place"),
        "game": ours.games,
        "event": ours.events,
        "sentence": pl.DataFrame(
            [(code, reason.sentence) for code, reason in EVENT_REASONS.items()], ["reason", "says"], orient="row"
        ),
        "version": ours.versions,
    }
    explained = queried(
        resources.sql("reconcile") / "explained.sql", frames, compared=compared, most=MAX_CHANGE_PER_GAME
    )
    differences = DIFFERENCE.sorted(DIFFERENCE.conform(explained.with_columns(time_control=pl.lit(ours.time_control))))
    on_both = ours.listed.join(theirs, on="fide_id", how="semi").height
    players = pl.when(pl.col("column") == "rating").then(len(ours.listed) + len(theirs) - on_both).otherwise(on_both)
    counts = differences.group_by("column").agg((pl.col("class") == kind).sum().alias(kind) for kind in CLASSES[1:])
    figures = pl.DataFrame({"column": compared}).join(counts, on="column", how="left", maintain_order="left")
    equal = (players - pl.sum_horizontal(CLASSES[1:])).alias("equal")
    return ListComparison(
        figures.with_columns(equal, time_control=pl.lit(ours.time_control))
        .fill_null(0)
        .select(FIGURES.names())
        .cast(FIGURES),
        differences,
    )


def _comparable(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the columns that are compared; ``name`` as FIDE's text has it, and ``written`` as the list has it."""
    plain, _letters = to_ascii(rows.select("name"))
    names = plain["name"].str.replace_all(" +", " ").str.head(NAME_LENGTH).str.strip_chars()
    return with_both_titles(rows.select("fide_id", *COLUMNS)).with_columns(names, written=rows["name"])


def _other_readings(ours: OurMonth, differing: pl.DataFrame) -> pl.DataFrame:
    """Return what the month gives players under each changed rule: their ``rating``, ``games`` and ``k``.

    With ``cause`` and ``detail``. None where another system than FIDE's is in force: it has no other readings.
    """
    players = differing.select("fide_id").unique()
    possible = [
        players.clear().with_columns(
            LIST_STATE.empty().select("rating", "games", "k"), cause=pl.lit(""), detail=pl.lit("")
        )
    ]
    for cause, detail, changed in _changed_months(ours.inputs, ours.time_control) if len(players) else ():
        state = rate_month(changed).list_state.filter(time_control=ours.time_control)
        numbers = players.join(state.select("fide_id", "rating", "games", "k"), on="fide_id", how="left")
        possible.append(numbers.with_columns(pl.col("games").fill_null(0), cause=pl.lit(cause), detail=pl.lit(detail)))
    return pl.concat(possible)


def _changed_months(inputs: MonthInputs, time_control: str) -> Iterator[tuple[str, str, MonthInputs]]:
    """Yield each reading that differs from ours with the inputs under it: cause, detail, inputs."""
    in_force = inputs.rules.on(inputs.family, time_control, inputs.period.first_day)
    if in_force is None or isinstance(in_force, SystemRuleSet):
        return
    rule_sets = inputs.rules.of(inputs.family)
    for cause, detail, section, values in _READINGS:
        of_section = [getattr(rule_set, section) for rule_set in rule_sets]
        differs = any(getattr(rules, key) != value for rules in of_section for key, value in values.items())
        if differs and (cause != "k_fixed" or time_control != "standard"):
            of_cause = [
                replace(rule_set, **{section: replace(getattr(rule_set, section), **values)}) for rule_set in rule_sets
            ]
            yield cause, detail, replace(inputs, rules=replace(inputs.rules, files={}, added=tuple(of_cause)))


_SHOWN = 10
"""How many unexplained differences the summary shows; the file has all."""


def reconcile(
    settings: Settings, period: Period, file: Path, time_control: str | None = None, out: Path | None = None
) -> Facts:
    """Compare our list of ``period``, the published one or else the calculated one, with the official ``file``.

    Writes one row per difference to ``out`` (CSV or Parquet by its name; default ``HOME/reconciled/<month>.csv``, with
    ``time_control`` in the name where it is given). Changes nothing else. Raises :class:`NothingReadError` where we
    have no list, or the file has none of the same time control.

    Out: ``month``, ``revision``, ``official``, ``path`` of the file with every difference; ``figures``
    (:data:`FIGURES`); ``causes``: the rows of each by column; the number ``unexplained`` and the first, ``shown``;
    ``notes``.
    """
    name = f"{period}-{time_control}.csv" if time_control else f"{period}.csv"
    path = out or settings.home / "reconciled" / name
    if out is not None:
        check_table_path(out)
        check_output(out, file)
    settings.progress("reading the official list", 0, 1)
    theirs = _official(file, period, time_control)
    settings.progress("comparing the lists", 0, 1)
    with open_to_read(settings, shows_published=True) as store:
        revision, ours = _our_months(store, settings, period)
    official_controls = theirs["time_control"].unique()
    compared = {
        month.time_control: compare_lists(month, theirs.filter(pl.col("time_control") == month.time_control))
        for month in ours
        if month.time_control in official_controls and time_control in (None, month.time_control)
    }
    if not compared:
        listed = ", ".join(month.time_control for month in ours) or "empty"
        raise NothingReadError(
            f"{file} and our list of {period} ({listed}) have no time control in common"
            + (f" that is {time_control}" if time_control else "")
            + ": check the file, its month and --time-control."
        )
    notes = [
        f"the official {control} list has no values for: {', '.join(missing)}"
        for control, comparison in compared.items()
        if (missing := [name for name in COLUMNS if name not in comparison.figures["column"]])
    ]
    absent = [month.time_control for month in ours if month.time_control not in compared]
    notes += [f"the official file has no {control} list" for control in absent if time_control is None]
    differences = DIFFERENCE.sorted(pl.concat(comparison.differences for comparison in compared.values()))
    if out is None:
        make_private_folder(path.parent)
    write_atomically(path, lambda temporary: write_table(temporary, DIFFERENCE, differences))
    causes = differences.filter(pl.col("cause") != "").group_by("cause", "column").agg(pl.len().alias("rows"))
    facts = {
        "month": str(period),
        "revision": revision,
        "official": str(file),
        "path": str(path),
        "figures": pl.concat(comparison.figures for comparison in compared.values()),
        "causes": causes.sort("rows", "cause", "column", descending=[True, False, False]),
        "unexplained": differences.filter(pl.col("class") == "unexplained").height,
        "shown": differences.filter(pl.col("class") == "unexplained").head(_SHOWN),
        "notes": notes,
    }
    return Facts(f"List of {period} ({revision}) against {file}", facts, _lines(facts))


def _lines(facts: Mapping[str, Any]) -> list[str]:
    """Return the result of a comparison as lines that fit on one screen."""
    causes = [f"  {row['rows']:,} × {row['column']}: {CAUSES[row['cause']]}" for row in facts["causes"].to_dicts()]
    shown = [
        f"  unexplained: {row['fide_id']} {row['name']}, {row['time_control']} {row['column']}: "
        f"ours {row['ours'] or 'none'}, official {row['official'] or 'none'}"
        for row in facts["shown"].to_dicts()
    ]
    if facts["unexplained"] > len(shown):
        shown.append(f"               and {facts['unexplained'] - len(shown):,} more")
    notes = [f"  note: {note}" for note in facts["notes"]]
    return ["", *frame_table(facts["figures"]), "", *causes, *shown, *notes, f"  every difference: {facts['path']}"]


def _our_months(store: Store, settings: Settings, period: Period) -> tuple[str, list[OurMonth]]:
    """Read our list: its revision, or ``calculated``, and every time control with the inputs it was calculated from.

    Of a published list the calculation that it shows, whatever newer one exists.
    """
    newest = current_calculation(store, period)
    with store.as_published(()):
        folder, *_ = [*store.current_folders([str(period)]), newest.folder]
    published = revisions.latest(settings.published, period)
    inputs = read_month_inputs(store, period, newest.family, rule_book())
    tables = folder.read_tables()
    versions = store.read("select distinct fide_id, name, federation, sex, title, women_title from player")
    months = [
        OurMonth(
            inputs=inputs,
            time_control=control,
            listed=tables[control],
            games=tables["games"].filter(time_control=control),
            events=tables["events"].filter(time_control=control),
            versions=versions,
        )
        for control in LISTS
        if control in tables and not tables[control].is_empty()
    ]
    return published.name if published else "calculated", months


def _official(file: Path, period: Period, time_control: str | None) -> pl.DataFrame:
    """Read the rated rows of the official list (``OFFICIAL_ROW``), without the store.

    The one flag of a combined list is that of the standard list, else of the first list that the player is on; on the
    other lists it is null.
    """
    try:
        batches = list(lists.read(file, month=period))
    except CommandLineError:
        # The file is one list without its time control. For other files --time-control only selects what to compare.
        if time_control is None:
            raise
        batches = list(lists.read(file, month=period, time_control=time_control))
    rows = pl.concat([OFFICIAL_ROW.empty(), *(batch.rows for batch in batches)])
    rated = rows.filter(pl.col("rating").is_not_null())
    if not any(batch.combined for batch in batches):
        return rated
    place = pl.col("time_control").replace_strict({name: at for at, name in enumerate(LISTS)})
    return rated.with_columns(pl.when(place == place.min().over("fide_id")).then("flag").alias("flag"))
