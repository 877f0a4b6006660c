"""Make a site from the published folder: data files, pages, and the files for downloading.

Frames go through column expressions; the loops are over months, time controls and files.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from ratinglist.analysis.list_statistics import mean_gained, mean_hundredths, one_time_step
from ratinglist.site import correction_page, feeds, pages
from ratinglist.site.correction_page import changed_months, words_of_corrections
from ratinglist.site.data_file import as_json
from ratinglist.site.event_data import EventRules, Standings, event_data, event_places, events_of_players
from ratinglist.site.folder import PLAYERS_OF_SLICE, CollectedRows, Download, SiteFolder, parts_for, put_downloads
from ratinglist.site.frame import Frame
from ratinglist.site.home_page import home_page
from ratinglist.site.month_calculation import MonthCalculation, MonthTables, month_calculation
from ratinglist.site.month_page import Section, event_sections, month_of_control, month_page
from ratinglist.site.places import age_groups
from ratinglist.site.player_data import LIST_COLUMNS, PERSON, PLAYERS_OF_FILE, PlayerData, newest_ratings
from ratinglist.site.published_lists import PublishedLists
from ratinglist.site.published_months import PublishedMonth, event_names, meta, named_pool, names_of, withdrawn_months
from ratinglist.site.request import Request, made_of, options
from ratinglist.site.search_data import search_data
from ratinglist.tables import LISTED, POOL, UNRATED


def build_site(folder: SiteFolder, request: Request) -> tuple[int, int]:
    """Write the site; return how many months of events were made, not linked, and the number of players.

    A site that is there, whole and made of the same, stays.
    """
    site = _Build(folder, request)
    if folder.is_made_of(site.facts["made_of"]):
        for number, month in enumerate(request.months):
            request.progress("comparing files", number, len(request.months))
            month.check(downloads=site.has_downloads(month))
        return 0, folder.facts["players"]
    site.months()
    site.players()
    site.lists()
    site.pages()
    folder.put_in_place({**site.facts, "players": site.data.players})
    return site.made, site.data.players


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
        self.groups = age_groups(self.newest.period) if request.birth_years else {}
        self.event_names = pl.DataFrame(schema={"name": pl.String()})
        self.made = 0
        self.keys = {month.name: self._key(month) for month in self.shown}
        self.trend: list[tuple[str, str, str, dict[str, pages.Trend]]] = []
        self.changed = changed_months(self.shown)
        self.withdrawn = withdrawn_months(request.published, self.shown[0].name)
        rollbacks = [str(month.rollbacks().rows()) for month in self.shown] + [str(one) for one in self.withdrawn]
        whole = [self.program, options(request), self.keys, rollbacks]
        version = hashlib.sha256(json.dumps(whole).encode()).hexdigest()
        self.frame = Frame(
            request.texts,
            request.name,
            version[:12],
            self.newest.name,
            has_clubs=not request.clubs.is_empty(),
            address=request.address,
            colour=request.colour,
        )
        self.facts: dict[str, Any] = {
            "program": self.program,
            "version": version[:12],
            "months": self.keys,
            "made_of": made_of(request, version),
        }

    def _key(self, month: PublishedMonth) -> str:
        """Return a digest of what the data of a month are made of: its revision, and those of the lists before."""
        before = [one.manifest.digest for one in self.request.months if one.name in set(month.before.values())]
        return hashlib.sha256(json.dumps([self.program, month.manifest.digest, before]).encode()).hexdigest()[:12]

    # ---------------------------------------------------------------------------------------------------- months

    def months(self) -> None:
        """Collect the data of the players month after month; write the events and the facts of each month shown."""
        by_name: dict[str, dict[str, pl.DataFrame]] = {}
        pools: dict[str, pl.DataFrame] = {}
        names_of_events: dict[str, pl.DataFrame] = {}
        for month in self.request.months:
            self.request.progress("reading months", month.number, len(self.request.months))
            month.check(downloads=self.has_downloads(month))
            lists = self.request.lists(month)
            # Of a month that is not shown there are no games, so it names no players but those of its lists.
            unrated = month.table("unrated") if month.is_shown else UNRATED.empty()
            self.data.add_lists(month.number, lists, unrated)
            of_control = lists.drop(_ONLY_OF_PERSONS).partition_by("time_control", as_dict=True)
            by_name[month.name] = {control: of_control.get((control,), _NO_LIST) for control in month.controls}
            del lists, of_control
            events = month.table("events")
            names_of_events[month.name] = events.select("event_id", "name")
            self.event_names = pl.concat([self.event_names, events.select("name")]).unique(maintain_order=True)
            pool = month.table("pool")
            # Results that wait were counted by lists that need not be shown.
            for counted in set(pool["counted_month"].drop_nulls()) - set(names_of_events):
                names_of_events[counted] = event_names(self.request.published, counted)
            self.data.add_pool(month.number, named_pool(pool, names_of_events))
            pools[month.name] = pool
            if month.is_shown:
                changes, games = self._shown_month(month, by_name, events, unrated)
                calculation = self._calculation(month, changes, games, by_name, pools)
                results = named_pool(calculation.results, names_of_events)
                self.data.add_calculation(month.number, replace(calculation, results=results))
                del changes, games
            # Of earlier lists only those are kept that a later one of these months comes after.
            wanted = {name for later in self.request.months[month.number + 1 :] for name in later.before.values()}
            for kept in (by_name, pools):
                for name in kept.keys() - wanted - {month.name}:
                    del kept[name]

    def has_downloads(self, month: PublishedMonth) -> bool:
        """Return whether the files of a month are copied into the site."""
        return month is self.newest and self.request.downloads is not None

    def _shown_month(
        self,
        month: PublishedMonth,
        by_name: _Lists,
        events: pl.DataFrame,
        unrated: pl.DataFrame,
    ) -> tuple[pl.DataFrame, pl.DataFrame]:
        """Write the events and the page of a month, and return its changes and games."""
        changes, games = month.table("changes"), month.table("games")
        self.data.add_events(month.number, events_of_players(event_places(events, games), games))
        before = self._before_of(month, by_name)
        is_kept = all(self.folder.keep(f"data/{self.keys[month.name]}/{one}/{month.name}") for one in "ge")
        standings = Standings() if is_kept else self.request.standings(events, games)
        ids = [games["fide_id"], games["opponent_id"], changes["fide_id"], standings.places["fide_id"]]
        names = names_of(pl.concat(ids), [*before.values(), unrated, *by_name[month.name].values()])
        self.data.add_games(month.number, games, names)
        self.games = int(games["rated"].sum()) // 2
        if not is_kept:
            self._events(month, events, games, names, standings)
        sections = event_sections(self.frame, month.name, events, games)
        self._page(month, by_name[month.name], before, changes, names, sections)
        return changes, games

    def _before_of(self, month: PublishedMonth, by_name: _Lists) -> dict[str, pl.DataFrame]:
        """Return the lists before by time control, of those that are published."""
        return {
            control: by_name[name].get(control, _NO_LIST) for control, name in month.before.items() if name in by_name
        }

    def _calculation(
        self,
        month: PublishedMonth,
        changes: pl.DataFrame,
        games: pl.DataFrame,
        by_name: _Lists,
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

    def _events(
        self,
        month: PublishedMonth,
        events: pl.DataFrame,
        games: pl.DataFrame,
        names: pl.DataFrame,
        standings: Standings,
    ) -> None:
        self.made += 1
        rules = month.rules(self.request.book)
        per_event = [name for name, one in rules.items() if one.values().get("change.rounded_per") == "event"]
        tables = self.request.book.performance
        # The newest table: a performance in a cross-table is a description, whatever the month.
        performance = tables[max(tables)] if tables else pl.Series([], dtype=pl.Int32)
        data = event_data(events, games, names, EventRules(per_event, performance), standings)
        self.folder.write_all(f"g/{month.name}", self.keys[month.name], data.files)
        self.folder.write_data(f"e/{month.name}/all", self.keys[month.name], data.directory)

    def _page(
        self,
        month: PublishedMonth,
        listed: Mapping[str, pl.DataFrame],
        before: dict[str, pl.DataFrame],
        changes: pl.DataFrame,
        names: pl.DataFrame,
        events: Sequence[Section],
    ) -> None:
        """Write the page of a month, and keep what the page of all months shows of it."""
        trends = {control: self._trend(month, control, rows, before.get(control)) for control, rows in listed.items()}
        self.trend.append((month.name, month.folder.name, month.manifest.digest, trends))
        shown = ["", *(one.name for one in self.shown), ""]
        place = shown.index(month.name)
        controls = [
            month_of_control(
                self.frame,
                month.name,
                control,
                rows,
                before.get(control),
                changes.filter(pl.col("time_control") == control),
                names,
            )
            for control, rows in listed.items()
        ]
        self._corrections(month)
        self.newest_shown = (controls, events[0])
        self.newest_downloads = self._downloads(month) if month is self.newest else []
        page = month_page(
            self.frame,
            month,
            (shown[place - 1], shown[place + 1]),
            controls,
            events,
            correction_page.sections(self.frame, self.changed[month.name]),
            self.newest_downloads,
        )
        self.folder.write_text(f"month-{month.name}.html", page)

    def _trend(
        self, month: PublishedMonth, control: str, rows: pl.DataFrame, before: pl.DataFrame | None
    ) -> pages.Trend:
        """Return the players and the mean rating of a list, and what a one-time step of it added to the mean."""
        rules = month.rules(self.request.book).get(control)
        gained = one_time_step(rows, before, None if rules is None else rules.list, month.period)
        return pages.Trend(rows.height, mean_hundredths(rows["rating"]), mean_gained(gained, rows))

    def _corrections(self, month: PublishedMonth) -> None:
        """Add what corrections and rollbacks changed to the players' data."""
        changed = self.changed[month.name]
        for number, diff in changed.corrections:
            self.data.add_corrections(month.number, number, diff)
        for step, moved in changed.rollbacks:
            self.data.add_rollback(month.number, step, moved)
        if changed.is_changed:
            self.data.add_both_numbers(month.number, month.both_numbers())

    def _downloads(self, month: PublishedMonth) -> list[Download]:
        if self.request.downloads is None or not self.request.birth_years:
            return []
        return put_downloads(self.folder, month, self.request.downloads)

    # --------------------------------------------------------------------------------------------------- players

    def players(self) -> None:
        """Write the data of all players, and the index of their names."""
        lists = self.request.lists(self.newest)
        self.data.add_places(lists, self.groups)
        persons = self.data.persons().select("fide_id", *PERSON)
        changes = self.newest.changes(self.newest.controls[0])
        named = persons.join(newest_ratings(lists), on="fide_id", how="left").join(changes, on="fide_id", how="left")
        del lists
        self.clubs = pages.club_members(named, self.request.clubs)
        self.data.add_clubs(self.clubs)
        for name, text in pages.club_files(self.clubs).items():
            self._write(name, text)
        self.player_files = parts_for(persons.height, PLAYERS_OF_FILE)
        for done, files in enumerate(self.data.files(self.player_files)):
            self.request.progress("writing players", done, self.collected.slices)
            self.folder.write_all("h", self.frame.version, ((f"{number:x}", content) for number, content in files))
        self.folder.remove_temporary()
        self.request.progress("indexing names", 0, 1)
        index = search_data(named, self.event_names.to_series())
        self.folder.write_all("s", self.frame.version, enumerate(index.files))
        self.folder.write_all("w", self.frame.version, enumerate(index.words))
        self.folder.write_all("i", self.frame.version, enumerate(index.ids))
        for letter, text in index.best.iter_rows():
            self._write(f"s/best-{letter}", text)
        self._write("s/index", as_json(index.contents()))

    def _write(self, name: str, text: str) -> None:
        """Write a data file of the site's own version."""
        self.folder.write_data(name, self.frame.version, text)

    # ----------------------------------------------------------------------------------------------------- lists

    def lists(self) -> None:
        """Write the newest lists and the page of each, and the earlier lists that are not too long."""
        self.request.progress("writing lists", 0, 1)
        lists = PublishedLists(self.folder, self.request, self.frame, self.keys)
        self.parts = {
            month.name: {control: counts for control in month.controls if (counts := lists.write(month, control))}
            for month in self.shown
        }
        self.newest_lists = lists.newest

    # ----------------------------------------------------------------------------------------------------- pages

    def pages(self) -> None:
        """Write the pages, the script, the style and the texts."""
        self.request.progress("writing pages", 0, 1)
        request, texts, folder = self.request, self.request.texts, self.folder
        files = pages.script_pages(self.frame, self.newest.controls) | pages.club_pages(self.frame, self.clubs)
        files |= pages.parts(self.frame, words_of_corrections(texts))
        for name, text in files.items():
            folder.write_text(name, text)
        moved, events = self.newest_shown
        marked = {name for name, changed in self.changed.items() if changed.is_changed}
        is_changed = self.newest.name in marked
        family = str(self.newest.manifest.facts.get("family", ""))
        has_rules = family in request.book.families
        next_list = feeds.next_list(request.book, family, self.newest.period) if has_rules else None
        facts_of_home = (self.newest_lists, moved, events, self.games)
        home = home_page(self.frame, *facts_of_home, is_changed=is_changed, text=request.text, next_list=next_list)
        folder.write_text("index.html", home)
        folder.write_text("months.html", pages.months_page(self.frame, self.trend, marked))
        changed = correction_page.correction_page(self.frame, [*self.changed.values()], self.withdrawn)
        folder.write_text("corrections.html", changed)
        digests = [(month.name, month.folder.name, month.manifest.digest) for month in reversed(self.shown)]
        in_force = request.book.in_force(family, self.newest.period.first_day) if has_rules else []
        left_out = [f"{table}.{column}" for table, columns in self.newest.left_out.items() for column in columns]
        about = pages.about_page(self.frame, digests, in_force, left_out, self.newest.folder.name)
        folder.write_text("about.html", about)
        folder.write_text(pages.DATA_PAGE, pages.data_page(self.frame, self.newest, self.newest_downloads))
        facts = meta(self.request.months, self.request.book, texts.script, self.keys)
        facts |= {"playerFiles": self.player_files, "lists": self.parts, "controls": self.newest.controls}
        facts |= {"listColumns": LIST_COLUMNS, "listShown": pages.list_head(birth_years=request.birth_years)}
        facts |= {"groups": self.groups, "hasClubs": len(self.clubs) > 0}
        self._write("meta", as_json(facts))
        self._write("corrections", as_json(correction_page.first_corrections([*self.changed.values()])))
        if has_rules:
            dates = feeds.calendar(self.frame, self.request.book, family, self.newest.period)
            folder.write(feeds.CALENDAR, dates)
        if self.frame.address:
            entries = feeds.feed(self.frame, self.shown, self.changed.values(), self.withdrawn)
            folder.write(feeds.FEED, entries)
            folder.write(feeds.MAP, feeds.site_map(self.frame, self.newest.controls, self.shown))


_ONLY_OF_PERSONS = ("list_month", "sex", "women_title", "other_titles")
"""The columns of a list that its page and the list after it do not need."""
_NO_LIST = pl.DataFrame(schema={one: kind for one, kind in LISTED.schema.items() if one not in _ONLY_OF_PERSONS})
_Lists = Mapping[str, Mapping[str, pl.DataFrame]]
