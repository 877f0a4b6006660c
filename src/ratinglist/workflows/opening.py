"""Open the home of an office: read its log, bring the store up to it, and finish what was decided.

The store lacks the newest entries: they are made again. It is missing, damaged or of another layout: all are. It is
ahead of the log, or contradicts it: that stops every command. A command that only reads is not made to wait for the
modules that write: the functions that need them import them.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from ratinglist import office
from ratinglist.errors import (
    CheckError,
    CommandLineError,
    HomeError,
    NothingReadError,
    RatinglistError,
    StoreDamagedError,
    StoreInUseError,
    UnfinishedError,
    first_line,
    is_held_by_another,
    is_shortage,
)
from ratinglist.files.durable_files import (
    WORK,
    close_to_others,
    named_in_errors,
    read_regular_file,
    remove,
)
from ratinglist.home.location import (
    check_becomes_home,
    check_home,
    check_whole,
    held_to_write,
    holding_calculations,
    is_being_written,
)
from ratinglist.home.log import Log
from ratinglist.limits import REVISION_MANIFEST_BYTES
from ratinglist.period import Period
from ratinglist.publication import manifest, published_files, revisions, settle
from ratinglist.publication.published_files import Difference
from ratinglist.rating.systems import registry
from ratinglist.settings import LOG, PUBLISHED, STORE, Settings
from ratinglist.store import rule_files
from ratinglist.store.calculation_folder import MISSING_REMEDY
from ratinglist.store.database import Store
from ratinglist.store.rule_files import rule_book

FIRST = "To begin: ratinglist import-list FILE --month YYYY-MM"
"""The command that makes a home."""
_CLOCKS_DIFFER = timedelta(days=1)
"""By how much the clocks of two computers of one office may differ: their time zones."""


@contextmanager
def open_to_write(settings: Settings, *, taken_back: Period | None = None) -> Iterator[Store]:
    """Open the home for a command that writes; make it where there is none.

    ``taken_back``: see :func:`~ratinglist.publication.published_files.refuse_to_change`. Raises
    :class:`CommandLineError` where ``office.toml`` is wrong; :class:`StoreInUseError` while another command writes;
    :class:`HomeError` where the log is damaged, or is not the one that the store was made from;
    :class:`UnfinishedError` where an earlier change was decided and still cannot be finished;
    :class:`~ratinglist.errors.CheckError` where the log and the published files do not agree, or the computer's clock
    is days behind the newest change. Then nothing was changed.
    """
    home = settings.home
    if home.exists() and not home.is_dir():
        raise CommandLineError(f"{home} is a file: name a directory with --home, or one that does not exist yet.")
    check_whole(home)
    home.mkdir(parents=True, exist_ok=True)
    # The log keeps the choices with every change, and whatever reads the log needs them to be readable.
    use_systems_of(home, office.read(home))
    with named_in_errors(home), held_to_write(home):
        log = Log.open(home, settings.person)
        _check_log_is_there(log)
        if not log.entries:
            check_becomes_home(home)
        close_to_others(home)
        _check_clock(log, settings)
        with opened_store(log, settings) as store:
            settle.settle(store, settings)
            published_files.refuse_to_change(log.history, settings, taken_back)
            try:
                yield store
            except UnfinishedError:
                raise
            except RatinglistError:
                # The command was refused, so its drafts are not needed. After any other error the disk may be at fault,
                # and it is not known what was decided: then the next command deletes them.
                if not settle.is_open(log, settings):
                    remove(settings.drafts)
                raise


def _check_clock(log: Log, settings: Settings) -> None:
    """Raise :class:`CheckError` where the computer's clock is days behind the newest change: every day would be wrong.

    A day that was given may be: the office may bring in earlier months.
    """
    if log.newest is None or not settings.is_clock or settings.today >= log.newest.day - _CLOCKS_DIFFER:
        return
    raise CheckError(
        f"The clock of this computer says {settings.today}, and the newest change in {settings.home} was made on "
        f"{log.newest.day}. Nothing was changed. Set the clock. If it is right and that day was wrong, give today's "
        f"day once: RATINGLIST_TODAY={settings.today}"
    )


@contextmanager
def open_to_read(settings: Settings, *, shows_published: bool = False) -> Iterator[Store]:
    """Open the home for a command that only reads, also on a disk that cannot be written and while another one writes.

    What an interrupted command decided is finished first; what cannot be finished now is a warning. While another
    command writes, the home is read as it was before its change.

    ``shows_published``: the command shows what is published. Then :class:`~ratinglist.errors.CheckError` is raised
    where the log and the published files do not agree. Raises :class:`CommandLineError` where there is no home,
    :class:`NothingReadError` where nothing was imported into it, and :class:`HomeError` as :func:`open_to_write` does.
    """
    home = settings.home
    check_home(home)
    use_systems_of(home)
    with holding_calculations(home / "calculations", shared=True):
        log = Log.open(home)
        _check_log_is_there(log)
        if not log.entries:
            raise NothingReadError(f"{home / LOG} has no entry: nothing was imported into this home yet. {FIRST}")
        with _opened_to_read(log, settings) as store:
            if shows_published:
                published_files.refuse_to_show(disagreements(store.log, settings))
            yield store


@contextmanager
def _opened_to_read(log: Log, settings: Settings) -> Iterator[Store]:
    """Open the store for a command that does not have the home, as the newest entry that it can read has it."""
    store = _store_to_read(settings)
    is_behind = store is None or bool(store.missing_entries())
    if (is_behind or settle.is_open(log, settings)) and os.access(settings.home, os.W_OK):
        if store is not None:
            store.close()
        _finish_for_a_reader(settings)
        store = _store_to_read(settings)
    with ExitStack() as stack:
        if store is None:
            # Another program has it, or it is damaged and the home cannot be written.
            from ratinglist.workflows.replay import make_store

            folder = Path(stack.enter_context(TemporaryDirectory(prefix="ratinglist-")))
            log = Log.open(settings.home)
            make_store(log, settings, folder / STORE)
            store = Store(log, folder / STORE, settings.threads)
        elif missing := store.missing_entries():
            # Another command has decided a change, and puts the store of it in its place in a moment.
            store.log = Log.of(settings.home, store.log.entries[: missing[0].number - 1])
            store.refresh()
        stack.enter_context(_closed_at_the_end(store))
        yield store


def _store_to_read(settings: Settings) -> Store | None:
    with suppress(StoreInUseError):
        return stored(settings)
    return None


def _finish_for_a_reader(settings: Settings) -> None:
    """Do what a command that was killed has decided, and make the store again, unless another command is writing."""
    try:
        with suppress(StoreInUseError), held_to_write(settings.home, tries=1):
            log = Log.open(settings.home)
            with opened_store(log, settings):
                settle.finish(log, settings)
    except UnfinishedError as error:
        settings.warn(str(error))


def check_published(settings: Settings, months: Collection[Period] | None = None) -> None:
    """Compare what is published with the log, for a command that reads the published files and not the store.

    ``months``: those that the command reads; None for all, with the files of no month. Raises
    :class:`~ratinglist.errors.CheckError` where they do not agree. In a copy of the published folder alone there is
    nothing to compare with.
    """
    use_systems_of(settings.home)
    if (settings.home / LOG).is_dir():
        published_files.refuse_to_show(disagreements(Log.open(settings.home), settings), months)


def disagreements(log: Log, settings: Settings) -> list[Difference]:
    """Return where the log and the published files do not agree, for a command that only reads; nothing is written.

    None while another command writes: it compared them when it began, and may be placing files now.
    """
    if settle.is_open(log, settings):
        return []
    problems = published_files.disagreements(log.history, settings.published)
    if problems and (is_being_written(settings.home) or Log.open(settings.home).newest != log.newest):
        return []
    return problems


def _check_log_is_there(log: Log) -> None:
    """Raise :class:`HomeError` where a home without entries has published: its log was lost.

    A new log would publish as if nothing had been published before.
    """
    published = list(log.home.glob("published/*/r*"))
    if published and not log.entries:
        raise HomeError(
            f"{log.home / LOG} is missing, and this home is not a new one: it has {published[0]}. Nothing was changed. "
            "A copy of published/ alone is for explain ID, export, site, sql, statistics, verify. The log decides what "
            "a home holds: put it back, or the home of one day: ratinglist restore DIR"
        )


@contextmanager
def opened_store(log: Log, settings: Settings) -> Iterator[Store]:
    """Open the store of a log for a command that has the home; bring it up to the log where it is not.

    Entries that it lacks are made again; all of them where it is missing, damaged or of another layout. Raises
    :class:`HomeError` where it was made from entries that the log does not have, :class:`StoreInUseError` where another
    program has it, :class:`StoreDamagedError` where it turns out to be damaged inside the block, and what
    :func:`~ratinglist.workflows.replay.make_store` raises.
    """
    remove(settings.home / WORK)
    store = stored(settings, log)
    missing = store.missing_entries() if store is not None else log.entries
    if store is None or missing:
        from ratinglist.workflows.replay import put_store_in_place

        known = 0
        if store is not None:
            known = 0 if any(entry.kind == "retract" for entry in missing) else missing[0].number - 1
            store.close()
        if log.entries:
            what = "lacks the newest entries of the log" if store is not None else UNUSABLE
            settings.warn(f"{settings.store} {what}. It is made again from the log and the originals.")
        put_store_in_place(log, settings, known)
        store = Store(log, settings.store, settings.threads)
    with _closed_at_the_end(store):
        yield store


UNUSABLE = "is missing, damaged, of another layout, or was changed by another program"


def stored(settings: Settings, log: Log | None = None) -> Store | None:
    """Open the store of the home, whatever entries it has; return None where it has to be made again (``UNUSABLE``).

    ``log``: None for a command that does not have the home. Then the log is read after the store is open, so that it
    has every entry that the store was made from. Raises :class:`StoreInUseError` where another program has it open.
    """
    # To open a pipe would not end.
    if not settings.store.is_file():
        return None
    try:
        store = Store(log or Log(settings.home), settings.store, settings.threads)
    except duckdb.Error as error:
        if is_held_by_another(error):
            raise StoreInUseError(
                f"{settings.store} is open in another program, which may change it. Close that program, then run the "
                "command again."
            ) from None
        if is_shortage(error):
            raise
        return None
    # No command of this program leaves a write-ahead log.
    if os.path.lexists(f"{settings.store}.wal") or store.is_cut_off() or not store.newest_entry():
        store.close()
        return None
    if log is None:
        store.log = Log.open(settings.home)
        store.refresh()
    return store


@contextmanager
def _closed_at_the_end(store: Store) -> Iterator[None]:
    """Close the store after the block, and say so where an error of the block came from a damaged file."""
    try:
        yield
    except (RatinglistError, OSError):
        raise
    except Exception as error:
        if is_shortage(error):
            raise
        _raise_damaged_calculation(store.log)
        if not isinstance(error, duckdb.Error) or not store.problem():
            raise
        raise StoreDamagedError(
            f"{store.path} is damaged ({first_line(error)}). Nothing is lost, because it can be made again "
            f"from the log and the originals: delete this file, then run the command again."
        ) from None
    finally:
        store.close()


def _raise_damaged_calculation(log: Log) -> None:
    """Raise :class:`NothingReadError` where a file of a calculation is not the one that the log states.

    Such files are compared before a list is published, and not each time one is read: only an error shows it then.
    """
    for calculation in published_files.calculations(log):
        if not calculation.is_foreign:
            raise NothingReadError(f"{calculation.path} {calculation.description}. {MISSING_REMEDY}") from None


def family_of_home(home: Path) -> str | None:
    """Return the family of the newest published list where it is the office's own, or of another system than FIDE's.

    A list of such a family starts from the one before, so a command that names no family means this one. None too where
    the newest list cannot be read: the command says what is wrong with it.
    """
    try:
        newest = list(revisions.every_latest(home / PUBLISHED).values())[-1]
        data = read_regular_file(newest / manifest.MANIFEST, REVISION_MANIFEST_BYTES)
        family = manifest.read(data or b"").facts["family"]
    except (RatinglistError, manifest.NotAManifestError, OSError, LookupError):
        return None
    use_systems_of(home)
    book = rule_book()
    is_another = family in book.families and (family in rule_files.own_families() or book.is_system(family))
    return family if is_another else None


def use_systems_of(home: Path, choices: office.Office | None = None) -> None:
    """Use the systems of the packages that ``office.toml`` in ``home`` trusts, and its own rules, from now on.

    ``choices``: those of the file, where they were read. Else, where it cannot be read, of none: the command that needs
    the file says what is wrong with it.
    """
    try:
        registry.trust((choices or office.read(home)).systems.trusted)
    except (CommandLineError, OSError):
        registry.trust(())
    rule_files.use_own(home)
