"""Show what the import of a list or of a file of players would change, without changing anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from ratinglist.analysis import membership_changes, player_changes
from ratinglist.concurrency import prefetch
from ratinglist.files.durable_files import sha256_of
from ratinglist.lists import list_reader
from ratinglist.lists.raw_list import Note
from ratinglist.period import Period
from ratinglist.settings import Settings
from ratinglist.store import received
from ratinglist.store.database import Store
from ratinglist.summaries import Summary
from ratinglist.tables import MEMBERSHIP, PLAYER, words_of
from ratinglist.text import on_one_line
from ratinglist.workflows.import_files import check_file, check_may_be_imported
from ratinglist.workflows.import_questions import PlayerQuestions, lists_before, of_list
from ratinglist.workflows.opening import open_to_read

EXAMPLES = 20
_COLUMNS = (*player_changes.COLUMNS, *membership_changes.COLUMNS)
_COLUMN_NUMBER = {name: number for number, name in enumerate(_COLUMNS)}


@dataclass(frozen=True, slots=True)
class ImportPreview(Summary):
    """What an import would change.

    ``month``, ``listed``: as of :class:`~ratinglist.summaries.ImportSummary`. ``replaced``: the lists of that month
    that are imported already. ``changed``: how many players, by column of their data. ``examples``: at most twenty
    changed values, and new players where there are fewer, ``fide_id``, ``name``, ``column``, ``before``, ``after``.
    ``asks``: the questions that the import will raise, as text.
    """

    file: str
    month: str | None
    listed: dict[str, int]
    replaced: list[str]
    players: int
    new_players: int
    changed_players: int
    changed: dict[str, int]
    examples: list[dict[str, object]]
    notes: list[str]
    asks: list[str] = field(default_factory=list)

    def text(self) -> str:
        """Return the preview in some lines."""
        lines = [
            f"{self.file}: would change {self.changed_players:,} of {self.players:,} players and add "
            f"{self.new_players:,}; nothing was changed"
        ]
        for name, count in self.listed.items():
            again = ", in place of the one imported before" if name in self.replaced else ""
            lines.append(f"  {name} list of {self.month}: {count:,} rated{again}")
        lines += [f"  {words_of(name)}: {count:,} changed" for name, count in self.changed.items()]
        lines += [f"  {_example(one)}" for one in self.examples]
        more = sum(self.changed.values()) + self.new_players - len(self.examples)
        lines += [f"  and {more:,} more changes"] if more > 0 else []
        lines += [f"  note: {note}" for note in self.notes]
        return "\n".join(lines + (["The import will ask:", *(f"  {line}" for line in self.asks)] if self.asks else []))


def _example(one: dict[str, object]) -> str:
    return player_changes.cell_text(one) if one["column"] else f"{one['fide_id']} {on_one_line(str(one['name']))}: new"


def preview_list(
    settings: Settings, file: Path, period: Period, time_control: str | None = None, *, ascii_names: bool = False
) -> ImportPreview:
    """Return what the import of an official list would change; it raises what the import would."""
    settings.check_month(period)
    check_file(file)
    listed: Counter[str] = Counter()
    replaced: list[str] = []
    notes: tuple[Note, ...] = ()
    ratings: list[pl.DataFrame] = []
    asks: list[str] = []
    with _store(settings) as store:
        if store is not None:
            check_may_be_imported(store, file, period)
            replaced = sorted(received.lists_imported(store, period))
        questions = PlayerQuestions(store, blanks_alone=True) if store is not None else None
        compared = _Compared(store, ascii_names, questions)
        for batch in prefetch(list_reader.read(file, month=period, time_control=time_control)):
            players = PLAYER.conform(batch.rows.unique("fide_id", keep="first", maintain_order=True))
            compared.add(players, stated=batch.stated)
            rated = batch.rows.filter(pl.col("rating").is_not_null())
            listed.update(dict(rated.group_by("time_control").len().iter_rows()))
            ratings.append(batch.rows.select("time_control", "fide_id", "rating"))
            notes = batch.notes
        if store is not None and not received.lists_imported(store, period, sha256_of(file)):
            raised = of_list(store, period, pl.concat(ratings), lists_before(store, period))
            raised += questions.raised() if questions else []
            asks = [line for one in raised for line in one.lines()]
    found = compared.preview(str(file), str(period), dict(sorted(listed.items())), replaced, notes)
    return replace(found, asks=asks)


def preview_players(settings: Settings, file: Path, *, ascii_names: bool = False) -> ImportPreview:
    """Return what the import of a file of players would change; it raises what the import would."""
    check_file(file)
    notes: tuple[Note, ...] = ()
    with _store(settings) as store:
        questions = PlayerQuestions(store) if store is not None else None
        compared = _Compared(store, ascii_names, questions)
        for batch in prefetch(list_reader.read_players(file, until=settings.today)):
            compared.add(batch.rows, partial=batch.partial, stated=batch.stated, memberships=batch.memberships)
            notes = batch.notes
        found = compared.preview(str(file), None, {}, [], notes)
        asks = [line for one in questions.raised() for line in one.lines()] if questions else []
    return replace(found, asks=asks)


@contextmanager
def _store(settings: Settings) -> Iterator[Store | None]:
    """Open the store for reading; yield None where there is none yet, and then every player is new."""
    if not settings.store.is_file():
        yield None
        return
    with open_to_read(settings) as store:
        yield store


class _Compared:
    """The players of a file compared with the stored ones, batch by batch; each player counts once."""

    def __init__(self, store: Store | None, ascii_names: bool, questions: PlayerQuestions | None = None) -> None:
        self._store, self._ascii_names, self._questions = store, ascii_names, questions
        self._seen: list[pl.DataFrame] = []
        self._counts: Counter[str] = Counter()
        self._changed: Counter[str] = Counter()
        self._cells: list[pl.DataFrame] = []
        self._new: list[pl.DataFrame] = []

    def add(
        self,
        players: pl.DataFrame,
        *,
        stated: Collection[str],
        partial: bool = False,
        memberships: pl.DataFrame | None = None,
    ) -> None:
        """Compare ``players`` (``PLAYER``) and their ``memberships`` (``MEMBERSHIP``) with the stored ones.

        ``stated``, ``partial``: as in :func:`player_changes.compare`.
        """
        for earlier in self._seen:
            players = players.join(earlier, on="fide_id", how="anti", maintain_order="left")
        self._seen.append(players.select("fide_id"))
        stored = PLAYER.empty() if self._store is None else received.newest_versions(self._store, PLAYER, players)
        changes = player_changes.compare(players, stored, ascii_names=self._ascii_names, partial=partial, stated=stated)
        if self._questions is not None:
            self._questions.add(changes)
        cells, changed = player_changes.changed_cells(changes), len(changes.changed)
        if memberships is not None and len(memberships):
            of_file = memberships.join(players, on="fide_id", how="semi", maintain_order="left")
            stored = MEMBERSHIP.empty()
            if self._store is not None:
                stored = received.newest_versions(self._store, MEMBERSHIP, of_file)
            of_clubs = membership_changes.compare(of_file, stored, partial=partial, stated=stated)
            if self._questions is not None:
                self._questions.add_lost(membership_changes.lost_cells(of_clubs, players))
            registered = of_clubs.join(changes.new, on="fide_id", how="anti", maintain_order="left")
            cells = pl.concat([cells, membership_changes.changed_cells(registered, players)])
            changed += len(registered.join(changes.changed, on="fide_id", how="anti"))
        self._counts.update(players=len(players), new=len(changes.new), changed=changed, kept=len(changes.kept))
        self._changed.update(dict(cells.group_by("column").len().iter_rows()))
        # The first of each column, so that a frequent change does not hide a rare one.
        self._cells.append(cells.group_by("column", maintain_order=True).head(EXAMPLES))
        self._new.append(changes.new.head(EXAMPLES).select("fide_id", "name"))

    def preview(
        self, file: str, month: str | None, listed: dict[str, int], replaced: list[str], notes: tuple[Note, ...]
    ) -> ImportPreview:
        """Return the preview of all players."""
        number = pl.int_range(pl.len()).over("column")
        cells = pl.concat(self._cells).with_columns(number.alias("number"))
        first = cells.sort("number", maintain_order=True).head(EXAMPLES).select(pl.exclude("number"))
        of_column = pl.col("column").replace_strict(_COLUMN_NUMBER, return_dtype=pl.Int64)
        shown = first.sort(of_column, "fide_id").to_dicts()
        new = pl.concat(self._new).head(EXAMPLES - len(shown))
        shown += [{**row, "column": "", "before": "", "after": ""} for row in new.to_dicts()]
        return ImportPreview(
            file,
            month,
            listed,
            replaced,
            self._counts["players"],
            self._counts["new"],
            self._counts["changed"],
            {name: self._changed[name] for name in _COLUMNS if self._changed[name]},
            shown,
            [note.text() for note in notes] + player_changes.kept_text(self._counts["kept"]),
        )
