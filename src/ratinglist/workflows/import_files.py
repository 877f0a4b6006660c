"""Import files: lists, the lists that other families look at, and players; or show what an import would change.

A preview is the import itself, in a copy of the store that is thrown away. A file of players may lose what is known: a
spreadsheet saves names in another code page, an old file has last year's titles, a row is another person's. An old list
of ratings may be taken for the new one. So there are doubts before anything of it is kept.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

from ratinglist.analysis import player_changes
from ratinglist.errors import CommandLineError, NothingReadError, UnansweredError
from ratinglist.files.durable_files import keep_file, sha256_of
from ratinglist.home import originals
from ratinglist.home.log import Entry
from ratinglist.lists import list_reader
from ratinglist.lists.list_reader import ListBatch
from ratinglist.lists.official_rows import infer_state
from ratinglist.names.alike import other_day, unlike_names
from ratinglist.period import Period
from ratinglist.publication import revisions
from ratinglist.publication.doubts import Doubt, Frames, as_dicts, doubts, queries, seen, unanswered
from ratinglist.settings import Settings, is_home
from ratinglist.store import calculations, received
from ratinglist.store.database import Store
from ratinglist.store.rule_files import rule_book
from ratinglist.summaries import Summary, because_options
from ratinglist.tables import LISTS, MEMBERSHIP, PLAYER, words_of
from ratinglist.text import counted, on_one_line
from ratinglist.workflows.opening import open_to_read, open_to_write

_EXAMPLES = 20
_COLUMNS = [*player_changes.COLUMNS, *player_changes.MEMBERSHIP_COLUMNS]
_REFERENCE, _REFERENCE_CONTROL = "import-reference", "standard"
"""The families that read reference lists have lists of this time control only."""


@dataclass(frozen=True, slots=True)
class ImportSummary(Summary):
    """An import of a list (with ``month``) or of players alone (``month`` is None), or its preview.

    ``listed``: rated players by time control. ``notes``: what the reader noted in the file. ``already``: the same file
    was imported before, and nothing was changed. ``replaced``: the lists of that month that were imported before.
    ``first_list``: the first list that knows the players of the file so, where that is not the next one.
    ``changed``: how many values, by column of the players' data; ``examples``: at most twenty of them, ``fide_id``,
    ``name``, ``column``, ``before``, ``after``. ``asks``: the questions that it raises; ``lines``: the same as text.
    ``is_preview``: it was the import, and all of it was thrown away.
    """

    file: str
    month: str | None
    listed: dict[str, int]
    players: int
    new_players: int
    changed_players: int
    notes: list[str] = field(default_factory=list)
    already: bool = False
    replaced: list[str] = field(default_factory=list)
    first_list: str | None = None
    changed: dict[str, int] = field(default_factory=dict)
    examples: list[dict[str, object]] = field(default_factory=list)
    asks: list[dict[str, object]] = field(default_factory=list)
    is_preview: bool = False
    lines: list[str] = field(default_factory=list)

    def text(self) -> str:
        """Return the summary in some lines."""
        lines = [
            f"{self.file}: {counted(self.players, 'player')}, {self.new_players:,} new, "
            f"{self.changed_players:,} changed" + "; this is a preview, and nothing was changed" * self.is_preview
        ]
        for name, count in self.listed.items():
            again = ", in place of the one imported before" if name in self.replaced and not self.already else ""
            lines.append(f"  {name} list of {self.month}: {count:,} rated{again}")
        more = sum(self.changed.values()) - len(self.examples)
        if self.is_preview or more:
            lines += [f"  {words_of(name)}: {count:,} changed" for name, count in self.changed.items()]
        lines += [f"  {player_changes.cell_text(cell)}" for cell in self.examples]
        lines += [f"  and {more:,} more changes"] if more else []
        lines += [f"  counts from the list of {self.first_list} on"] if self.first_list else []
        lines += ["  imported before: nothing was changed"] if self.already else []
        lines += [f"  note: {note}" for note in self.notes]
        asks = ["The import will ask:", *(f"  {line}" for line in self.lines)] if self.lines and self.is_preview else []
        return "\n".join(lines + asks)


@dataclass(frozen=True, slots=True)
class Import:
    """What is imported, and how. ``kind``: of its entry in the log.

    ``path``: of the bytes; ``file``: as it was typed, or its name. ``period``: the month of a list, None for a file
    of players. ``time_control``: that of a list, where the file does not name it. ``first_month``: the
    first list that knows the players of a file so; None: the next one. ``reasons``: the answers to questions.
    """

    kind: str
    path: Path
    file: Path
    period: Period | None = None
    time_control: str | None = None
    first_month: Period | None = None
    reasons: Mapping[str, str] = field(default_factory=dict)
    sha256: str = ""

    def facts(self) -> dict[str, object]:
        """Return what the log states of it."""
        of_list = {"month": str(self.period), "time_control": self.time_control} if self.period else {}
        first = {"from": str(self.first_month)} if self.first_month else {}
        because = {"because": dict(self.reasons)} if self.reasons else {}
        return {"file": self.file.name, "sha256": self.sha256, **of_list, **first, **because}

    def command(self) -> str:
        """Return the command that imports the file so."""
        month = ["--month", str(self.period)] if self.period else []
        control = ["--time-control", self.time_control] if self.time_control else []
        first = ["--from", str(self.first_month.first_day)] if self.first_month else []
        return shlex.join(["ratinglist", self.kind, str(self.file), *month, *control, *first])


def import_list(
    settings: Settings,
    file: Path,
    period: Period,
    time_control: str | None = None,
    *,
    because: Mapping[str, str] | None = None,
    preview: bool = False,
) -> ImportSummary:
    """Import an official list: its players, and the list state that the next calculation starts from; all or nothing.

    ``because``: the reasons that answer the questions it raises. ``preview``: nothing is changed. Importing a month
    again replaces it. Where the file and all that is read from it are the same, nothing is changed. Raises
    :class:`CommandLineError` if that month, or a later one, was calculated here, :class:`NothingReadError` if the file
    cannot be read, and :class:`~ratinglist.errors.UnansweredError` where a question has no answer.
    """
    settings.check_month(period)
    request = Import("import-list", file, file, period, time_control, reasons=because or {})
    return _import(settings, request, is_preview=preview)


def import_players(
    settings: Settings,
    file: Path,
    *,
    because: Mapping[str, str] | None = None,
    preview: bool = False,
    start: date | None = None,
) -> ImportSummary:
    """Register the players of a file, or change their data; all or nothing.

    As :func:`import_list`, for a file of players. ``start``: the day from which it counts, such as that of a transfer:
    the first list of that day or a later one that is not published is the first to know it. Default: the next list.
    """
    first = _first_list(settings, start) if start else None
    request = Import("import-players", file, file, first_month=first, reasons=because or {})
    return _import(settings, request, is_preview=preview)


def import_reference(settings: Settings, file: Path, period: Period, time_control: str | None = None) -> ImportSummary:
    """Import the ratings of a reference list for ``period``; all or nothing. No player is registered.

    As :func:`import_list`. Raises :class:`CommandLineError` where a list that reads reference lists is published for
    that month or a later one, or the time control is not the one such lists have.
    """
    if time_control not in (None, _REFERENCE_CONTROL):
        raise CommandLineError(f"A reference list is one of {_REFERENCE_CONTROL} ratings: {time_control} is not read.")
    return _import(settings, Import(_REFERENCE, file, file, period, time_control), is_preview=False)


def import_recorded(store: Store, settings: Settings, entry: Entry) -> None:
    """Import the file that an entry of the log records, from the originals; no question is asked again.

    Raises :class:`~ratinglist.errors.AlteredError` where the file is missing or was altered.
    """
    facts = entry.facts
    path = originals.checked(store.home, facts["sha256"], f"{facts['file']} ({entry.kind}, {entry.day})")
    months = {name: Period.parse(facts[name]) for name in ("month", "from") if name in facts}
    recorded = Import(
        kind=entry.kind,
        path=path,
        file=Path(facts["file"]),
        period=months.get("month"),
        time_control=facts.get("time_control"),
        first_month=months.get("from"),
        reasons=facts.get("because", {}),
        sha256=facts["sha256"],
    )
    _insert(store, settings, recorded, asks=False)


def _first_list(settings: Settings, start: date) -> Period:
    """Return the first list that is not published and takes effect on the day ``start`` or later.

    Raises :class:`CommandLineError` for a day more than a year after today.
    """
    if start.year > settings.today.year + 1:
        raise CommandLineError(f"--from {start} is more than a year after today ({settings.today}): look at the year.")
    of_day = Period.of(start) if start.day == 1 else Period.of(start) + 1
    return max([of_day, *(month + 1 for month in revisions.months(settings.published))])


def _check_file(file: Path) -> None:
    """Raise :class:`NothingReadError` where there is no such file, before a home is made for it."""
    if not file.is_file():
        what = "this is not a file that can be read" if file.exists() else "there is no such file"
        raise NothingReadError(f"{file}: {what}. Name the list itself, as text, XML, CSV, Parquet or zip.")


def _import(settings: Settings, request: Import, *, is_preview: bool) -> ImportSummary:
    """Import the bytes of a file that are kept, so that they are those of the digest; or show what that would change.

    A preview is made in a copy of the store, or in an empty one where there is no home, which is thrown away.
    """
    file = request.file
    _check_file(file)
    if is_preview:
        with TemporaryDirectory(prefix="ratinglist-") as name:
            folder = Path(name)
            has_home = is_home(settings.home)
            opened = open_to_read(settings) if has_home else open_to_write(replace(settings, home=folder / "home"))
            with opened as store, store.changing_facts(folder), store.trial():
                _check_month(store, request)
                summary = _insert(store, settings, replace(request, sha256=sha256_of(file)), is_preview=True)
    else:
        with open_to_write(settings) as store:
            _check_month(store, request)
            sha256 = keep_file(store.home / originals.FOLDER, file)
            kept = replace(request, path=store.home / originals.FOLDER / sha256, sha256=sha256)
            with store.changing_facts():
                summary = _insert(store, settings, kept)
    return replace(summary, file=str(file), is_preview=is_preview)


def _check_month(store: Store, request: Import) -> None:
    """Raise :class:`CommandLineError` where the list of the month, or a later one, was calculated here."""
    file, period = request.path, request.period
    if period is None or request.kind == _REFERENCE:
        return
    if calculations.calculation(store, period) is not None:
        raise CommandLineError(
            f"{file}: the list of {period} was calculated here; importing would overwrite it. Nothing was changed. "
            "Results and players' data are corrected with ratinglist correct; a list of a later month can be imported."
        )
    if later := calculations.months_from(store, period + 1):
        raise CommandLineError(
            f"{file}: the list of {period} cannot be imported: {later[0]} was calculated from it; importing would "
            "invalidate it. Nothing was changed. Correct results and players' data with ratinglist correct, register "
            "new players with ratinglist import-players. To start from other ratings of "
            f"{period}, make a new home."
        )


def _insert(
    store: Store, settings: Settings, request: Import, *, asks: bool = True, is_preview: bool = False
) -> ImportSummary:
    """Import a file as one change of the caller, and record it, unless it was imported before and changes nothing.

    ``asks``: whether questions are looked for. In a preview they need no answer.
    """
    source = received.add_source_file(
        store,
        sha256=request.sha256,
        file_name=request.file.name,
        kind=request.kind.removeprefix("import-"),
        month=request.period,
        known_on=settings.today,
        first_month=request.first_month,
    )
    if request.kind == _REFERENCE and request.period is not None:
        summary = _insert_reference(store, settings, request, request.period, source, asks=asks)
    else:
        summary = _insert_players(store, settings, request, source, asks=asks, is_preview=is_preview)
    if not summary.already:
        family = {"family": settings.family} if request.kind == "import-list" else {}
        store.record(request.kind, settings.today, **request.facts(), **family)
    return summary


def _insert_players(
    store: Store, settings: Settings, request: Import, source: int, *, asks: bool, is_preview: bool
) -> ImportSummary:
    """Insert the players of a file, and the ratings of a list, which take the place of those imported for its month."""
    period = request.period
    earlier, counts_the_same = received.earlier_import(store, source) or (0, True)
    before = newest_before(store, period) if asks and period else pl.DataFrame()
    replaced = received.lists_imported(store, period) if period else []
    ratings_before = received.imported_rows(store, period) if period and earlier else None
    batches: list[ListBatch] = []
    lists: list[pl.DataFrame] = []
    listed: Counter[str] = Counter()
    for batch in _batches(settings, request):
        if period:
            lists.append(_list_state(settings, period, batch.rows))
            rated = batch.rows.drop_nulls("time_control").group_by("time_control").agg(pl.col("rating").count())
            listed.update(dict(rated.iter_rows()))
        batches.append(replace(batch, rows=PLAYER.conform(batch.rows)))
        settings.progress("players imported", sum(part.rows.height for part in batches), 1)
    counts = _add_players(store, settings, request, source, batches)
    if period:
        received.replace_lists(store, period, sorted(listed), pl.concat(lists), source)
    already = earlier > 0 and not counts["new"] + counts["changed"]
    if already and period and ratings_before is not None:
        already = ratings_before.equals(received.imported_rows(store, period))
    if already and not counts_the_same:
        raise CommandLineError(
            f"{request.file.name} was imported before, to count from another list. Nothing was changed. Undo that "
            f"import first: ratinglist retract {earlier}"
        )
    raised: list[Doubt] = []
    changed: dict[str, int] = {}
    examples: list[dict[str, object]] = []
    if asks:
        # A list that names nobody who is known, and follows no list, is compared with nothing.
        if period is None or counts["known"] + before.height:
            _check_is_the_last(store, request, source)
            changed, examples = _changed(store, source)
            raised = [] if already else _doubts(store, request, source, before, counts["known"])
        _check_answers(request, raised, is_preview=is_preview)
    questions = [doubt for doubt in raised if doubt.kind == "ask"]
    return ImportSummary(
        file=request.file.name,
        month=str(period) if period else None,
        listed=dict(sorted(listed.items())),
        players=counts["players"],
        new_players=counts["new"],
        changed_players=counts["changed"],
        notes=[
            *(note.text() for note in batches[-1].notes),
            *player_changes.kept_text(counts["kept"]),
            *(doubt.sentence for doubt in raised if doubt.kind == "note"),
        ],
        already=already,
        replaced=replaced,
        first_list=str(request.first_month) if request.first_month else None,
        changed=changed,
        examples=examples,
        asks=as_dicts(questions),
        lines=[line for doubt in questions for line in doubt.lines()],
    )


def _doubts(store: Store, request: Import, source: int, before: pl.DataFrame, named: int) -> list[Doubt]:
    """Return the doubts about an import, which is inserted and can still be taken back.

    ``before``: :func:`newest_before`, read before it. ``named``: how many of its players were known.
    """
    frames: Frames = {"unlike_line": partial(_other_names, store, source), "newest_before": before.clone}
    asked = [query for query in queries() if request.kind in query.when]
    month = str(request.period) if request.period else ""
    values = {"month": month, "source": source, "named": named}
    return doubts(store, asked, frames, values, lambda code, _: request.reasons.get(code, ""))


def _check_answers(request: Import, raised: Sequence[Doubt], *, is_preview: bool) -> None:
    """Raise :class:`UnansweredError` where an answer is missing, and :class:`CommandLineError` for one to no question.

    In a preview the questions are shown, and need no answer.
    """
    codes = [doubt.code for doubt in raised if doubt.kind == "ask"]
    if others := request.reasons.keys() - codes:
        raise CommandLineError(
            f"--because {min(others)}: the file does not raise that question; it raises {', '.join(codes) or 'none'}. "
            "Nothing was imported: leave the reason out."
        )
    missing = unanswered(raised)
    if missing and not is_preview:
        lines = [f"    {line}" for doubt in missing for line in doubt.lines()]
        remedy = (
            "If this is wrong, put the file right and import it then. If it is right, write down why: "
            f"{request.command()} {because_options(codes)}"
        )
        count = "a question" if len(missing) == 1 else counted(len(missing), "question")
        message = "\n".join([f"Nothing was imported: the file raises {count}.", *lines, remedy])
        raise UnansweredError(message, (), as_dicts(raised))


def _other_names(store: Store, source: int) -> pl.DataFrame:
    """Return the players of an import whose names are other people's: ``fide_id``, both names and years of birth."""
    with seen(store, {}, {"source": source}):
        changed = store.read(
            """
            select now.fide_id, now.name, now.birth_year, was.name as registered, was.birth_year as registered_year,
                now.birth_date, was.birth_date as registered_date
            from version_pair where now.name <> was.name
            """
        )
    is_other_day = other_day(pl.col("birth_date"), pl.col("registered_date"))
    unlike = unlike_names(store, changed.with_columns(is_other_day=is_other_day))
    return unlike.select("fide_id", "name", "birth_year", "registered", "registered_year")


def newest_before(store: Store, period: Period) -> pl.DataFrame:
    """Return the ratings before an import of a month: ``time_control``, ``month``, ``fide_id``, ``rating``.

    Of each time control the newest list before the month, or the list of the month that was imported before.
    """
    return store.read(
        """
        with known as (
            select time_control, month from standing_list where month < $month
            union
            select time_control, month from imported_list where month = $month
        ),
        newest as (
            select time_control, max(month) as month from known group by time_control
        )
        select time_control, month, fide_id, rating
        from list_state semi join newest using (time_control, month) where rating is not null
        """,
        month=str(period),
    )


def _check_is_the_last(store: Store, request: Import, source: int) -> None:
    """Raise :class:`CommandLineError` where data of a player that count from a later list were imported before.

    Of two versions of a player's data the one that was imported last counts, as soon as it counts at all.
    """
    later = store.rows(
        """
        select fide_id, name, source_no, counts_from
        from player join source_file using (source_no)
        where counts_from > $first and fide_id in (select fide_id from player where source_no = $source)
        order by counts_from desc, source_no desc, fide_id limit 1
        """,
        first=str(request.first_month or "9999-12"),
        source=source,
    )
    for fide_id, name, entry, month in later:
        raise CommandLineError(
            f"{request.file.name} would count from the list of {request.first_month}, and of {fide_id} "
            f"{on_one_line(name)} data were imported before that count from {month}: the later day has to be imported "
            f"last. Nothing was changed. Undo that import, ratinglist retract {entry}, then import this file, and then "
            "that one again."
        )


def _batches(settings: Settings, request: Import) -> Iterator[ListBatch]:
    if request.period is None:
        return list_reader.read_players(request.path, name=request.file.name, until=settings.today)
    return list_reader.read(
        request.path, month=request.period, time_control=request.time_control, name=request.file.name
    )


def _add_players(
    store: Store, settings: Settings, request: Import, source: int, batches: Sequence[ListBatch]
) -> Counter[str]:
    """Insert the players of a file who are new or changed, and their memberships.

    A file that counts from a day is compared with the corrected data: it may state a value that was corrected away.
    Return how many ``players`` there are, and how many of these are ``known``, ``new`` and ``changed``; ``kept``: names
    that stay as they are stored.
    """
    batch = batches[-1]
    is_first = pl.col("fide_id").is_first_distinct()
    players = pl.concat([part.rows for part in batches]).filter(is_first)
    memberships = pl.concat([part.memberships for part in batches]).filter(is_first)
    stored = received.newest_versions(store, PLAYER, players, view="player_version" if request.first_month else "")
    changes = player_changes.compare(players, stored, partial=batch.partial, stated=batch.stated)
    members = received.newest_versions(store, MEMBERSHIP, memberships)
    clubs = player_changes.compare_memberships(memberships, members, partial=batch.partial, stated=batch.stated)
    for table, versions in (PLAYER, pl.concat([changes.new, changes.changed])), (MEMBERSHIP, clubs):
        received.add_versions(store, table, versions, known_on=settings.today, source_no=source)
    moved = pl.concat([changes.changed["fide_id"], clubs["fide_id"]]).unique()
    return Counter(
        players=len(players),
        known=len(stored),
        new=len(changes.new),
        changed=len(moved.filter(~moved.is_in(changes.new["fide_id"].implode()))),
        kept=len(changes.kept),
    )


def _list_state(settings: Settings, period: Period, rows: pl.DataFrame) -> pl.DataFrame:
    """Return the list state of some rows of a list."""
    # Where all players have the same K, it gives no information on a player.
    sets = {name: rule_book().on(settings.family, name, period.first_day) for name in LISTS}
    uniform = [name for name, rules in sets.items() if rules is not None and rules.development_coefficient.fixed > 0]
    return infer_state(rows, period, uniform_k=uniform)


def _changed(store: Store, source: int) -> tuple[dict[str, int], list[dict[str, object]]]:
    """Return how many values an import changes, by column, and the first of them.

    The first of each column, so that a frequent change does not hide a rare one.
    """
    with seen(store, {}, {"source": source}):
        counts = dict(store.rows('select "column", count(*) from changed_cell group by all'))
        cells = store.dicts(
            """
            from (
                from changed_cell
                order by row_number() over (partition by "column" order by fide_id), "column"
                limit $examples
            )
            order by list_position($columns, "column"), fide_id
            """,
            examples=_EXAMPLES,
            columns=_COLUMNS,
        )
    return {name: counts[name] for name in _COLUMNS if name in counts}, cells


def _insert_reference(
    store: Store, settings: Settings, request: Import, period: Period, source: int, *, asks: bool
) -> ImportSummary:
    """Insert the ratings of a reference list; those of other time controls are not read.

    ``asks``: whether the lists that read it are looked for; not of an import that is made again.
    """
    is_read = pl.col("time_control") == _REFERENCE_CONTROL, pl.col("rating").is_not_null()
    batches = [replace(batch, rows=batch.rows.filter(is_read)) for batch in _batches(settings, request)]
    rated = pl.concat([batch.rows for batch in batches]).select("fide_id", "rating")
    if rated.is_empty():
        raise NothingReadError(
            f"{request.file.name}: nobody has a {_REFERENCE_CONTROL} rating in it, and a reference list is one of "
            "these. Nothing was imported: give the list of all time controls, or the standard one."
        )
    is_new = received.replace_reference_list(store, period, rated, source)
    if is_new and asks:
        _check_is_not_due(store, request.file.name, period)
    listed = {f"{_REFERENCE_CONTROL} reference": len(rated)}
    texts = [note.text() for note in batches[-1].notes]
    return ImportSummary(request.file.name, str(period), listed, len(rated), 0, 0, texts, already=not is_new)


def _check_is_not_due(store: Store, file: str, period: Period) -> None:
    """Raise :class:`CommandLineError` where a list is published that would have read the reference list of ``period``.

    A calculated list that would have is calculated again before it is published (``reference_list_is_current``).
    """
    book = rule_book()
    month = store.value(
        """
        select max(month) from calculation semi join current_revision using (month)
        where is_newest and month >= $month and family in (select unnest($families::varchar[]))
        """,
        month=str(period),
        families=[family for family in book.families if book.reads_references(family)],
    )
    if month is not None:
        raise CommandLineError(
            f"{file}: the list of {month} is published and was calculated without this reference list, so it stays "
            f"as it is. Import a reference list of a later month than {month}: the lists from then on read it. To "
            f"have this one in {month}, take the lists back first, the newest one first: ratinglist rollback"
        )
