"""The command `ratinglist statistics`: statistics of a published list, and the flow of points since an earlier one.

Everything is a whole number, and exact until it is rounded, half up, in the last step.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import astuple
from math import isqrt
from pathlib import Path

import polars as pl

from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.lists import list_reader
from ratinglist.lists.official_rows import OFFICIAL_ROW
from ratinglist.pages.charts import Chart, Series, line_chart
from ratinglist.pages.document import Document, Figure, Figures, Heading, Paragraph, Part, Table, figures_table
from ratinglist.period import Period
from ratinglist.publication import revisions
from ratinglist.rating.rules import SystemRuleSet
from ratinglist.rating.systems.fsi_1998 import CATEGORIES, CategoryRules
from ratinglist.rating.systems.registry import SYSTEMS
from ratinglist.settings import LOG, Settings
from ratinglist.store.database import Store
from ratinglist.store.rule_files import rule_book
from ratinglist.summaries import Facts, frame_table
from ratinglist.tables import LISTS, Column, Table as TableOf
from ratinglist.text import counted, grouped, quoted
from ratinglist.workflows import sql
from ratinglist.workflows.opening import open_to_read
from ratinglist_lab.measures import LIST_INDEX, check_folder, measured, write_measured

LOWER_LIMITS = {
    "GM": 2500,
    "IM": 2400,
    "FM": 2300,
    "CM": 2200,
    "WGM": 2300,
    "WIM": 2200,
    "WFM": 2100,
    "WCM": 2000,
}
"""The rating that each title requires of a player once (FIDE Title Regulations)."""

LISTS_LATER = 12
"""After how many lists newcomers are looked at again."""

_LIST = {
    "time_control": Column(pl.String(), "standard, rapid, blitz"),
    "list_month": Column(pl.String(), "the list"),
}
_GROUP = {
    "grouping": Column(pl.String(), "all, active, title, with_reference, born_after, category"),
    "value": Column(pl.String(), "the title, the year, or the category; else empty"),
}
GROUP_TABLE = TableOf(
    "groups",
    "group of players on a list",
    {
        **_LIST,
        **_GROUP,
        "players": Column(pl.Int32(), "number of players"),
        "rating_sum": Column(pl.Int64(), "sum of their ratings"),
        "mean_hundredths": Column(pl.Int32(), "mean rating"),
        "deviation_hundredths": Column(pl.Int32(), "standard deviation, over the number of players"),
        "standard_error_hundredths": Column(pl.Int32(), "of the mean: the deviation over the root of the number"),
        "mean_age_hundredths": Column(pl.Int32(), "mean age in years; null: no year of birth is known", null=True),
        "lower_limit": Column(pl.Int32(), "the rating that the title or category requires once", null=True),
        "below_limit": Column(pl.Int32(), "players rated below it", null=True),
        "share_below_hundredths": Column(pl.Int32(), "their share", null=True),
    },
    key=("time_control", "grouping", "value"),
)
BAND_TABLE = TableOf(
    "bands",
    "group of players on a list, and band of 100 points that has any of them",
    {
        **_LIST,
        **_GROUP,
        "band": Column(pl.Int32(), "the lowest rating of the band"),
        "players": Column(pl.Int32(), "players in it"),
    },
    key=("time_control", "grouping", "value", "band"),
)
BIRTH_YEAR_TABLE = TableOf(
    "birth_years",
    "year of birth of players on a list",
    {
        **_LIST,
        "birth_year": Column(pl.Int32(), "the year"),
        "players": Column(pl.Int32(), "players born in it"),
        "rating_sum": Column(pl.Int64(), "sum of their ratings"),
        "mean_hundredths": Column(pl.Int32(), "their mean rating"),
    },
    key=("time_control", "birth_year"),
)
FLOW_TABLE = TableOf(
    "flow",
    "part of the flow of points between two lists",
    {
        "time_control": Column(pl.String(), "standard, rapid, blitz"),
        "from_month": Column(pl.String(), "the earlier list"),
        "list_month": Column(pl.String(), "the later list"),
        "part": Column(
            pl.String(),
            "before, after: all players of a list; games: changes by games of players on both lists; other_changes: "
            "the rest of their changes, such as a one-time step or a correction; entering, leaving: ratings of players "
            "on the later, on the earlier list alone",
        ),
        "players": Column(pl.Int32(), "number of players; for the changes those whose rating they moved"),
        "points": Column(pl.Int64(), "sum of ratings, or of changes"),
        "mean_hundredths": Column(pl.Int32(), "points per player; null without players", null=True),
    },
    key=("time_control", "part"),
)
INFLATION_TABLE = TableOf(
    "inflation",
    "list of the series",
    {
        **_LIST,
        "players": Column(pl.Int32(), "players on it"),
        "mean_hundredths": Column(pl.Int32(), "their mean rating", null=True),
        "same_players": Column(pl.Int32(), "players on every list of the series"),
        "same_mean_hundredths": Column(pl.Int32(), "their mean rating on this list", null=True),
        "top_players": Column(pl.Int32(), "the best players: 100, or all where there are fewer"),
        "top_mean_hundredths": Column(pl.Int32(), "their mean rating", null=True),
        "entered": Column(pl.Int32(), "players who entered with this list; null: it was imported", null=True),
        "entered_mean_hundredths": Column(pl.Int32(), "their mean rating on it", null=True),
        "entered_12_before": Column(
            pl.Int32(), "players who entered 12 lists before and are on this one; null: not known", null=True
        ),
        "mean_at_entry_hundredths": Column(pl.Int32(), "their mean rating when they entered", null=True),
        "mean_now_hundredths": Column(pl.Int32(), "their mean rating on this list", null=True),
        "games": Column(pl.Int32(), "games that changed both ratings; null: not published", null=True),
        "points_gained_hundredths": Column(
            pl.Int64(), "changes of both players of these games together, before rounding", null=True
        ),
        "games_of_one_side": Column(pl.Int32(), "games that changed one rating alone", null=True),
        "points_of_one_side_hundredths": Column(pl.Int64(), "the changes of these, before rounding", null=True),
        "deviation_hundredths": Column(pl.Int32(), "standard deviation of all players", null=True),
        "standard_error_hundredths": Column(pl.Int32(), "of their mean rating", null=True),
    },
    key=("time_control", "list_month"),
)
REFERENCE_TABLE = TableOf(
    "reference",
    "band of the own rating; the first row, without a band, has all players on both lists",
    {
        **_LIST,
        "band": Column(pl.Int32(), "the lowest rating of the band; null: all players", null=True),
        "players": Column(pl.Int32(), "players on both lists"),
        "difference_sum": Column(pl.Int64(), "sum of own rating − reference rating"),
        "mean_difference_hundredths": Column(pl.Int32(), "their mean difference"),
        "slope_ten_thousandths": Column(
            pl.Int32(), "own points for a reference point on the line of best fit; null in a band", null=True
        ),
        "intercept_hundredths": Column(pl.Int64(), "own rating at a reference rating of 0 on that line", null=True),
        "reverse_slope_ten_thousandths": Column(
            pl.Int32(), "the other direction: reference points for an own point; null in a band", null=True
        ),
        "reverse_intercept_hundredths": Column(
            pl.Int64(), "reference rating at an own rating of 0 on that line", null=True
        ),
    },
    key=("time_control", "band"),
)
TABLES = (GROUP_TABLE, BAND_TABLE, BIRTH_YEAR_TABLE, FLOW_TABLE, INFLATION_TABLE, REFERENCE_TABLE)

_SHOWN = {
    "groups": "Groups of players",
    "flow": "Flow of points",
    "inflation": "From list to list",
    "birth_years": "Years of birth",
    "reference": "Compared with the reference list",
}
"""The tables that the page shows, and their headings; the bands are a chart."""
_LINES = (
    ("own", "reference", "slope_ten_thousandths", "intercept_hundredths"),
    ("reference", "own", "reverse_slope_ten_thousandths", "reverse_intercept_hundredths"),
)
"""The lines of best fit: the rating that each gives, of which rating, and the columns of its slope and its start."""


def statistics_document(month: str, tables: Mapping[str, pl.DataFrame], notes: Sequence[str]) -> Document:
    """Return the statistics of a month's list with charts.

    In: ``tables``: the rows of every table of the command by its name; ``notes``: what is missing, a sentence each.
    """
    parts: list[Part] = [Paragraph(note) for note in notes]
    for control in tables["groups"]["time_control"].unique(maintain_order=True):
        of_control = {name: rows.filter(time_control=control) for name, rows in tables.items()}
        parts += [Heading(control.capitalize()), Figures(list(_figures(control, of_control)))]
        for name, title in _SHOWN.items():
            if of_control[name].height:
                parts += [Heading(title, level=3), _table(of_control[name])]
        parts += [
            Paragraph(
                f"Line of best fit: {rating} rating = {grouped(slope, 4)} × {of} rating "
                f"{'-' if start < 0 else '+'} {grouped(abs(start), 2)}."
            )
            for rating, of, *columns in _LINES
            for slope, start in of_control["reference"].select(columns).drop_nulls().iter_rows()
        ]
    return Document(f"Statistics of the list of {month}", parts)


def _table(rows: pl.DataFrame) -> Table:
    """Return the columns of a table that have values, and more than one list month."""
    names = [name for name in rows.columns if rows[name].count() and not any(name in line for line in _LINES)]
    shown = [name for name in names if name != "time_control" and (name != "list_month" or rows[name].n_unique() > 1)]
    titles = {name: name.removesuffix("_hundredths").replace("_", " ") for name in shown}
    return figures_table(rows.with_columns(pl.col("^(band|birth_year)$").cast(pl.String)), titles)


def _figures(control: str, rows: Mapping[str, pl.DataFrame]) -> Iterator[Figure]:
    """Yield the distribution, the mean by year of birth, and the means from list to list, where there are any."""
    players = dict(rows["bands"].filter(grouping="all").select("band", "players").iter_rows())
    numbers = [(band, players.get(band, 0)) for band in range(min(players), max(players) + 100, 100)]
    chart = Chart(
        f"distribution-{control}",
        "Distribution of the ratings",
        f"Number of players in each band of 100 points, {control}.",
        "rating from",
        "players",
    )
    area = [(band, 0, number) for band, number in numbers]
    yield Figure(chart, line_chart(chart, [Series("players", numbers)], band=area))
    if rows["birth_years"].height:
        chart = Chart(
            f"births-{control}",
            "Mean rating by year of birth",
            f"Mean rating of the players born in each year, {control}.",
            "year of birth",
            "mean rating",
            2,
        )
        means = Series("mean", rows["birth_years"].select("birth_year", "mean_hundredths").rows())
        yield Figure(chart, line_chart(chart, [means]))
    lists = rows["inflation"].with_columns(index=LIST_INDEX)
    if lists.height > 1:
        lines = [
            Series("all players", lists.select("index", "mean_hundredths").rows()),
            Series("the same players", lists.select("index", "same_mean_hundredths").rows()),
        ]
        chart = Chart(
            f"same-players-{control}",
            "Mean rating from list to list",
            "Mean rating of all players, and of the same players: those on every list shown.",
            "list",
            "mean rating",
            2,
        )
        yield Figure(chart, line_chart(chart, lines, lists.select("index", "list_month").rows()))


PAGE = "statistics.html"


def of_groups(groups: Sequence[tuple[int, int, int]]) -> tuple[int, int, int]:
    """Return number, mean and standard deviation of several groups together, the last two in hundredths.

    In: number, mean and standard deviation of each group, without decimals. The deviation is that over the number:
    its square is the mean of sd² + (m − mean)² over all players.
    """
    count = sum(number for number, _, _ in groups)
    total = sum(number * mean for number, mean, _ in groups)
    squares = sum(number * (deviation**2 + mean**2) for number, mean, deviation in groups)
    deviation = (isqrt(4 * 100**2 * (count * squares - total**2)) + count) // (2 * count)
    return count, (200 * total + count) // (2 * count), deviation


def pooled(groups: Sequence[tuple[int, int, int]]) -> Facts:
    """Return the figures of several groups together; in: number, mean and standard deviation of each."""
    players, mean, deviation = of_groups(groups)
    title = f"{len(groups)} groups together, {players:,} players"
    return Facts(title, {"title": title, "mean": mean / 100, "standard_deviation": deviation / 100})


def statistics(
    settings: Settings,
    period: Period,
    *,
    against: Period | None = None,
    first: Period | None = None,
    reference: Path | None = None,
    born_after: int = 1980,
    by: str | None = None,
    out: Path | None = None,
) -> Facts:
    """Calculate the statistics of a published list, and write them to a folder as Parquet and as a page with charts.

    ``against``: the earlier list of the flow; default: the newest before. ``first``: the first list of the series;
    default: 12 lists before ``period``, or the oldest known after that. Imported lists count as published ones do.
    ``by``: ``category`` adds the groups by the category that the system of the list keeps of its players.
    ``reference``: a file of another list to compare with, in any format of ``import-list``. ``out``: default
    ``statistics-YYYY-MM`` in the current folder; files of an earlier run are replaced. A copy of ``published/`` alone
    has no imported lists.

    Raises :class:`NothingReadError` where a list is not known, :class:`CommandLineError` where ``out`` cannot be used.
    Then nothing is written.

    Out: ``month``, ``revision``, ``folder``, ``files``; ``notes``: what could not be calculated; the rows of each table
    by its name.
    """
    folder = out or Path(f"statistics-{period}")
    check_folder(folder, PAGE)
    start = period - LISTS_LATER if first is None else first
    if max(start, against or start) >= period:
        raise CommandLineError(f"--against and --from name a list before {period}.")
    notes: list[str] = []
    of_controls: list[dict[str, pl.DataFrame]] = []
    is_copy = not (settings.home / LOG).is_dir() and settings.published.is_dir()
    with nullcontext() if is_copy else open_to_read(settings, shows_published=True) as store:
        revision = revisions.chosen(settings.published, period, None)
        for control in LISTS:
            settings.progress(f"reading {control}", 0, 1)
            frames = _frames(store, settings.published, control, period, min(start, against or start))
            if frames["listed"].is_empty():
                continue
            limits: dict[str, int] = {}
            if by == "category":
                categories, limits = _categories(frames["listed"], store, settings.family, control, period)
                frames["listed"] = frames["listed"].update(categories, on="fide_id")
                if not limits:
                    notes.append(
                        f"{control}: the system of this list has no categories of ratings; players are shown by title"
                    )
            if reference is not None:
                frames["listed"] = frames["listed"].update(_reference(reference, period, control), on="fide_id")
            before = _list_before(frames["series_month"], control, period, against)
            if before is None:
                notes.append(f"{control}: no earlier list is known: there is no flow of points")
            frames["player_group"] = _groups(born_after, limits)
            days = {"list_month": str(period), "before": before, "first": str(start), "year": period.first_day.year}
            tables = measured(TABLES, "member", frames, **days)
            of_list = (pl.lit(control).alias("time_control"), pl.col("list_month").fill_null(str(period)))
            of_controls.append({name: rows.with_columns(of_list) for name, rows in tables.items()})
    if not of_controls:
        raise NothingReadError(f"The list of {period} has no player: there are no statistics.")
    every = {table.name: pl.concat(tables[table.name] for tables in of_controls) for table in TABLES}
    files = write_measured(folder, PAGE, statistics_document(str(period), every, notes), every, TABLES)
    of_all = every["groups"].filter(pl.col("grouping") == "all")
    figures = of_all.select("time_control", "players", "mean_hundredths", "deviation_hundredths")
    lines = ["", *frame_table(figures), "", *frame_table(every["flow"]), *(f"  note: {note}" for note in notes)]
    facts = {"month": str(period), "revision": revision.name, "folder": str(folder), "files": files, "notes": notes}
    title = f"List of {period} ({revision.name}): {counted(len(files), 'file')} in {folder}"
    return Facts(title, {**facts, **every}, lines)


def _frames(
    store: Store | None, published: Path, control: str, period: Period, first: Period
) -> dict[str, pl.DataFrame]:
    """Return the players of a list with what they are grouped by, and the lists, changes and games before it, by name.

    A month of the series from ``first`` on that is not published has its imported list. The changes and games begin
    :data:`LISTS_LATER` lists earlier: who entered with those is looked at again in the series.
    """
    month, start, earliest = (quoted(str(day)) for day in (period, first, first - LISTS_LATER))
    of_control = f"time_control = {quoted(control)}"
    # The months are constants, so that only the files of these are opened.
    queries = {
        "listed": f"""
            select fide_id, rating, birth_year, title, women_title, flag,
                null::varchar as category, null::integer as reference_rating
            from lists where {of_control} and list_month = {month}
        """,  # noqa: S608 - quoted texts
        "series": f"""
            select fide_id, rating, list_month from lists
            where {of_control} and list_month between {start} and {month}
        """,  # noqa: S608 - quoted texts
        "change": f"""
            select list_month, fide_id, change, new_rating, status from changes
            where {of_control} and new_rating is not null and list_month between {earliest} and {month}
        """,  # noqa: S608 - quoted texts
        "side": f"""
            select list_month, event_id, round, fide_id, opponent_id, change_hundredths from games
            where {of_control} and rated and list_month between {earliest} and {month}
        """,  # noqa: S608 - quoted texts
        "published_month": f"""
            select distinct list_month from lists where list_month between {earliest} and {month} order by list_month
        """,  # noqa: S608 - quoted texts
    }
    with sql.connect(published.resolve()) as connection:
        frames = {name: connection.sql(query).pl() for name, query in queries.items()}
    if store is not None:
        imported = store.read(
            """
            select fide_id, rating, month as list_month from imported_list
            where time_control = $control and rating is not null and month between $first and $month
            """,
            control=control,
            first=str(first),
            month=str(period),
        )
        imported = imported.join(frames["published_month"], on="list_month", how="anti")
        frames["series"] = pl.concat([frames["series"], imported])
    return {**frames, "series_month": frames["series"].select("list_month").unique()}


def _groups(born_after: int, limits: dict[str, int]) -> pl.DataFrame:
    """Return the groups of players: ``place``, ``grouping``, ``value`` and ``lower_limit``."""
    groups = [
        ("all", "", None),
        ("active", "", None),
        *(("title", title, limit) for title, limit in LOWER_LIMITS.items()),
        ("with_reference", "", None),
        ("born_after", str(born_after), None),
        *(("category", category, limits[category]) for category in sorted(limits)),
    ]
    return pl.DataFrame(groups, ["grouping", "value", "lower_limit"], orient="row").with_row_index("place")


def _categories(
    players: pl.DataFrame, store: Store | None, family: str, control: str, period: Period
) -> tuple[pl.DataFrame, dict[str, int]]:
    """Return ``fide_id`` and ``category`` of the players, that of their system or of their rating, and the limits.

    Without rows and limits where the system has no categories of ratings.
    """
    if store is None:
        raise NothingReadError("--by category needs the home of the office: a copy of published/ has no categories.")
    categories = players.select("fide_id", "category").clear()
    rule_set = rule_book().on(family, control, period.first_day)
    if not isinstance(rule_set, SystemRuleSet):
        return categories, {}
    if levels := SYSTEMS[rule_set.system].levels:
        reached = [pl.when(pl.col("rating") >= limit).then(pl.lit(name)) for name, limit in levels.items()]
        return players.select("fide_id", pl.coalesce(reached[::-1]).alias("category")), dict(levels)
    rules = getattr(rule_set.own, "category", None)
    if not isinstance(rules, CategoryRules):
        return categories, {}
    categories = store.read(
        """
        select fide_id, category from calculated_system_state
        where month = $month and time_control = $control and category <> ''
        """,
        month=str(period),
        control=control,
    )
    return categories, dict(zip(CATEGORIES, astuple(rules), strict=True))


def _list_before(series_month: pl.DataFrame, control: str, period: Period, against: Period | None) -> str | None:
    """Return the month of the list that the flow of points begins with; None where no earlier list is known."""
    months = series_month["list_month"].to_list()
    if against is not None and str(against) not in months:
        raise NothingReadError(f"There is no {control} list of {against}, published or imported: name another month.")
    return str(against) if against else max((month for month in months if month < str(period)), default=None)


def _reference(path: Path, period: Period, control: str) -> pl.DataFrame:
    """Return ``fide_id`` and ``reference_rating`` of the players of a list file who are rated for a time control."""
    rows = pl.concat([OFFICIAL_ROW.empty(), *(batch.rows for batch in list_reader.read(path, month=period))])
    rated = rows.filter(pl.col("time_control") == control, pl.col("rating").is_not_null())
    return rated.select("fide_id", reference_rating="rating")
