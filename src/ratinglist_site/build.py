"""Make a site: pages that are complete without a script, and slices of data that a browser fetches.

The queries of :mod:`ratinglist_site.queries` make both of the published tables; here is the order of the steps, and
what was changed after a list was published. The months are read one after the other, the players part by part, so that
the memory does not grow with either.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from ratinglist.files.durable_files import remove, sha256_of
from ratinglist.published import Revision, RolledBackRevision
from ratinglist.settings import Settings
from ratinglist.tables import MEMBER
from ratinglist.workflows import for_readers
from ratinglist_site import pages
from ratinglist_site.folder import SiteFolder
from ratinglist_site.pages import Entry, Frame
from ratinglist_site.queries import Queries, by_control
from ratinglist_site.texts import SiteTexts


@dataclass(frozen=True, slots=True)
class Request:
    """What a site is made of.

    ``settings``: of the office, whose name, text, address and colour pages show. ``months``: the current revisions
    shown, oldest first. ``withdrawn``: months without a list. ``program``: a digest of what makes a site.
    """

    settings: Settings
    months: Sequence[Revision]
    withdrawn: Sequence[RolledBackRevision]
    texts: SiteTexts
    program: str


LONG_LIST = 20_000
"""A list of more players has slices by federation too; more names are in slices by their first letters."""
_EARLIER_LIST = 100_000
"""The most players of an earlier list that is kept as a list; of a longer one there is the page of its month."""
_ROWS_OF_SLICE, _PLAYERS_OF_SLICE, _PLAYER_MONTHS_AT_ONCE = 5_000, 500, 4_000_000
_ROWS_WITHOUT_SCRIPT, _EVENTS_OF_PAGE = 200, 800
_EXPORTED_PLAYERS = 100_000
"""The most players of a newest list that is exported in every format."""
_MONTHS_OF_LINE = 12
_LETTERS = 8
"""The most letters of a word that decide in which slice of names it is."""
_UNDER, _OVER = (8, 10, 12, 14, 16, 18, 20), (50, 65)
_PLAYER_TABLES = (
    *("persons", "ratings", "changes", "entries", "waiting", "events", "records", "wins", "places", "corrections"),
    "rollbacks",
)


def build_site(folder: SiteFolder, request: Request) -> int:
    """Write the site into its place; return the number of players."""
    temporary = folder.draft.with_name(f"{folder.draft.name}-rows")
    settings = request.settings
    birth_years = settings.office.site.birth_years
    queries = Queries(request.months, temporary, threads=settings.threads, birth_years=birth_years)
    try:
        return _Build(folder, request, queries).run()
    finally:
        queries.close()
        remove(temporary)


class _Build:
    """One build: what several steps share."""

    def __init__(self, folder: SiteFolder, request: Request, queries: Queries) -> None:
        self.folder, self.request, self.queries = folder, request, queries
        self.texts, self.months, self.site = request.texts, request.months, request.settings.office.site
        self.progress = request.settings.progress
        self.newest = request.months[-1]
        self.family = str(self.newest.facts.get("family", ""))
        self.coming = for_readers.coming_lists(self.family, self.newest.period)
        # No published file has clubs.
        self.clubs = MEMBER.empty()
        if self.site.clubs:
            self.clubs = for_readers.members_of_clubs(request.settings, self.newest.period.first_day)
        self.keys: list[str] = []
        for month in self.months:
            # The slices of a month leave out what those before it have.
            self.keys.append(self._digest(self.keys[-1:], month.digest))
        rolled_back = [str(month.rollbacks().rows()) for month in self.months]
        name, colour = request.settings.office.name, self.site.colour
        address = self.site.address.rstrip("/") + "/" if self.site.address else ""
        choices = (name, self.site.text, address, colour, not self.site.downloads)
        clubs = self.clubs.select("fide_id", "club").rows()
        version = self._digest(self.keys, rolled_back, str(request.withdrawn), choices, clubs)
        self.frame = Frame(request.texts, name, version, self.newest.month, address, colour, len(clubs) > 0)
        self.described: list[dict[str, Any]] = []
        self.event_names: set[str] = set()
        self.changed: dict[str, ChangedMonth] = {}
        self.pages: list[str] = []

    def _digest(self, *parts: object) -> str:
        """Return a digest of what a version is made of: always the program, its texts and the years of birth too."""
        whole = [self.request.program, self.texts.texts["language"], self.site.birth_years, *parts]
        return hashlib.sha256(json.dumps(whole, ensure_ascii=False).encode()).hexdigest()[:12]

    def run(self) -> int:
        """Make everything; return the number of players."""
        downloads = self._downloads()
        self.queries.keep("differences", for_readers.performance_differences(self.family))
        for number in range(len(self.months)):
            self.progress("reading months", number, len(self.months))
            self._month(number, downloads)
        self._lists()
        players = self._players()
        self._other_pages(downloads)
        self._feeds()
        facts = {"version": self.frame.version, "months": dict(zip(self._names(), self.keys, strict=True))}
        self.folder.put_in_place({**facts, "players": players})
        return players

    def _names(self) -> list[str]:
        return [month.month for month in self.months]

    def _write(self, template: str, file: str, **values: Any) -> None:
        """Write a page."""
        self.folder.write(file, self.frame.page(template, file, **values))
        if values.get("indexed", True):
            self.pages.append(file)

    # ---------------------------------------------------------------------------------------------------- months

    def _month(self, number: int, downloads: list[dict[str, Any]]) -> None:
        """Write the pages and the events of a month."""
        month, queries = self.months[number], self.queries
        changed = self.changed[month.month] = changes_of(queries, self.texts, number, month)
        queries.show(range(max(number - 1, 0), number + 1))
        queries.run("people", month=number)
        figures = {row["time_control"]: row for row in queries.rows("figures").to_dicts()}
        bands = {
            control: dict(counts.select("band", "players").rows())
            for control, counts in by_control(queries.rows("bands")).items()
        }
        parts: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for row in queries.rows("changed_players").iter_rows(named=True):
            parts.setdefault((row["part"], row["time_control"]), []).append(row)
        before = self.described[-1] if self.described else {"figures": {}, "bands": {}}
        facts: dict[str, Any] = {
            "month": month.month,
            "revision": f"r{month.number}",
            "digest": month.digest,
            "day": month.period.first_day,
            "figures": figures,
            "bands": bands,
            "rated_games": int(queries.rows("rated_games").item()),
            "events": queries.rows("events").to_dicts(),
            "unrated_results": queries.rows("unrated_results").to_dicts(),
            "controls": [
                {
                    "control": control,
                    "now": figures[control],
                    "before": before["figures"].get(control),
                    "bands": self._bands(bands[control], before["bands"].get(control)),
                    **{part: parts.get((part, control), []) for part in ("gained", "lost", "entered", "removed")},
                }
                for control in month.controls
                if control in figures
            ],
        }
        for control in facts["controls"]:
            control["chart"] = self.frame.spread(control["control"], month.month, control["bands"])
        self.described.append({key: facts[key] for key in ("month", "revision", "digest", "figures", "bands")})
        self.event_names |= {event["name"] or "" for event in facts["events"]}
        self.newest_facts = facts
        names = self._names()
        self._write(
            "month.html",
            f"month-{month.month}.html",
            month=facts,
            changes=changed.sections,
            downloads=downloads if month is self.newest else [],
            earlier=names[number - 1] if number else "",
            later=names[number + 1] if number + 1 < len(names) else "",
        )
        self._event_pages(facts)
        self._event_slices(number)

    def _bands(self, now: Mapping[int, int], before: Mapping[int, int] | None) -> list[tuple[int, int, int | None]]:
        """Return the bands from the lowest to the highest: the lowest rating of each, its players now and before."""
        known = [*now, *(before or {})]
        return [
            (band, now.get(band, 0), None if before is None else before.get(band, 0))
            for band in range(min(known), max(known) + 1, 100)
        ]

    def _event_pages(self, facts: Mapping[str, Any]) -> None:
        """Write the events of a month, on several pages where there are many; the newest month has its first twice."""
        name, events = f"events-{facts['month']}", facts["events"]
        parts = [events[first : first + _EVENTS_OF_PAGE] for first in range(0, max(len(events), 1), _EVENTS_OF_PAGE)]
        files = [f"{name}.html", *(f"{name}-{number}.html" for number in range(2, len(parts) + 1))]
        shown = list(zip(files, parts, strict=True))
        newest = [("events.html", parts[0])] if facts["month"] == self.newest.month else []
        for file, part in [*shown, *newest]:
            values = {"month": facts, "months": self._names(), "parts": shown, "part": part, "most": _EVENTS_OF_PAGE}
            self._write("events.html", file, indexed=file in files, **values)

    def _event_slices(self, number: int) -> None:
        self.queries.run("event_slices")
        key = self.keys[number]
        for slice_number, tables in self._sliced("event", ("events", "players", "sides")):
            self.folder.write_slice(f"e/{slice_number}", key, tables)
        self.folder.write_slice("e/index", key, {"events": self.queries.rows("event_places")})

    def _sliced(self, prefix: str, names: tuple[str, ...]) -> Iterator[tuple[int, dict[str, pl.DataFrame]]]:
        """Yield the slices of the first table, each with the rows of the others that have any in it."""
        first, *others = ((name, self.queries.sliced(f"{prefix}_{name}")) for name in names)
        streams = dict(others)
        waiting = {name: next(stream, None) for name, stream in streams.items()}
        for number, rows in first[1]:
            tables = {first[0]: rows}
            for name, stream in streams.items():
                # A slice that the first table does not have is of players on no list: they have no page.
                while (held := waiting[name]) is not None and held[0] <= number:
                    tables |= {name: held[1]} if held[0] == number else {}
                    waiting[name] = next(stream, None)
            yield number, tables

    # ----------------------------------------------------------------------------------------------------- lists

    def _lists(self) -> None:
        """Write the lists of all months that are not too long, and the pages of the newest."""
        last = len(self.months) - 1
        self.lists: list[dict[str, Any]] = [{} for _ in self.months]
        self.top: list[dict[str, Any]] = []
        for number, month in enumerate(self.months):
            self.progress("writing lists", number, len(self.months))
            self.queries.show(range(max(last - _MONTHS_OF_LINE + 1, 0), last + 1) if number == last else [number])
            for control in month.controls:
                players = int(month.files[f"{control}.parquet"]["rows"])
                if number == last or players <= _EARLIER_LIST:
                    self._list(number, control, players)

    def _list(self, number: int, control: str, players: int) -> None:
        self.queries.run("list", month=number, control=control, by_federation=players > LONG_LIST, rows=_ROWS_OF_SLICE)
        parts: dict[str, list[tuple[int, int]]] = {}
        for part, slice_number, count in self.queries.rows("list_slices").iter_rows():
            parts.setdefault(part, []).append((slice_number, count))
        self.lists[number][control] = {
            part: {"first": slices[0][0], "slices": len(slices), "players": sum(count for _, count in slices)}
            for part, slices in parts.items()
        }
        name = f"l/{self.months[number].month}/{control}"
        for slice_number, listed in self.queries.sliced("listed"):
            self.folder.write_slice(f"{name}/{slice_number}", self.frame.version, {"players": listed.drop("part")})
        if self.months[number] is self.newest:
            top = self.queries.rows("year_of_top").to_dicts()
            self.top.append({"control": control, "players": players, "rows": top})
            self._write(
                "list.html",
                f"list-{control}.html",
                page="list",
                control=control,
                controls=self.newest.controls,
                players=players,
                rows=self.queries.rows("list_top", most=_ROWS_WITHOUT_SCRIPT).to_dicts(),
                has_years=self.site.birth_years,
            )

    # --------------------------------------------------------------------------------------------------- players

    def _players(self) -> int:
        """Write the slices of the players and of their names; return the number of players."""
        last = len(self.months) - 1
        for number in reversed(range(len(self.months))):
            self.queries.show([number])
            self.queries.run("person", month=number)
        diffs = [part for number, month in enumerate(self.months) for part in diffs_of(number, month)]
        self.queries.view("diff", diffs)
        self.queries.keep("club_members", self.clubs.select("fide_id", "club"))
        self.queries.run("clubs")
        self.queries.show(range(len(self.months)))
        self.queries.keep("age_groups", self._age_groups())
        self.queries.run("place", month=last)
        players = int(self.queries.rows("players_known").item())
        self.slices = _parts(players, _PLAYERS_OF_SLICE)
        parts = min(_parts(players * len(self.months), _PLAYER_MONTHS_AT_ONCE), self.slices)
        for part in range(parts):
            self.progress("writing players", part, parts)
            self.queries.run("players", slices=self.slices, parts=parts, part=part)
            for number, tables in self._sliced("player", _PLAYER_TABLES):
                self.folder.write_slice(f"p/{number}", self.frame.version, tables)
        self._search(last)
        return players

    def _age_groups(self) -> pl.DataFrame:
        """Return the years of birth of the age groups: under 8 are those who are at most 8 in the year of the list."""
        year = self.newest.period.first_day.year
        groups = [(f"U{age}", year - age, year) for age in _UNDER] + [(f"{age}+", 0, year - age) for age in _OVER]
        schema = {"age_group": pl.String, "first": pl.Int32, "last": pl.Int32}
        return pl.DataFrame(groups if self.site.birth_years else [], schema, orient="row")

    def _search(self, last: int) -> None:
        """Write the names: in one slice, or in slices by the first letters of their words."""
        self.progress("writing names", 0, 1)
        names = self.queries.rows("names", month=last, control=self.newest.controls[0])
        self.beginnings: list[str] = []
        if names.height <= LONG_LIST:
            self.folder.write_slice("n/0", self.frame.version, {"names": names})
        else:
            self._names_by_letters(names)
        events = pl.Series("name", sorted(self.event_names))
        self.letters = for_readers.letters_of_names(pl.concat([names["name"], events]))

    def _names_by_letters(self, names: pl.DataFrame) -> None:
        """Write the names in slices, by as few letters as leave no more players than a browser looks through."""
        words = for_readers.words_of_names(names["name"]).alias("word").to_frame()
        words = words.with_row_index("player").explode("word").filter(pl.col("word") != "")
        for first in words["word"].str.slice(0, 1).unique().sort():
            for beginning, players in _beginnings(words.filter(pl.col("word").str.starts_with(first))):
                number = len(self.beginnings)
                self.folder.write_slice(f"n/{number}", self.frame.version, {"names": names[players.head(LONG_LIST)]})
                self.beginnings.append(beginning)

    # ----------------------------------------------------------------------------------------------------- pages

    def _downloads(self) -> list[dict[str, Any]]:
        """Put the files of the newest revision into the site, and its lists in other formats next to them."""
        if not self.site.downloads or not self.site.birth_years:
            return []
        place = f"files/{self.newest.month}-r{self.newest.number}"
        paths = [self.folder.copy(path, f"{place}/{path.name}") for path in self.newest.every_file()]
        exported = self._exported(self.folder.draft / place)
        for path in exported:
            self.folder.count(path)
        return [
            {
                "file": path.name,
                "address": f"{place}/{path.name}",
                "bytes": path.stat().st_size,
                "sha256": sha256_of(path),
            }
            for path in [*paths, *exported]
        ]

    def _exported(self, into: Path) -> list[Path]:
        """Export the newest list in every format; a list too long for that has the published files alone."""
        controls = self.newest.controls
        if sum(int(self.newest.files[f"{control}.parquet"]["rows"]) for control in controls) > _EXPORTED_PLAYERS:
            return []
        return for_readers.export_every_format(self.request.settings, self.newest.period, controls, into)

    def _other_pages(self, downloads: list[dict[str, Any]]) -> None:
        """Write the pages that are not of one month or list, and what pages load."""
        self.progress("writing pages", 0, 1)
        newest = self.newest_facts
        self._write(
            "index.html", "index.html", page="index", month=newest, lists=self.top, text=self.site.text,
            coming=self.coming[0] if self.coming else None, is_changed=bool(self.changed[newest["month"]].sections),
            last=len(self.months) - 1, year_of=_MONTHS_OF_LINE,
        )  # fmt: skip
        marked = [name for name, changed in self.changed.items() if changed.sections]
        charts = self.frame.trends(self.described)
        self._write("months.html", "months.html", months=self.described[::-1], marked=marked, charts=charts)
        for gone in self.request.withdrawn:
            self.changed[gone.month] = withdrawal(self.texts, gone)
        changed = [
            (name, month.sections) for name, month in sorted(self.changed.items(), reverse=True) if month.sections
        ]
        self._write("corrections.html", "corrections.html", changed=changed, shown=self._names())
        left_out = self.newest.facts.get("without", {})
        names = [f"{table}.{column}" for table, columns in left_out.items() for column in columns]
        rule_sets = for_readers.rules_in_force(self.family, self.newest.period)
        months = self.described[::-1]
        self._write("about.html", "about.html", months=months, rule_sets=rule_sets, left_out=", ".join(names))
        self._write(
            "data.html", "data.html", downloads=downloads, tables=self._described_tables(downloads), newest=newest
        )
        self._club_pages()
        for name, text in {**self.frame.script_pages(self.newest.controls), **self.frame.parts()}.items():
            self.folder.write(name, text)
        self.folder.write_slice("meta", self.frame.version, self._meta())

    def _described_tables(self, downloads: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return what the data package says of each table among the downloads."""
        packages = [file["address"] for file in downloads if file["file"] == "datapackage.json"]
        resources = [json.loads((self.folder.draft / package).read_bytes())["resources"] for package in packages]
        return [table for tables in resources for table in tables if table["format"] == "parquet"]

    def _club_pages(self) -> None:
        """Write the page of each club, and that of all of them."""
        members = self.queries.rows("members", month=len(self.months) - 1)
        clubs = [
            {"club": of_club.item(0, "club"), "page": page, "rows": of_club.to_dicts(), "members": of_club.height}
            for (page,), of_club in members.partition_by("page", maintain_order=True, as_dict=True).items()
        ]
        for club in clubs:
            self._write("club.html", f"club-{club['page']}.html", indexed=False, club=club)
        if clubs:
            self._write("clubs.html", "clubs.html", indexed=False, clubs=clubs)

    def _meta(self) -> dict[str, Any]:
        """Return what every page with a script loads first."""
        months = [
            {"month": month.month, "key": key, "revision": f"r{month.number}", "lists": lists}
            for month, key, lists in zip(self.months, self.keys, self.lists, strict=True)
        ]
        return {
            "months": months,
            "controls": self.newest.controls,
            "slices": self.slices,
            "beginnings": self.beginnings,
            "letters": self.letters,
            "caps": for_readers.caps_of_differences(),
            "federations": self.queries.rows("federations", month=len(self.months) - 1).to_series().to_list(),
            "groups": {name: [first, last] for name, first, last in self._age_groups().iter_rows()},
        }

    def _feeds(self) -> None:
        if self.coming:
            self.folder.write(pages.CALENDAR, pages.calendar(self.frame, self.coming))
        if not self.frame.address:
            return
        lists = [
            pages.Entry(
                str(month.period.first_day),
                month.month,
                "",
                f"month-{month.month}.html",
                self.texts.text("month_title", month=self.texts.month(month.month)),
            )
            for month in self.months
        ]
        changes = [entry for changed in self.changed.values() for entry in changed.entries]
        self.folder.write(pages.FEED, pages.feed(self.frame, [*lists, *changes]))
        self.folder.write(pages.MAP, pages.site_map(self.frame, self.pages))


def _beginnings(words: pl.DataFrame) -> Iterator[tuple[str, pl.Series]]:
    """Yield the beginnings of words that few players share, or that are long, each with these players in order.

    In: ``word`` and ``player``, its row.
    """
    for letters in range(1, _LETTERS + 1):
        beginning = pl.col("word").str.pad_end(letters).str.slice(0, letters).alias("beginning")
        words = words.with_columns(beginning)
        is_small = (pl.len().over("beginning") <= LONG_LIST) | (letters == _LETTERS)
        for (start,), of_start in words.filter(is_small).sort("beginning").group_by("beginning", maintain_order=True):
            yield str(start), of_start["player"].unique().sort()
        words = words.filter(~is_small)


def _parts(players: int, of_part: int) -> int:
    """Return the number of parts of about ``of_part`` players: a power of two, so that it seldom changes."""
    parts = 1
    while parts * of_part < players:
        parts *= 2
    return parts


_SHOWN = 200
_SECTION: dict[str, Any] = {"reason": "", "who": "", "corrections": [], "text": "", "count": 0, "rows": []}


@dataclass(frozen=True, slots=True)
class ChangedMonth:
    """What changed the list of a month: what pages show, the newest first, and the same as entries of the feed."""

    sections: list[dict[str, Any]]
    entries: list[Entry]


def changes_of(queries: Queries, texts: SiteTexts, number: int, month: Revision) -> ChangedMonth:
    """Return what changed the list of a month, and keep whom rollbacks moved. ``number``: of the month."""
    revisions = {revision.number: revision for revision in month.were_current()}
    queries.view("diff", diffs_of(number, month))
    sections, entries = [], []
    first_day = str(month.period.first_day)
    shown = queries.rows("corrections", month=number)
    for (number_of,), differing in shown.partition_by("revision", as_dict=True, maintain_order=True).items():
        count = differing.item(0, "players")
        heading = texts.text("against", revision=f"r{number_of}", players=texts.count("player", count))
        revision = revisions[int(str(number_of))]
        account = {"text": revision.text_of_diff(), "corrections": revision.facts.get("corrections", [])}
        sections.append(_section(texts, heading, differing, count, **account))
        entries.append(_entry(texts, first_day, month.month, f"r{number_of}", heading))
    for step, row in enumerate(month.rollbacks().iter_rows(named=True), 1):
        day, numbers = str(row["rolled_back_on"]), {name: row[name] for name in ("from_revision", "to_revision")}
        for view, name in (("lists_before", "from_revision"), ("lists_after", "to_revision")):
            # A step to or from no list moves nobody to another rating.
            lists = revisions[row[name]].lists() if all(numbers.values()) else {}
            queries.view(view, [("0 as month", path) for path in lists.values()], of="lists")
        queries.run("moved", month=number, step=step, day=day, reason=row["reason"], **numbers)
        moved = queries.rows("moved_by_step")
        heading = _heading(texts, row)
        sections.append(
            _section(texts, heading, moved.head(_SHOWN), moved.height, reason=row["reason"], who=row["who"])
        )
        entries.append(_entry(texts, day, month.month, f"rollback-{step}", heading))
    return ChangedMonth([*reversed(sections)], entries)


def diffs_of(number: int, month: Revision) -> list[tuple[str, Path]]:
    """Return the files of what each revision of a month changed, each with what is selected besides its columns."""
    paths = {revision.number: revision.diff() for revision in month.were_current()}
    return [(f"{number} as month, {revision} as revision", path) for revision, path in paths.items() if path]


def withdrawal(texts: SiteTexts, month: RolledBackRevision) -> ChangedMonth:
    """Return what pages and the feed show of a month that has no list any more."""
    heading = texts.text("withdrawn_on", day=texts.day(month.day), before=f"r{month.revision}")
    section = {**_SECTION, "heading": heading, "reason": month.reason}
    entry = Entry(month.day, month.month, "withdrawn", "corrections.html", f"{texts.month(month.month)}: {heading}")
    return ChangedMonth([section], [entry])


def _heading(texts: SiteTexts, row: dict[str, Any]) -> str:
    before, after = f"r{row['from_revision']}", f"r{row['to_revision']}"
    current_again = "rolled_back" if row["from_revision"] else "stands_again"
    key = current_again if row["to_revision"] else "withdrawn_on"
    return texts.text(key, day=texts.day(row["rolled_back_on"]), before=before, after=after)


def _section(texts: SiteTexts, heading: str, players: pl.DataFrame, count: int, **more: Any) -> dict[str, Any]:
    controls = " · ".join(texts.control(control) for control in players["time_control"].unique(maintain_order=True))
    whole = " · ".join(filter(None, (controls, heading)))
    return {**_SECTION, "heading": whole, "count": count, "rows": players.to_dicts(), **more}


def _entry(texts: SiteTexts, day: str, month: str, change: str, heading: str) -> Entry:
    return Entry(day, month, change, f"month-{month}.html", f"{texts.month(month)}: {heading}")
