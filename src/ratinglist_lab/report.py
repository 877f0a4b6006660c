"""The commands `ratinglist lab report` and `lab what-if`: what replayed systems predicted, and how their lists differ.

The changed rules of a what-if exist in memory alone, and its replay in ``HOME/lab``. The store has neither, so no
command publishes such a list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.pages.charts import Chart, Series, line_chart
from ratinglist.pages.document import (
    Code,
    Document,
    Entries,
    Figure,
    Figures,
    Heading,
    Paragraph,
    Part,
    Table,
    as_lines,
    figures_table,
)
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.store.rule_files import rule_book
from ratinglist.summaries import Facts
from ratinglist.text import counted
from ratinglist_lab.measures import (
    CALIBRATION_TABLE,
    DIFFERENCE_TABLE,
    LARGEST_TABLE,
    LIST_INDEX,
    MOVED_TABLE,
    MOVEMENT_TABLE,
    PREDICTION_TABLE,
    SCORE_TABLE,
    check_folder,
    from_elsewhere,
    measured,
    write_measured,
)
from ratinglist_lab.replay import (
    FACTS,
    Replay,
    Study,
    System,
    altered,
    checked,
    described,
    replay_system,
    studied,
)

Tables = Mapping[str, pl.DataFrame]

PAGE = "report.html"
TABLES = (SCORE_TABLE, DIFFERENCE_TABLE, CALIBRATION_TABLE, MOVEMENT_TABLE)
WHAT_IF_TABLES = (*TABLES, MOVED_TABLE, LARGEST_TABLE)
_STARTS = {"list": "the office's list before them", "scratch": "scratch: no player was rated"}

_INTERVAL = {"difference_millionths": "difference", "low_millionths": "from", "high_millionths": "to"}
"""The columns of a difference with its interval, and their names in a table."""

_MOST_LINES = 6
"""How many systems a chart of lines shows: their dashes distinguish no more."""
_FEWEST_GAMES = 20
_OF_LISTS = (
    ("mean", "mean_hundredths", "Mean rating of all players", 2),
    ("same-players", "same_mean_hundredths", "Mean rating of the players on every list", 2),
    ("rank-correlation", "rank_correlation_millionths", "Rank correlation with the office's list", 6),
)
"""The charts by list: name, column, title, decimals."""


def report(
    settings: Settings,
    names: Sequence[str] = (),
    *,
    first: Period | None = None,
    last: Period | None = None,
    start: str = "list",
    time_control: str = "standard",
    out: Path | None = None,
) -> Facts:
    """Compare replayed systems and write the report: a page with charts, and tables.

    ``names``: the systems, the first one the reference; default: all that were replayed, compared with the office's
    family. A name with the ending ``.parquet`` is a table of predictions from elsewhere. Raises
    :class:`NothingReadError` where one was not replayed, :class:`CommandLineError` for a folder or a table that cannot
    be used.

    Out: ``reference``: the system that the others differ from; ``folder`` and ``files``; ``changes``: what each what-if
    among the systems changed; the rows of each table by its name.
    """
    folder = out or Path("laboratory")
    with studied(settings, first, last, time_control) as study:
        check_folder(folder, PAGE)
        replays, elsewhere = _chosen(study, start, names)
        tables = study_tables(study, replays, elsewhere)
        if tables["scores"].is_empty():
            raise NothingReadError(
                f"No game is predicted from {study.months[0]} to {study.months[-1]} by "
                f"{', '.join(replay.name for replay in replays)}: there is nothing to report. Name more months, or "
                "replay other systems."
            )
    changes = {replay.name: replay.facts["changes"] for replay in replays if replay.facts["changes"]}
    about = f"Months {study.months[0]} to {study.months[-1]} of this office, {time_control}, from {_STARTS[start]}."
    reference = Path(names[0]).stem if names and names[0].endswith(".parquet") else replays[0].name
    losses = _side_by_side(tables, reference, changes)
    document = report_document("Systems side by side", [Paragraph(about)], losses, reference, tables)
    # What an earlier what-if left in the folder is of another study.
    for table in (MOVED_TABLE, LARGEST_TABLE):
        (folder / f"{table.name}.parquet").unlink(missing_ok=True)
    files = write_measured(folder, PAGE, document, tables, TABLES)
    facts = {"reference": reference, "folder": str(folder), "files": files, "changes": changes, **tables}
    return Facts(f"Report: {counted(len(files), 'file')} in {folder}", facts, as_lines(losses))


def _side_by_side(tables: Tables, reference: str, changes: Mapping[str, Sequence[str]]) -> list[Part]:
    """Return the log loss of every system on common games, and its difference with the interval."""
    common = tables["scores"].filter(pl.col("games_of") == "common")
    losses = _losses(tables).filter(pl.col("reference") == reference).drop("games")
    rows = common.join(losses, on="system", how="left").sort("log_loss_millionths", "system")
    head = {"log_loss_millionths": "log loss", "brier_millionths": "Brier", "accuracy_tenths": "accuracy, %"}
    less = _INTERVAL | {"difference_millionths": f"less {reference}"}
    without = sorted(set(tables["movement"]["system"]) - set(common["system"]))
    notes = [
        "games, log loss, Brier, accuracy: on the games that all systems with a list every month predict",
        "accuracy: the share of the decisive games that the favourite won; draws are left out of it",
        f"less {reference}: on all games that both predict; differences.parquet has their number",
        *(f"{name}: {', '.join(changed)}" for name, changed in changes.items()),
        f"without a list every month, so not in this table: {', '.join(without)}" * bool(without),
    ]
    in_tenths = rows.with_columns(accuracy_tenths=(pl.col("accuracy_millionths") + 500) // 1000)
    table = figures_table(in_tenths, {"system": "system", "games": "games", **head, **less})
    return [table, *(Paragraph(note) for note in notes if note)]


def _losses(tables: Tables) -> pl.DataFrame:
    """Return the differences of the log loss over all games."""
    return tables["differences"].filter(pl.col("measure") == "log_loss", pl.col("grouping") == "all")


def _chosen(study: Study, start: str, names: Sequence[str]) -> tuple[list[Replay], dict[str, pl.DataFrame]]:
    """Return the replays that are compared, in the order of their names, and the predictions from elsewhere by name.

    Raises :class:`NothingReadError` where a system was not replayed, or with other inputs; :class:`CommandLineError`
    where there is no family of that name either.
    """
    files = sorted(study.folder.glob(f"{study.time_control}-{start}/*/{FACTS}"))
    by_name = {replay.name: replay for replay in (Replay.read(file.parent) for file in files)}
    in_order = sorted(by_name, key=lambda name: (name != study.family, name))
    systems = [name for name in names if not name.endswith(".parquet")] if names else in_order
    options = "" if study.time_control == "standard" else f" --time-control {study.time_control}"
    options += "" if start == "list" else f" --start {start}"
    remedy = f"Replay first: ratinglist lab replay --systems {','.join(systems) or 'fide,club,glicko'}{options}"
    missing = [name for name in systems if name not in by_name]
    if missing or not systems:
        replayed = f" Replayed were {', '.join(in_order)}." if in_order else ""
        known = all(name in rule_book().families or "+" in name for name in missing)
        error = NothingReadError if known else CommandLineError
        what = f"Not replayed: {', '.join(missing)}." if missing else "No system was replayed so."
        raise error(f"{what}{replayed} {remedy if known else 'ratinglist rules shows the families that there are.'}")
    replays = [by_name[name] for name in systems]
    if len({replay.facts["entry"] for replay in replays}) > 1:
        raise NothingReadError(f"The office changed between the replays of {', '.join(systems)}. {remedy}")
    games = pl.concat(replay.predictions for replay in replays).unique(PREDICTION_TABLE.key, maintain_order=True)
    paths = [Path(name) for name in names if name.endswith(".parquet")]
    return replays, {path.stem: from_elsewhere(path, games) for path in paths}


def study_tables(
    study: Study, replays: Sequence[Replay], elsewhere: Mapping[str, pl.DataFrame] | None = None
) -> dict[str, pl.DataFrame]:
    """Return :data:`TABLES` of a comparison, by name.

    ``elsewhere``: predictions from elsewhere (``PREDICTION_TABLE``) by name. Common games are those of the systems with
    a list every month.
    """
    predictions = {replay.name: replay.predictions for replay in replays} | dict(elsewhere or {})
    few = {replay.name for replay in replays if replay.facts["lists"] < len(study.months)}
    monthly = [name for name in predictions if name not in few] or list(predictions)
    months = [(replay.name, month) for replay in replays for month in replay.facts["months"]]
    lists = pl.concat(replay.lists.with_columns(system=pl.lit(replay.name)) for replay in replays)
    births = study.players(study.months[-1]).select("fide_id", "birth_year")
    frames = {
        "prediction": pl.concat(rows.with_columns(system=pl.lit(name)) for name, rows in predictions.items()),
        "monthly": pl.DataFrame({"system": monthly}),
        "known": study.list_before().join(births, on="fide_id", how="full", coalesce=True),
        "replayed_month": pl.DataFrame(months, ["system", "list_month"], orient="row"),
        "replayed_list": lists,
        "official": study.official(),
    }
    return measured(TABLES, "scored", frames, year=study.months[0].first_day.year)


def what_if(
    settings: Settings,
    family: str,
    changes: tuple[str, ...],
    *,
    first: Period | None = None,
    last: Period | None = None,
    start: str = "list",
    time_control: str = "standard",
    out: Path | None = None,
) -> Facts:
    """Replay a family as it is and with ``changes`` (``section.key=value``), and write who moves and the comparison.

    Raises :class:`CommandLineError` for a change that the family does not allow, :class:`NothingReadError` where there
    is no list to compare, :class:`~ratinglist.errors.StoreInUseError` while another laboratory command runs.

    Out: ``family``; ``changed``: the name of the changed one; ``list_month``: the last list; ``changes``: each with the
    value before; ``folder`` and ``files``; the rows of each table by its name.
    """
    folder = out or Path("what-if")
    check_folder(folder, PAGE)
    rules, values = altered(rule_book(), family, changes)
    name = f"{family}+{len(values)}"
    as_it_is, changed = (checked(System(rules_name, rules), time_control, start) for rules_name in (family, name))
    with studied(settings, first, last, time_control) as study:
        lines = described(rules, family, values, [month.first_day for month in study.months])
        systems = [as_it_is, replace(changed, changes=lines)]
        replays = [replay_system(study, system, start, settings.progress) for system in systems]
        listed = [set(replay.facts["months"][1:]) for replay in replays]
        month = max(listed[0] & listed[1], default="")
        if not month:
            raise NothingReadError(
                f"The family {family} publishes no list from {study.months[0]} to {study.months[-1]}. Name more months."
            )
        lists = [replay.lists.filter(list_month=month) for replay in replays]
        described_players = study.players(study.months[-1]).select("fide_id", "name", "federation")
        frames = {"as_it_is": lists[0], "changed": lists[1], "described": described_players}
        tables = {
            **study_tables(study, replays),
            **measured([MOVED_TABLE, LARGEST_TABLE], "compared", frames),
        }
    about = (
        f"The family {family} with changed values, months {study.months[0]} to {study.months[-1]} of this office, "
        f"{time_control}. This is a study: no such list is published."
    )
    changed_values = Entries([(Code(line),) for line in lines])
    # Who moves comes first: it is the question.
    moved: list[Part] = [
        Paragraph(about),
        Heading("Who moves"),
        Paragraph(f"The last list under the regulations as they are, and under {name}:"),
        changed_values,
        _moved(tables["moved"]),
        Paragraph(("The largest differences; ", Code("largest.parquet"), " has a hundred.")),
        Table.of(("FIDE ID", "name", "federation", "rating", "changed", "difference"), tables["largest"].head(20)),
    ]
    document = report_document(f"What if: {name}", moved, _side_by_side(tables, family, {}), family, tables)
    files = write_measured(folder, PAGE, document, tables, WHAT_IF_TABLES)
    losses = _losses(tables).filter(pl.col("system") == name).with_columns(measure=pl.lit("log loss"))
    shown: list[Part] = [
        changed_values,
        _moved(tables["moved"].head(1)),
        figures_table(losses, {"measure": "measure", "games": "games", **_INTERVAL}),
        Paragraph("where 0 is within the interval, these games do not decide which predicts better"),
        Paragraph(f"{counted(len(files), 'file')} in {folder}; nothing is published"),
    ]
    facts = {"family": family, "changed": name, "list_month": month, "changes": lines, "folder": str(folder)}
    title = f"{name}, list of {month}, compared with {family}:"
    return Facts(title, {**facts, "files": files, **tables}, as_lines(shown))


def report_document(
    title: str, first: Sequence[Part], losses: Sequence[Part], reference: str, tables: Tables
) -> Document:
    """Return the report.

    In: ``first``: the parts before the predictions; ``losses``: the systems side by side; ``reference``: the system
    that the others are compared with; ``tables``: the rows by the name of the table.
    """
    of_reference = tables["differences"].filter(pl.col("reference") == reference)
    of_all, is_log_loss = pl.col("grouping") == "all", pl.col("measure") == "log_loss"
    parts: list[Part] = [
        *first,
        Heading("Prediction"),
        Paragraph(
            "Every game is predicted from the ratings in force when its event began; the lower a loss, the better."
        ),
        *losses,
        Heading(f"Difference from {reference}"),
        Paragraph(
            "Mean loss less that of the reference on the games that both predict, with an interval of 95 %, games of "
            "one event taken together. An interval below 0: the system predicts better; one that contains 0: these "
            "games do not decide it."
        ),
        figures_table(
            of_reference.filter(of_all).with_columns(pl.col("measure").str.replace("_", " ")),
            {"system": "system", "measure": "measure", "games": "games", "events": "events", **_INTERVAL},
        ),
        Heading("Calibration"),
        Paragraph(
            "Score less expected score of White, by the difference of the ratings. Above 0 White scored more than the "
            "system expected. Where 0 is within a band, these games do not show that the system is wrong there."
        ),
        Figures(calibration_charts(tables)),
        Heading("By group"),
        Paragraph("Difference of the log loss."),
        figures_table(
            of_reference.filter(~of_all, is_log_loss).with_columns(pl.col("grouping").str.replace("_", " ")),
            {"system": "system", "grouping": "group", "value": "value", "games": "games", **_INTERVAL},
        ),
        Heading("Lists"),
        Paragraph(
            (
                "The last list of each system. ",
                Code("10 games"),
                ": mean change of the players with 10 games or more in the month. ",
                Code("reversals"),
                ": changes in the other direction than the one before.",
            )
        ),
        _lists(tables["movement"]),
        Figures(list_charts(tables)),
    ]
    return Document(title, parts)


def _moved(rows: pl.DataFrame) -> Table:
    head = {
        "grouping": "group",
        "value": "value",
        "players": "on both",
        "moved": "moved",
        "entering": "enter",
        "leaving": "leave",
        "mean_hundredths": "mean",
        "lower_hundredths": "5 %",
        "median_hundredths": "median",
        "upper_hundredths": "95 %",
    }
    return figures_table(rows.with_columns(pl.col("grouping").replace({"all": "all players"})), head)


def calibration_charts(tables: Tables) -> list[Figure]:
    """Return the calibration of each system as a chart, with a band of 95 % around its line."""
    middle = pl.col("score_millionths") - pl.col("expected_millionths")
    half = (196 * pl.col("error_millionths") + 99) // 100
    calibration = (
        tables["calibration"]
        .filter(pl.col("grouping") == "difference", pl.col("games") >= _FEWEST_GAMES)
        .select("system", x=pl.col("value").cast(pl.Int64), y=middle, low=middle - half, high=middle + half)
        .sort("x")
    )
    figures = []
    for number, name in enumerate(_best(tables), 1):
        rows = calibration.filter(pl.col("system") == name)
        if rows.is_empty():
            continue
        chart = Chart(
            f"calibration-{number}",
            f"Calibration of {name}",
            f"Score less expected score of White by {name}, with a band of 95 %, by the difference of the ratings.",
            "White's rating less Black's, from",
            "score less expected",
            6,
        )
        line = Series(name, rows.select("x", "y").rows())
        figures.append(Figure(chart, line_chart(chart, [line], band=rows.select("x", "low", "high").rows())))
    return figures


def list_charts(tables: Tables) -> list[Figure]:
    """Return the charts of the lists that the tables have values for."""
    movement = tables["movement"].with_columns(index=LIST_INDEX).sort("index")
    figures = []
    for name, column, title, decimals in _OF_LISTS:
        rows = movement.drop_nulls(column)
        lines = {system: rows.filter(system=system).select("index", column).rows() for system in _best(tables)}
        if series := [Series(system, points) for system, points in lines.items() if points]:
            chart = Chart(name, title, f"{title}, by list and system.", "list", title.lower(), decimals)
            ticks = rows.select("index", "list_month").unique(maintain_order=True).rows()
            figures.append(Figure(chart, line_chart(chart, series, ticks)))
    return figures


def _best(tables: Tables) -> list[str]:
    """Return the systems that the charts show: those that predict the common games best."""
    common = tables["scores"].filter(pl.col("games_of") == "common").sort("log_loss_millionths", "system")
    systems = common["system"].to_list() or tables["movement"]["system"].unique().sort().to_list()
    return systems[:_MOST_LINES]


def _lists(movement: pl.DataFrame) -> Table:
    last = movement.sort("system", "list_month").group_by("system", maintain_order=True).last()
    share = 100 * pl.col("reversals") // pl.max_horizontal("changed_twice", 1)
    return figures_table(
        last.with_columns(share=pl.when(pl.col("changed_twice") > 0).then(share)),
        {
            "system": "system",
            "list_month": "list",
            "players": "players",
            "mean_hundredths": "mean",
            "same_mean_hundredths": "same players",
            "top_mean_hundredths": "top 100",
            "busy_change_hundredths": "10 games",
            "share": "reversals, %",
            "official_difference_hundredths": "less official",
            "rank_correlation_millionths": "rank correlation",
        },
    )
