"""Open the home of an office: read its log, bring the store up to it, and finish what was decided.

Every workflow opens the home here, so that no command works on a half-made change. A command that only reads is not
made to wait for the modules that write: the functions that need them import them.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

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
)
from ratinglist.files.durable_files import (
    TEMPORARY_PREFIX,
    close_to_others,
    folder_named_in_disk_errors,
    made_private,
    read_regular_file,
    remove,
    withheld,
)
from ratinglist.home.location import (
    check_home,
    check_whole,
    held_to_write,
    holding_calculations,
    is_being_written,
    left_as_found,
)
from ratinglist.home.log import Log
from ratinglist.limits import REVISION_MANIFEST_BYTES
from ratinglist.period import Period
from ratinglist.rating.systems import registry
from ratinglist.settings import LOG, PUBLISHED, STORE, Settings
from ratinglist.store.calculation_folder import MISSING_REMEDY
from ratinglist.store.database import Store, problems_of_copy
from ratinglist.store.rule_files import rule_book
from ratinglist.system_errors import first_line, is_shortage

if TYPE_CHECKING:
    from ratinglist.publication.verify.published_files import Difference

FIRST = "To begin: ratinglist import-list FILE --month YYYY-MM"
"""The command that makes a home."""
LOST_ENTRIES = "was made from entries that the log does not have"
_CLOCKS_DIFFER = timedelta(days=1)
"""By how much the clocks of two computers of one office may differ: their time zones."""
_WAITS = 40
"""How often a reading command looks again, 50 ms apart, where another one is between its entry and its store."""


@contextmanager
def open_to_write(settings: Settings, *, taken_back: Period | None = None) -> Iterator[Store]:
    """Open the home for a command that writes; make it where there is none.

    ``taken_back``: see :func:`~ratinglist.publication.verify.published_files.refuse_to_change`. Raises
    :class:`StoreInUseError` while another command writes; :class:`HomeError` where the log is damaged;
    :class:`UnfinishedError` where an earlier change was decided and still cannot be finished;
    :class:`~ratinglist.errors.CheckError` where the log and the published files do not agree, or the computer's clock
    is days behind the newest change. Then nothing was changed.
    """
    from ratinglist.publication import settle
    from ratinglist.publication.verify import published_files

    home = settings.home
    if home.exists() and not home.is_dir():
        raise CommandLineError(f"{home} is a file: name a directory with --home, or one that does not exist yet.")
    check_whole(home)
    missing = [folder for folder in (home, *home.parents) if not folder.exists()]
    home.mkdir(parents=True, exist_ok=True)
    use_systems_of(home)
    with folder_named_in_disk_errors(home), held_to_write(home), left_as_found(home, missing):
        close_to_others(home)
        log = Log.open(home, settings.person)
        if not log.entries:
            _check_log_is_there(home)
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
                if not settle.is_open(log.history, settings):
                    remove(settings.drafts)
                raise


def _check_clock(log: Log, settings: Settings) -> None:
    """Raise :class:`CheckError` where the computer's clock is days behind the newest change: every day would be wrong.

    A day that was given is a note: the office may bring in earlier months.
    """
    if log.newest is None or settings.today >= log.newest.day:
        return
    newest = f"the newest change in {settings.home} was made on {log.newest.day}"
    if not settings.is_clock:
        settings.warn(f"The day given, {settings.today}, is earlier than before: {newest}.")
    elif settings.today < log.newest.day - _CLOCKS_DIFFER:
        raise CheckError(
            f"The clock of this computer says {settings.today}, and {newest}. Nothing was changed. Set the clock. If "
            f"it is right and that day was wrong, give today's day once: RATINGLIST_TODAY={settings.today}"
        )


@contextmanager
def open_to_read(settings: Settings, *, shows_published: bool = False) -> Iterator[Store]:
    """Open the home for a command that only reads, also on a disk that cannot be written and while another one writes.

    What was decided and is not in place yet is finished first, where no command is writing. A change that cannot be
    finished now is a warning.

    ``shows_published``: the command shows what is published. Then :class:`~ratinglist.errors.CheckError` is raised
    where the log and the published files do not agree. Raises :class:`CommandLineError` where there is no home, and
    :class:`NothingReadError` where nothing was imported into it.
    """
    home = settings.home
    check_home(home)
    if not any((home / LOG).glob("*.json")):
        _check_log_is_there(home)
        raise NothingReadError(f"{home / LOG} has no entry: nothing was imported into this home yet. {FIRST}")
    use_systems_of(home)
    if settings.drafts.is_dir():
        _finish_for_a_reader(settings)
    with holding_calculations(home / "calculations", shared=True), _opened_to_read(settings) as store:
        if shows_published:
            from ratinglist.publication.verify import published_files

            published_files.refuse_to_show(disagreements(store.log, settings))
        yield store


def check_published(settings: Settings, months: Collection[Period] | None = None) -> None:
    """Compare what is published with the log, for a command that reads the published files and not the store.

    ``months``: those that the command reads; None for all, with the files of no month. Raises
    :class:`~ratinglist.errors.CheckError` where they do not agree. In a copy of the published folder alone there is
    nothing to compare with.
    """
    from ratinglist.publication.verify import published_files

    use_systems_of(settings.home)
    if (settings.home / LOG).is_dir():
        published_files.refuse_to_show(disagreements(Log.open(settings.home), settings), months)


def disagreements(log: Log, settings: Settings) -> list[Difference]:
    """Return where the log and the published files do not agree, for a command that only reads; nothing is written.

    None while another command writes: it compared them when it began, and may be placing files now.
    """
    from ratinglist.publication import settle
    from ratinglist.publication.verify import published_files
    from ratinglist.publication.verify.published_files import ComparedFiles

    if settle.is_open(log.history, settings):
        return []
    compared = ComparedFiles(settings.home, is_written=False)
    found = published_files.disagreements(log.history, settings.published, compared)
    if found and (is_being_written(settings.home) or Log.open(settings.home).newest != log.newest):
        return []
    return found


def _check_log_is_there(home: Path) -> None:
    """Raise :class:`HomeError` where a home without entries holds lists or originals: its log was lost.

    A new log would publish as if nothing had been published before.
    """
    published = list(home.glob("published/*/r*"))
    others = [*home.glob("reports/*"), *home.glob("originals/*"), *home.glob(STORE)]
    if published or (others and not _has_store_of_no_entry(home)):
        of_copy = "" if others else " A copy of published/ is for explain ID, export, site, sql, statistics, verify."
        has = f"this home is not a new one: it has {(published or others)[0]}"
        text = f"{home / LOG} is missing, and {has}. Nothing was changed.{of_copy} The log decides what a home holds"
        raise HomeError(f"{text}: put it back, or the home of one day: ratinglist restore DIR")


def _has_store_of_no_entry(home: Path) -> bool:
    """Return whether the store is one that no entry has changed yet: the first change of the home was not decided."""
    if not (home / STORE).is_file():
        return False
    try:
        store = Store(Log.of(home, []), home / STORE)
    except duckdb.Error:
        return False
    with _closed_at_the_end(store):
        return store.is_current()


@contextmanager
def opened_store(log: Log, settings: Settings) -> Iterator[Store]:
    """Open the store of a log for a command that has the home; make it again where it does not fit.

    Raises :class:`StoreDamagedError` where it turns out to be damaged inside the block, and what :func:`_made_again`
    raises.
    """
    path = settings.store
    for left in settings.home.glob(f"{TEMPORARY_PREFIX}{STORE}*"):
        left.unlink()
    store, reason = _open(log, path, settings.threads)
    if store is None and not log.entries:
        for left in (path, Path(f"{path}.wal")):
            remove(left)
        made = path.with_name(f"{TEMPORARY_PREFIX}{STORE}")
        with made_private(withheld(settings.home)):
            Store(log, made, settings.threads, is_scratch=True).close()
        made.replace(path)
        store = Store(log, path, settings.threads)
    if store is None:
        store = _made_again(log, settings, reason, path)
    with _closed_at_the_end(store):
        yield store


def _made_again(log: Log, settings: Settings, reason: str, path: Path) -> Store:
    """Make the store of a log again at ``path``, in its place or elsewhere, and open it.

    ``reason``: why that of the home cannot be used. Raises :class:`HomeError` where it was made from entries that the
    log does not have: they would be lost without a word.
    """
    from ratinglist.workflows.replay import make_store

    if reason == LOST_ENTRIES:
        raise HomeError(
            f"{settings.home / LOG} has lost its newest entries: {settings.store} was made from more than the "
            f"{len(log.entries)} that are there. Nothing was changed. Put the lost ones back, or the home of one "
            "day: ratinglist restore DIR. To go on without what they did: ratinglist doctor --rebuild"
        )
    if path == settings.store:
        settings.warn(f"{path} {reason}. It is made again from the log and the originals.")
    make_store(log, settings, path)
    return Store(log, path, settings.threads)


def _open(log: Log, path: Path, threads: int | None) -> tuple[Store | None, str]:
    """Open a store; return it, or None and why it has to be made again.

    Raises :class:`StoreInUseError` where another program has it open: a copy of the file can be opened then;
    :class:`StoreDamagedError` where a folder is in its place, which may hold anything.
    """
    if not os.path.lexists(path):
        return None, "is missing"
    if path.is_dir() and not path.is_symlink():
        raise StoreDamagedError(
            f"{path} is a folder, and the store is a file. Move it out of the way, then run the command again: it "
            "makes the store again from the log and the originals."
        )
    if not path.is_file() or path.is_symlink():
        return None, "is no regular file"
    try:
        store = Store(log, path, threads)
    except duckdb.Error as error:
        if is_shortage(error):
            raise
        # Nothing is wrong with the bytes of a file of which a copy can be read.
        if not problems_of_copy(path):
            raise StoreInUseError(
                f"{path} is open in another program, which may change it. Close that program, then run the command "
                "again."
            ) from None
        return None, "was damaged"
    if reason := _why_not(store):
        store.close()
        return None, reason
    return store, ""


def _why_not(store: Store) -> str:
    """Return why an open store is not that of its log; empty where it is."""
    # No command of this program leaves a write-ahead log.
    if os.path.lexists(f"{store.path}.wal"):
        return "was changed by another program"
    if store.is_cut_off():
        return "was damaged"
    if store.is_current():
        return ""
    known, newest = store.newest_entry_known(), len(store.log.entries)
    if known > newest:
        return LOST_ENTRIES
    return "is not made from the newest entries of the log" if known else "has the layout of another version"


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
        if not isinstance(error, duckdb.Error) or not problems_of_copy(store.path):
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
    from ratinglist.publication.verify.published_files import calculations

    for one in calculations(log):
        if not one.is_foreign:
            raise NothingReadError(f"{one.path} {one.description}. {MISSING_REMEDY}") from None


@contextmanager
def _opened_to_read(settings: Settings) -> Iterator[Store]:
    """Open the store for a command that does not have the home, as the newest entry of the log has it."""
    path, reason = settings.store, ""
    for _ in range(_WAITS):
        log = Log.open(settings.home)
        # The file may be replaced at any moment; an open one stays readable.
        try:
            store, reason = _open(log, path, settings.threads)
        except StoreInUseError:
            break
        if store is not None:
            with _closed_at_the_end(store):
                yield store
            return
        # A command may have ended since the log was read: then the store is of a newer one.
        if not is_being_written(settings.home) and Log.open(settings.home).newest == log.newest:
            break
        time.sleep(1 / 20)
    store = None
    with ExitStack() as stack:
        if os.access(settings.home, os.W_OK):
            with suppress(StoreInUseError):
                stack.enter_context(held_to_write(settings.home))
                store = stack.enter_context(opened_store(Log.open(settings.home), settings))
            if store is not None:
                yield store
                return
            # A home that was locked is not held while a store is made elsewhere.
            stack.close()
        # Another program has the store, or the home cannot be written.
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="ratinglist-")))
        store = _made_again(Log.open(settings.home), settings, reason, folder / STORE)
        with _closed_at_the_end(store):
            yield store


def _finish_for_a_reader(settings: Settings) -> None:
    from ratinglist.publication import settle

    log = Log.open(settings.home)
    if not settle.is_open(log.history, settings):
        return
    if not os.access(settings.home, os.W_OK):
        settings.warn("A change of what is published was decided and is not in place yet: this home cannot be written.")
        return
    try:
        with held_to_write(settings.home):
            settle.finish(Log.open(settings.home), settings)
    except StoreInUseError:
        return
    except UnfinishedError as error:
        settings.warn(str(error))


def family_of_home(home: Path) -> str | None:
    """Return the family of the newest published list where it is of another system than FIDE's; else None.

    A list of such a family starts from the one before, so a command that names no family means this one. None too where
    the newest list cannot be read: the command says what is wrong with it.
    """
    from ratinglist.publication import revisions
    from ratinglist.publication.manifest import MANIFEST

    published = home / PUBLISHED
    try:
        months = revisions.months(published) if published.is_dir() else []
        folder = revisions.latest(published, months[-1]) if months else None
        data = read_regular_file(folder / MANIFEST, REVISION_MANIFEST_BYTES) if folder is not None else None
        found = json.loads(data) if data is not None else {}
    except (RatinglistError, OSError, ValueError, RecursionError):
        return None
    family = found.get("family") if isinstance(found, dict) else None
    if not isinstance(family, str) or family in ("", "fide"):
        return None
    use_systems_of(home)
    book = rule_book()
    return family if family in book.families and book.is_system(family) else None


def use_systems_of(home: Path) -> None:
    """Use the systems of the packages that ``office.toml`` in ``home`` trusts, and of no others, from now on.

    Where the file cannot be read, of none: the command that needs the file says what is wrong with it.
    """
    try:
        registry.trust(office.read(home).systems.trusted)
    except (CommandLineError, OSError):
        registry.trust(())
