"""Import official lists and files of players into the store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from ratinglist.analysis import membership_changes, player_changes
from ratinglist.analysis.player_changes import PlayerChanges
from ratinglist.concurrency import prefetch
from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.files import durable_files
from ratinglist.files.durable_files import sha256_of
from ratinglist.home import originals
from ratinglist.home.log import Entry
from ratinglist.lists import list_reader
from ratinglist.lists.raw_list import Note
from ratinglist.lists.state_inference import infer_state
from ratinglist.period import Period
from ratinglist.rating.rules import RuleBook
from ratinglist.settings import Settings
from ratinglist.store import calculations, received
from ratinglist.store.database import Store
from ratinglist.store.rule_files import rule_book
from ratinglist.summaries import ImportSummary
from ratinglist.tables import MEMBERSHIP, PLAYER
from ratinglist.workflows import identities, import_questions
from ratinglist.workflows.import_questions import Answers, PlayerQuestions, command_text
from ratinglist.workflows.opening import open_to_write

_CHANGES_SHOWN = 20
"""How many changed values of players the import of a file of players prints."""


def import_list(
    settings: Settings,
    file: Path,
    period: Period,
    time_control: str | None = None,
    *,
    ascii_names: bool = False,
    because: Mapping[str, str] | None = None,
) -> ImportSummary:
    """Import an official list: its players, and the list state that the next calculation starts from; all or nothing.

    ``because``: the reasons that answer the questions it raises. Importing a month again replaces it. Where the file
    and all that is read from it are the same, nothing is changed; where its original is altered or missing, that is put
    back. ``ascii_names``: a name is replaced by its own form in ASCII. Raises :class:`CommandLineError` if that month,
    or a later one, was calculated here, :class:`NothingReadError` if the file cannot be read, and
    :class:`~ratinglist.errors.UnansweredError` where a question has no answer.
    """
    settings.check_month(period)
    check_file(file)
    answers = import_questions.Answers(
        because or {},
        command_text(
            *("import-list", file, "--month", period),
            *(["--time-control", time_control] if time_control else []),
            *(["--ascii-names"] if ascii_names else []),
        ),
    )
    with open_to_write(settings) as store:
        if put_back := put_back_again(store, file, "import-list", period):
            return put_back
        check_may_be_imported(store, file, period)
        original = kept(store, file)
        with store.changing_facts():
            found = _import_list(store, settings, original, period, time_control, answers, ascii_names=ascii_names)
        return replace(found, file=str(file))


def _import_list(
    store: Store,
    settings: Settings,
    original: Original,
    period: Period,
    time_control: str | None,
    answers: Answers,
    *,
    ascii_names: bool,
) -> ImportSummary:
    """Import a list that is kept, as one change of the caller."""
    before = import_questions.lists_before(store, period) if answers.command else None
    book = rule_book()
    listed: Counter[str] = Counter()
    rows = 0
    notes: tuple[Note, ...] = ()
    source = add_source(store, settings, original, "list", period)
    questions = PlayerQuestions(store, blanks_alone=True) if answers.command else None
    added = _Added(store, settings, source, ascii_names, questions=questions, shows=False)
    earlier = received.lists_imported(store, period, original.sha256)
    read = list_reader.read(original.path, month=period, time_control=time_control, name=original.name)
    for batch in prefetch(read):
        players = PLAYER.conform(batch.rows.unique("fide_id", keep="first", maintain_order=True))
        added.add(players, stated=batch.stated)
        time_controls = [name for name in batch.rows["time_control"].unique().sort() if name is not None]
        for name in time_controls:
            if name not in listed and name not in earlier:
                received.drop_imported_list(store, period, name)
        uniform = [name for name in time_controls if _k_is_uniform(book, settings.family, name, period)]
        state = infer_state(batch.rows, period, uniform_k=uniform)
        received.add_list(store, state, source)
        for name in time_controls:
            listed[name] += state.filter((pl.col("time_control") == name) & pl.col("rating").is_not_null()).height
        rows += len(batch.rows)
        notes = batch.notes
    same = [_keep_one(store, period, name, earlier[name], source) for name in listed if name in earlier]
    received.count_source_file(store, source, rows)
    already = not added.new + added.changed and len(same) == len(listed) and all(same)
    if already:
        received.drop_source_file(store, source)
    else:
        given = {"month": str(period), "time_control": time_control}
        raised = import_questions.of_list(store, period, source, before) if before is not None else []
        raised += questions.raised() if questions else []
        reasons = answers.checked(raised)
        facts = {**original.facts, **given, **added.facts, **reasons}
        store.record("import-list", settings.today, **facts, family=settings.family)
    return added.summary(original.name, str(period), dict(sorted(listed.items())), notes, already=already)


@dataclass(slots=True)
class _Added:
    """The players of one import: inserts them batch by batch, and counts what they are.

    ``shows``: whether the first changes are shown.
    """

    store: Store
    settings: Settings
    source: int
    ascii_names: bool
    players: int = 0
    new: int = 0
    changed: int = 0
    kept: int = 0
    cells: int = 0
    shown: list[str] = field(default_factory=list)
    questions: PlayerQuestions | None = None
    shows: bool = True

    def add(
        self,
        players: pl.DataFrame,
        *,
        stated: Collection[str],
        partial: bool = False,
        memberships: pl.DataFrame | None = None,
    ) -> None:
        """Insert what is new or changed of ``players`` (``PLAYER``) and their ``memberships`` (``MEMBERSHIP``).

        ``stated``, ``partial``: see :func:`~ratinglist.analysis.player_changes.compare`.
        """
        stored = received.newest_versions(self.store, PLAYER, players)
        changes = player_changes.compare(players, stored, ascii_names=self.ascii_names, partial=partial, stated=stated)
        if self.questions is not None:
            self.questions.add(changes)
            self._show(player_changes.changed_cells(changes))
        rows = pl.concat([changes.new, changes.changed])
        received.add_versions(self.store, PLAYER, rows, known_on=self.settings.today, source_no=self.source)
        self.players += len(players)
        self.new += len(changes.new)
        self.changed += len(changes.changed)
        self.kept += len(changes.kept)
        if memberships is not None and len(memberships):
            self._add_memberships(players, memberships, changes, stated, partial=partial)
        self.settings.progress("players imported", self.players, 1)

    def _add_memberships(
        self,
        players: pl.DataFrame,
        memberships: pl.DataFrame,
        of_players: PlayerChanges,
        stated: Collection[str],
        *,
        partial: bool,
    ) -> None:
        """Insert the ``memberships`` that are new or changed; ``of_players``: the changes of the ``players``' data."""
        stored = received.newest_versions(self.store, MEMBERSHIP, memberships)
        changes = membership_changes.compare(memberships, stored, partial=partial, stated=stated)
        registered = changes.join(of_players.new, on="fide_id", how="anti", maintain_order="left")
        if self.questions is not None:
            self.questions.add_lost(membership_changes.lost_cells(changes, players))
            self._show(membership_changes.changed_cells(registered, players))
        received.add_versions(self.store, MEMBERSHIP, changes, known_on=self.settings.today, source_no=self.source)
        self.changed += len(registered.join(of_players.changed, on="fide_id", how="anti"))

    def _show(self, cells: pl.DataFrame) -> None:
        if not self.shows:
            return
        self.cells += len(cells)
        self.shown += map(player_changes.cell_text, cells.head(_CHANGES_SHOWN - len(self.shown)).to_dicts())

    @property
    def facts(self) -> dict[str, object]:
        """Return what the log states of the names; nothing where none was kept."""
        return {"names_kept": True} if self.kept else {}

    def summary(
        self, file: str, month: str | None, listed: dict[str, int], notes: tuple[Note, ...], *, already: bool
    ) -> ImportSummary:
        """Return the summary of the import."""
        texts = [note.text() for note in notes] + player_changes.kept_text(self.kept)
        more = [f"and {self.cells - len(self.shown):,} more changes"] if self.cells > len(self.shown) else []
        return ImportSummary(
            *(file, month, listed, self.players, self.new, self.changed, texts),
            already=already,
            lines=self.shown + more,
        )


def put_back_again(store: Store, file: Path, kind: str, period: Period | None) -> ImportSummary | None:
    """Keep a file again that was imported before and whose original is altered or missing; import nothing.

    ``kind``: of the entry. ``period``: the month it was imported for, None for a file of players. Return
    None, and change nothing, where the original is whole, or this import was never made.
    """
    sha256 = sha256_of(file)
    if durable_files.is_whole(store.home / originals.FOLDER / sha256):
        return None
    month = str(period) if period else None
    made = [one.facts for one in store.log.entries if one.kind == kind]
    if not any((one["sha256"], one.get("month")) == (sha256, month) for one in made):
        return None
    originals.keep_file(store.home, file)
    return ImportSummary(str(file), month, {}, 0, 0, 0, already=True, put_back=True)


def check_may_be_imported(store: Store, file: Path, period: Period) -> None:
    """Raise :class:`CommandLineError` where the list of the month, or a later one, was calculated here."""
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


def _keep_one(store: Store, period: Period, time_control: str, earlier: int, now: int) -> bool:
    """Delete the earlier import of a list, or the one of now where it gave the same rows; return whether it did."""
    is_same = received.is_same_list(store, period, time_control, earlier, now)
    received.drop_imported_list(store, period, time_control, now if is_same else earlier)
    return is_same


def _k_is_uniform(book: RuleBook, family: str, time_control: str, period: Period) -> bool:
    """Return whether all players had the same K on that list, so that it gives no information on a player."""
    rule_set = book.on(family, time_control, period.first_day)
    return rule_set is not None and rule_set.development_coefficient.fixed > 0


def check_file(file: Path) -> None:
    """Raise :class:`NothingReadError` where there is no such file, before a home is made for it."""
    if not file.is_file():
        what = "this is not a file that can be read" if file.exists() else "there is no such file"
        raise NothingReadError(f"{file}: {what}. Name the list itself, as text, XML, CSV, Parquet or zip.")


@dataclass(frozen=True, slots=True)
class Original:
    """A file among the originals: where it is, the name it was delivered with, and its digest."""

    path: Path
    name: str
    sha256: str

    @property
    def facts(self) -> dict[str, object]:
        """Return what the log states of it."""
        return {"file": self.name, "sha256": self.sha256}


def kept(store: Store, file: Path) -> Original:
    """Keep the file. What is imported are the bytes that are kept, so that they are those of the digest."""
    sha256 = originals.keep_file(store.home, file)
    return Original(store.home / originals.FOLDER / sha256, file.name, sha256)


def recorded(store: Store, entry: Entry) -> Original:
    """Return the original that an entry names.

    Raises :class:`~ratinglist.errors.AlteredError` where it is missing or was altered.
    """
    name, sha256 = entry.facts["file"], entry.facts["sha256"]
    return Original(originals.checked(store.home, sha256, f"{name} ({entry.kind}, {entry.day})"), name, sha256)


def add_source(store: Store, settings: Settings, original: Original, kind: str, period: Period | None) -> int:
    """Insert an original as a file imported today; see :func:`~ratinglist.store.received.add_source_file`."""
    return received.add_source_file(
        store, sha256=original.sha256, file_name=original.name, kind=kind, month=period, known_on=settings.today
    )


def import_players(
    settings: Settings, file: Path, *, ascii_names: bool = False, because: Mapping[str, str] | None = None
) -> ImportSummary:
    """Register the players of a file, or change their data; all or nothing.

    ``because``: the reasons that answer the questions it raises (:class:`~ratinglist.errors.UnansweredError`).

    A file that was imported before and changes nothing is not kept a second time; where its original is
    altered or missing, that is put back, and nothing else done. ``ascii_names``: a name is replaced
    by its own form in ASCII. Raises :class:`NothingReadError` if the file cannot be read.
    """
    check_file(file)
    command = command_text("import-players", file, *(["--ascii-names"] if ascii_names else []))
    with open_to_write(settings) as store:
        if put_back := put_back_again(store, file, "import-players", None):
            return put_back
        original = kept(store, file)
        with store.changing_facts():
            answers = Answers(because or {}, command)
            found = _import_players(store, settings, original, answers, ascii_names=ascii_names)
        return replace(found, file=str(file))


def _import_players(
    store: Store, settings: Settings, original: Original, answers: Answers, *, ascii_names: bool
) -> ImportSummary:
    """Import a file of players that is kept, as one change of the caller."""
    notes: tuple[Note, ...] = ()
    source = add_source(store, settings, original, "players", None)
    questions = PlayerQuestions(store) if answers.command else None
    added = _Added(store, settings, source, ascii_names, questions=questions)
    for batch in prefetch(list_reader.read_players(original.path, name=original.name, until=settings.today)):
        added.add(batch.rows, partial=batch.partial, stated=batch.stated, memberships=batch.memberships)
        notes = batch.notes
    received.count_source_file(store, source, added.players)
    already = not added.new + added.changed and received.is_imported_again(store, source)
    if already:
        received.drop_source_file(store, source)
    else:
        reasons = answers.checked(questions.raised() if questions else [])
        store.record("import-players", settings.today, **original.facts, **added.facts, **reasons)
    found = added.summary(original.name, None, {}, notes, already=already)
    return replace(found, notes=[*found.notes, *identities.of_other_length(store, source)])


def import_recorded(store: Store, settings: Settings, entry: Entry) -> None:
    """Import the list, or the file of players, that an entry of the log records, from the originals.

    Raises :class:`~ratinglist.errors.AlteredError` where the file is missing or was altered.
    """
    facts, original = entry.facts, recorded(store, entry)
    # Where no name was kept, keeping them changes nothing.
    ascii_names = not facts.get("names_kept", False)
    answers = Answers(facts.get("because", {}), None)
    if entry.kind == "import-players":
        _import_players(store, settings, original, answers, ascii_names=ascii_names)
    else:
        period, control = Period.parse(facts["month"]), facts["time_control"]
        _import_list(store, settings, original, period, control, answers, ascii_names=ascii_names)
