"""Make a site from the published folder: data files, pages, and the files for downloading.

Frames go through column expressions; the loops are over months, time controls and files.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from ratinglist.analysis.inflation import mean_gained, one_time_step
from ratinglist.analysis.list_statistics import mean_hundredths
from ratinglist.concurrency import map_ordered
from ratinglist.config import Progress, silent
from ratinglist.rating.rules import RuleBook
from ratinglist.schemas import LISTED, POOL, UNRATED
from ratinglist.site import data_file, pages, player_data
from ratinglist.site.data_file import as_json
from ratinglist.site.event_data import EventRules, event_data, event_places, events_of_players
from ratinglist.site.folder import PLAYERS_OF_SLICE, CollectedRows, Download, SiteFolder, parts_for, put_downloads
from ratinglist.site.month_calculation import MonthCalculation, MonthTables, month_calculation
from ratinglist.site.month_page import Section, control_section, event_sections, month_page
from ratinglist.site.pages import Frame
from ratinglist.site.player_data import PERSON, PLAYERS_OF_FILE, PlayerData, newest_ratings, player_files
from ratinglist.site.published_months import PublishedMonth, event_names, meta
from ratinglist.site.search_data import search_data
from ratinglist.site.texts import SiteTexts


@dataclass(frozen=True, slots=True)
class Request:
    """What a site is made of.

    ``months``: oldest first (:func:`~ratinglist.site.published_months.months_of_site`). ``birth_years``: false leaves
    the years of birth out of every page and data file. ``downloads``: writes the files for downloading of the newest
    list into a folder, and returns their names.
    """

    published: Path
    months: Sequence[PublishedMonth]
    book: RuleBook
    texts: SiteTexts
    birth_years: bool = True
    downloads: Callable[[Path], list[Path]] | None = None
    progress: Progress = field(default=silent, compare=False)


def build_site(folder: SiteFolder, request: Request) -> tuple[int, int]:
    """Write the site; return how many months of events were made, not linked, and the number of players."""
    site = _Build(folder, request)
    site.months()
    site.players()
    site.lists()
    site.pages()
    folder.put_in_place(site.facts)
    return site.made, site.player_count


class _Build:
    """One build: the frames that several steps share."""

    def __init__(self, folder: SiteFolder, request: Request) -> None:
        self.folder, self.request = folder, request
        self.shown = [month for month in request.months if month.is_shown]
        self.newest = self.shown[-1]
        rows = max(map(self.newest.rows, self.newest.controls))
        self.collected = CollectedRows(folder.temporary("rows"), parts_for(rows, PLAYERS_OF_SLICE))
        self.data = PlayerData(self.collected)
        self.program = pages.program_digest()
        self.made = 0
        self.keys = {month.name: self._key(month) for month in self.shown}
        self.trend: list[tuple[str, str, str, dict[str, pages.Trend]]] = []
        version = hashlib.sha256(json.dumps([self.program, self._options(), self.keys]).encode()).hexdigest()
        self.frame = Frame(request.texts, version[:12], self.newest.name)
        self.facts: dict[str, Any] = {"program": self.program, "months": self.keys}

    def _options(self) -> list[object]:
        return [self.request.birth_years, self.request.texts.page["language"], self.request.downloads is not None]

    def _key(self, month: PublishedMonth) -> str:
        """Return a digest of what the events of a month are made of: its revision, and those of the lists before."""
        before = [one.manifest.digest for one in self.request.months if one.name in set(month.before.values())]
        return hashlib.sha256(json.dumps([self.program, month.manifest.digest, before]).encode()).hexdigest()

    # ---------------------------------------------------------------------------------------------------- months

    def months(self) -> None:
        """Collect the data of the players month after month; write the events and the facts of each month shown."""
        by_name: dict[str, pl.DataFrame] = {}
        pools: dict[str, pl.DataFrame] = {}
        names_of_events: dict[str, pl.DataFrame] = {}
        for month in self.request.months:
            self.request.progress("reading months", month.number, len(self.request.months))
            month.check(downloads=month is self.newest and self.request.downloads is not None)
            lists = self._lists(month)
            # Of a month that is not shown there are no games, so it names no players but those of its lists.
            unrated = month.table("unrated") if month.is_shown else UNRATED.empty()
            self.data.add_lists(month.number, lists, unrated)
            by_name[month.name] = lists
            events = month.table("events")
            names_of_events[month.name] = events.select("event_id", "name")
            pool = month.table("pool")
            # Results that wait were counted by lists that need not be shown.
            for counted in set(pool["counted_month"].drop_nulls()) - set(names_of_events):
                names_of_events[counted] = event_names(self.request.published, counted)
            self.data.add_pool(month.number, _named_pool(pool, names_of_events))
            pools[month.name] = pool
            if month.is_shown:
                changes, games = self._shown_month(month, lists, by_name, events, unrated)
                calculation = self._calculation(month, changes, games, by_name, pools)
                results = _named_pool(calculation.results, names_of_events)
                self.data.add_calculation(month.number, replace(calculation, results=results))
            # Of earlier lists only those are kept that a later one of these months comes after.
            wanted = {name for later in self.request.months[month.number + 1 :] for name in later.before.values()}
            by_name, pools = (
                {name: rows for name, rows in kept.items() if name in wanted or name == month.name}
                for kept in (by_name, pools)
            )

    def _lists(self, month: PublishedMonth) -> pl.DataFrame:
        lists = month.lists()
        return lists if self.request.birth_years else lists.with_columns(pl.lit(None, pl.Int32).alias("birth_year"))

    def _shown_month(
        self,
        month: PublishedMonth,
        lists: pl.DataFrame,
        by_name: dict[str, pl.DataFrame],
        events: pl.DataFrame,
        unrated: pl.DataFrame,
    ) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Write the events and the page of a month, and return its changes and games."""
        changes, games = month.table("changes"), month.table("games")
        self.data.add_events(month.number, events_of_players(event_places(events, games), games))
        before = self._before_of(month, by_name)
        # The later table wins, as in `explain`.
        named = [one.select(_NAMED) for one in (LISTED.empty(), *before.values(), _untitled(unrated), lists)]
        names = pl.concat(named).unique("fide_id", keep="last", maintain_order=True)
        is_kept = self.folder.facts.get("months", {}).get(month.name) == self.keys[month.name]
        if not (is_kept and self.folder.keep(f"data/g/{month.name}") and self.folder.keep(f"data/e/{month.name}")):
            self._events(month, events, games, names)
        self._page(month, lists, before, changes, names, event_sections(self.frame, month.name, events, games))
        return changes, games

    def _before_of(self, month: PublishedMonth, by_name: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
        """Return the lists before by time control, of those that are published."""
        return {
            control: by_name[name].filter(pl.col("time_control") == control)
            for control, name in month.before.items()
            if name in by_name
        }

    def _calculation(
        self,
        month: PublishedMonth,
        changes: pl.DataFrame,
        games: pl.DataFrame,
        by_name: Mapping[str, pl.DataFrame],
        pools: Mapping[str, pl.DataFrame],
    ) -> MonthCalculation:
        """Return the operands and results of the month's calculations."""
        in_site = {one.name: one.controls for one in self.request.months}
        before = {
            control: rows
            for control, rows in self._before_of(month, by_name).items()
            if control in in_site[month.before[control]]
        }
        earlier = [
            pools[name].filter(pl.col("time_control") == control)
            for control, name in month.before.items()
            if name in pools
        ]
        return month_calculation(
            MonthTables(
                period=month.period,
                changes=changes,
                entries=month.table("entries"),
                games=games,
                pool=month.table("pool"),
                before=before,
                unknown=frozenset(month.before) - set(before),
                earlier_pool=pl.concat([POOL.empty(), *earlier]),
                rules=month.rules(self.request.book),
            )
        )

    def _events(self, month: PublishedMonth, events: pl.DataFrame, games: pl.DataFrame, names: pl.DataFrame) -> None:
        self.made += 1
        rules = month.rules(self.request.book)
        per_event = [name for name, one in rules.items() if one.values().get("change.rounded_per") == "event"]
        tables = self.request.book.performance
        # The newest table: a performance in a cross-table is a description, whatever the month.
        performance = tables[max(tables)] if tables else pl.Series([], dtype=pl.Int32)
        data = event_data(events, games, names, EventRules(per_event, performance))
        for number, text in enumerate(data.files):
            self.folder.write_data(f"g/{month.name}/{number}", text)
        self.folder.write_data(f"e/{month.name}/all", data.directory)

    def _page(
        self,
        month: PublishedMonth,
        lists: pl.DataFrame,
        before: dict[str, pl.DataFrame],
        changes: pl.DataFrame,
        names: pl.DataFrame,
        events: Sequence[Section],
    ) -> None:
        """Write the page of a month, and keep what the page of all months shows of it."""
        of_control = lists.partition_by("time_control", as_dict=True)
        listed = {control: of_control.get((control,), lists.clear()) for control in month.controls}
        trends = {control: self._trend(month, control, rows, before.get(control)) for control, rows in listed.items()}
        self.trend.append((month.name, month.folder.name, month.manifest.digest, trends))
        shown = ["", *(one.name for one in self.shown), ""]
        place = shown.index(month.name)
        controls = [
            control_section(
                self.frame,
                month.name,
                control,
                rows,
                before.get(control),
                changes.filter(pl.col("time_control") == control),
                names.select("fide_id", "name", "federation"),
            )
            for control, rows in listed.items()
        ]
        page = month_page(
            self.frame,
            month,
            (shown[place - 1], shown[place + 1]),
            controls,
            events,
            self._corrections(month),
            self._downloads(month) if month is self.newest else (),
        )
        self.folder.write_text(f"month-{month.name}.html", page)

    def _trend(
        self, month: PublishedMonth, control: str, rows: pl.DataFrame, before: pl.DataFrame | None
    ) -> pages.Trend:
        """Return the players and the mean rating of a list, and what a one-time step of it added to the mean."""
        rules = month.rules(self.request.book).get(control)
        gained = one_time_step(rows, before, None if rules is None else rules.list, month.period)
        return pages.Trend(rows.height, mean_hundredths(rows["rating"]), mean_gained(gained, rows))

    def _corrections(self, month: PublishedMonth) -> list[tuple[str, pl.DataFrame]]:
        """Add what corrections changed to the players' data, and return it by revision."""
        diffs = month.diffs()
        for number, diff in diffs:
            self.data.add_corrections(month.number, number, diff)
        if diffs:
            self.data.add_both_numbers(month.number, month.both_numbers())
        return [(f"r{number}", diff) for number, diff in diffs]

    def _downloads(self, month: PublishedMonth) -> list[Download]:
        if self.request.downloads is None or not self.request.birth_years:
            return []
        return put_downloads(self.folder, month, self.request.downloads)

    # --------------------------------------------------------------------------------------------------- players

    def players(self) -> None:
        """Write the data of all players, and the index of their names."""
        self.player_count = self.collected.players()
        self.player_files = parts_for(self.player_count, PLAYERS_OF_FILE)
        for done, texts in enumerate(self.data.texts()):
            self.request.progress("writing players", done, self.collected.slices)
            self._write_all("h", player_files(texts, self.player_files).iter_rows(), as_hex=True)
        self.folder.remove_temporary()
        self.request.progress("indexing names", 0, 1)
        persons = self.data.persons().select("fide_id", *PERSON)
        named = persons.join(newest_ratings(self._lists(self.newest)), on="fide_id", how="left")
        index = search_data(named)
        self._write_all("s", enumerate(index.files))
        for letter, text in index.best.iter_rows():
            self.folder.write_data(f"s/best-{letter}", text)
        content = {"keys": index.first_keys, "best": index.best["letter"].to_list(), "letters": index.letters}
        self.folder.write_data("s/index", as_json({**content, "longest": index.longest}))

    def _write_all(self, folder: str, files: Iterable[tuple[int, str]], *, as_hex: bool = False) -> None:
        """Compress and write numbered data files, two at once."""

        def encoded(file: tuple[int, str]) -> tuple[str, bytes]:
            name = f"{folder}/{file[0]:x}" if as_hex else f"{folder}/{file[0]}"
            return name, data_file.encode(name, file[1])

        for name, content in map_ordered(encoded, files):
            self.folder.write(f"data/{name}.js", content)

    # ----------------------------------------------------------------------------------------------------- lists

    def lists(self) -> None:
        """Write the newest lists, and the page of each."""
        self.request.progress("writing lists", 0, 1)
        self.newest_lists: dict[str, pl.DataFrame] = {}
        self.parts: dict[str, dict[str, int]] = {}
        newest = self._lists(self.newest)
        for control in self.newest.controls:
            rows = newest.filter(pl.col("time_control") == control)
            before = self._before(control)
            rows = player_data.with_change(rows, before)
            files = player_data.list_files(rows)
            counts = files.group_by("part", maintain_order=True).agg(pl.col("rows").sum())
            self.parts[control] = dict(counts.iter_rows())
            for part, number, _, text in files.iter_rows():
                self.folder.write_data(f"l/{control}/{part}/{number}", text)
            self.folder.write_text(f"list-{control}.html", pages.list_page(self.frame, control, rows))
            self.newest_lists[control] = rows.head(pages.ROWS_WITHOUT_SCRIPT)
            self.parts[control] |= {"all": rows.height}

    def _before(self, control: str) -> pl.DataFrame:
        name = self.newest.before.get(control)
        found = next((month for month in self.request.months if month.name == name), None)
        columns = ["fide_id", "rating"]
        if found is None or control not in found.controls:
            return LISTED.empty().select(columns)
        return found.table(control, columns)

    # ----------------------------------------------------------------------------------------------------- pages

    def pages(self) -> None:
        """Write the pages, the script, the style and the texts."""
        self.request.progress("writing pages", 0, 1)
        texts, folder = self.request.texts, self.folder
        for name, page in pages.script_pages(self.frame).items():
            folder.write_text(name, page)
        day = str(self.newest.period.first_day)
        counts = {control: self.parts[control]["all"] for control in self.newest_lists}
        folder.write_text("index.html", pages.index_page(self.frame, day, self.newest_lists, counts))
        folder.write_text("months.html", pages.months_page(self.frame, self.trend))
        digests = [(month.name, month.folder.name, month.manifest.digest) for month in reversed(self.shown)]
        family = str(self.newest.manifest.facts.get("family", ""))
        in_force = (
            self.request.book.in_force(family, self.newest.period.first_day)
            if family in self.request.book.families
            else []
        )
        left_out = [f"{table}.{column}" for table, columns in self.newest.left_out.items() for column in columns]
        about = pages.about_page(self.frame, digests, in_force, left_out, self.newest.folder.name)
        folder.write_text("about.html", about)
        facts = meta(self.request.months, self.request.book, texts.script)
        facts |= {"playerFiles": self.player_files, "lists": self.parts, "controls": self.newest.controls}
        facts |= {"listColumns": player_data.LIST_COLUMNS, "listShown": pages.LIST_HEAD}
        folder.write_data("meta", as_json(facts))
        folder.write_text(
            "texts.js", f"window.RL_TEXTS = {as_json({'script': texts.script, 'reasons': texts.reasons})};\n"
        )
        folder.write_text("site.js", pages.script())
        folder.write("site.css", pages.style())


_NAMED = ("fide_id", "name", "federation", "title")


def _untitled(unrated: pl.DataFrame) -> pl.DataFrame:
    """Return ``UNRATED`` with an empty ``title``, which the table does not have."""
    return unrated.with_columns(pl.lit("").alias("title"))


def _named_pool(pool: pl.DataFrame, names: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Return ``POOL`` with ``name``, the event's on the list that counted its results; null where it is not known."""
    known = pl.concat([rows.with_columns(pl.lit(month).alias("counted_month")) for month, rows in names.items()])
    return pool.join(known, on=["event_id", "counted_month"], how="left", maintain_order="left")
