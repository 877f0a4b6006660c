"""Make again what a log records, by the functions that made it: the store, and in a rebuild everything else too.

:func:`rebuild` makes a home whole again from its log and its originals. The store is always made again. Where a
calculation or a published file is missing or altered, all recorded changes are made again in a folder of their own;
what that gives has the digests that the log states, and takes the place of what is not whole, which is kept under
``HOME/replaced``.

:func:`reproduce` makes a published list again for a comparison, by all changes up to the one that published it, in a
temporary home. What the office was given is found by its digest, whatever the names of the files; what the program
itself recorded is in the home.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import ratinglist
from ratinglist import office
from ratinglist.errors import AlteredError, HomeError, NothingReadError, RatinglistError
from ratinglist.files.durable_files import (
    TEMPORARY_PREFIX,
    checked,
    close,
    link,
    make_private_folder,
    put_in_place,
    remove,
    sha256_of,
    synced,
    withheld,
    work_file,
)
from ratinglist.home import log, originals
from ratinglist.home.history import described
from ratinglist.home.location import held_to_write
from ratinglist.home.log import Entry, Log, ReplayError
from ratinglist.office import Office
from ratinglist.period import Period
from ratinglist.publication import drafts, manifest, settle
from ratinglist.publication.published_files import calculations, disagreements, verify
from ratinglist.settings import LOG, PUBLISHED, Settings
from ratinglist.store import rule_files
from ratinglist.store.database import Store
from ratinglist.summaries import Facts
from ratinglist.text import first_lines
from ratinglist.workflows import correct, import_files, load, month, rerate, undo
from ratinglist.workflows.doctor import REPLACED
from ratinglist.workflows.systems import check_installed

_Change = Callable[[Store, Settings, Entry], object]


def make_store(log: Log, settings: Settings, path: Path, known: int = 0) -> None:
    """Make the store of a log at ``path``, in a private folder, or nothing there.

    ``known``: how many of its entries the store of the home was made from; those are not made again. Raises what
    :func:`replay` raises.
    """
    remove(path)
    in_memory = Log.of(log.home, log.entries[:known], is_written=False)
    try:
        if known:
            shutil.copyfile(settings.store, path)
        replay(log.entries[known:], settings, in_memory, path, log.history.retracted)
        close(path, withheld(settings.home))
    except BaseException:
        remove(path)
        raise


def put_store_in_place(log: Log, settings: Settings, known: int = 0) -> None:
    """Make the store of a log, for a command that has the home, and let it take the place of the one that is there.

    ``known``: as of :func:`make_store`, which raises what this raises.
    """
    store = work_file(settings.home)
    make_store(log, settings, store, known)
    remove(Path(f"{settings.store}.wal"))
    put_in_place(store, settings.store)
    remove(store.parent)


def replay(
    entries: Sequence[Entry], settings: Settings, log: Log, path: Path, undone: Collection[int] | None = None
) -> None:
    """Make recorded changes again: each on its day, with the choices and the family of its day.

    ``log``: of the home with the originals; the entries are added to it in memory. ``path``: of the store, which is
    made where it is missing. ``undone``: the entries whose facts are left out; then the store alone is made again, else
    calculations and what is published too, in the home of the log. Nothing is signed, and no preview is made. Raises
    :class:`HomeError`, naming the entry, where a change gives another result than the recorded one, and
    :class:`~ratinglist.errors.AlteredError` where an original is missing or was altered.
    """
    only_facts = undone is not None
    changes = _FACTS if only_facts else {**_FACTS, **_CHANGES}
    store = Store(log, path, settings.threads, is_scratch=True, only_facts=only_facts)
    try:
        for done, entry in enumerate(entries):
            settings.progress("making the changes again", done, len(entries))
            if entry.kind in changes and entry.number not in (undone or ()):
                with _named(entry), log.replaying(entry):
                    changes[entry.kind](store, _settings_of(settings, entry), entry)
            else:
                log.push(entry)
                store.refresh()
            if entry.kind == "retract" and not only_facts:
                store.close()
                make_store(log, settings, path)
                store = Store(log, path, settings.threads, is_scratch=True)
    finally:
        store.close()
        rule_files.use_own(settings.home)


def replay_all(entries: Sequence[Entry], settings: Settings, scratch: Path, files: Mapping[Path, Path]) -> Settings:
    """Make everything again that the entries record, in the empty folder ``scratch``, and return its settings.

    ``files``: the file of each original, by its path below the home. Raises what :func:`replay` raises.
    """
    for name, source in files.items():
        (scratch / name).parent.mkdir(exist_ok=True)
        link(source, scratch / name)
    there = replace(settings, home=scratch)
    replay(entries, there, Log(scratch, is_written=False), there.store)
    return there


@contextmanager
def _named(entry: Entry) -> Iterator[None]:
    """Raise :class:`HomeError`, naming the entry, where the block gives another result than the recorded one."""
    try:
        yield
    except AlteredError:
        raise
    except (ReplayError, RatinglistError) as error:
        version = ""
        if entry.version != ratinglist.__version__:
            version = (
                f" Version {entry.version} of ratinglist made it, and this is {ratinglist.__version__}: install that "
                "version and give the command again with it."
            )
        raise HomeError(
            f"Entry {entry.number} of the log ({described(entry)}, {entry.day}) gives another result when it is made "
            f"again: {error}.{version} Nothing was changed."
        ) from None


def _settings_of(settings: Settings, entry: Entry) -> Settings:
    family = entry.facts.get("family", settings.family)
    return replace(settings, family=family, today=entry.day, choices=_choices_of(settings, entry))


def _choices_of(settings: Settings, entry: Entry) -> Office:
    """Return the choices of the office at that time, but for the keys: signatures were checked when they were given."""
    if not entry.office:
        return Office()
    path = originals.checked(settings.home, entry.office, f"{office.NAME} of {entry.day}")
    choices = office.parse(path.read_text(encoding="utf-8"))
    without_keys = tuple(replace(approver, key="") for approver in choices.approvers)
    return replace(choices, publication=replace(choices.publication, signing_key=""), approvers=without_keys)


def _calculate(store: Store, settings: Settings, entry: Entry) -> None:
    period, start = (Period.parse(entry.facts[name]) for name in ("month", "rated_from"))
    # The office may have changed them since.
    own = originals.own_rules(store.home, entry)
    rule_files.use_texts({name: path.read_text(encoding="utf-8") for name, path in own.items()})
    month.calculate(store, settings, period, start)


def _reasons(entry: Entry) -> Mapping[str, str]:
    return {answer["question"]: answer["reason"] for answer in entry.facts.get("answers", ())}


def _publish(store: Store, settings: Settings, entry: Entry) -> None:
    (published,) = entry.facts["published"]
    drafts.publish(store, settings, drafts.check(store, settings, Period.parse(published["month"]), _reasons(entry)))


def _revise(store: Store, settings: Settings, entry: Entry) -> None:
    months = [Period.parse(month) for month in entry.facts["months"]]
    rerate.revise(store, settings, Period.parse(entry.facts["start"]), months, _reasons(entry))


def _roll_back(store: Store, settings: Settings, entry: Entry) -> None:
    facts = entry.facts
    to = f"r{facts['to_revision']}" if facts["to_revision"] else undo.WITHDRAW
    undo.roll_back(store, settings, Period.parse(facts["month"]), facts["reason"], facts["who"], to)


_FACTS: dict[str, _Change] = {
    "import-list": import_files.import_recorded,
    "import-players": import_files.import_recorded,
    "import-reference": import_files.import_recorded,
    "load": load.load_recorded,
    "correct": correct.correct_recorded,
}
"""What makes the facts of an entry again."""
_CHANGES: dict[str, _Change] = {
    "calculate": _calculate,
    "publish": _publish,
    "statuses": lambda store, settings, _: drafts.release(store, settings, "statuses", {}, [], {}),
    "rollback": _roll_back,
    "revise": _revise,
}
"""What makes the files of an entry again. Of the other kinds there is nothing but the entry."""


def rebuild(settings: Settings) -> Facts:
    """Make the store of a home again, and put back calculations and published files that were altered or lost.

    Raises :class:`HomeError` where the log is damaged, and where a change that is made again gives another result than
    the recorded one; :class:`AlteredError` where an original is missing or was altered: `doctor` names them all. Then
    nothing is changed. Raises :class:`~ratinglist.errors.StoreInUseError` while another command writes.

    Out: ``home``; the number of ``entries`` of the log; ``put_back``: the files of calculations and publications that
    were altered or lost, and are as recorded again; ``foreign``: what was published by no command, and stays; ``kept``:
    the folder of what was replaced, empty where nothing was.
    """
    home = settings.home
    with held_to_write(home):
        own, problem = log.read(home)
        entries = own.entries
        if problem or not entries:
            raise HomeError(
                f"{home} cannot be rebuilt: {problem or f'{home / LOG} is missing or empty'}. Nothing was "
                "changed. Put a copy of it back, or restore a backup: ratinglist restore DIR"
            )
        files = {
            path.relative_to(home): checked(path.parent, path.name, what)
            for path, what in originals.required(home, entries).items()
        }
        settle.carry_out(own, settings)
        for left in home.glob(f"{TEMPORARY_PREFIX}rebuild-*"):
            remove(left)
        wrong, foreign = _not_whole(own, settings)
        stated, kept = _stated_whole(own), _next_folder(home)
        if calculated := [name for name in wrong if name not in stated]:
            with TemporaryDirectory(prefix=f"{TEMPORARY_PREFIX}rebuild-", dir=home) as scratch:
                replay_all(entries, settings, Path(scratch), files)
                for name in calculated:
                    _set_aside(home, name, kept)
                    (Path(scratch) / name).replace(home / name)
                    synced((home / name).parent)
        put_store_in_place(own, settings)
        # A folder that was lost had signatures.
        wrong += [name for name in _not_whole(own, settings)[0] if name not in wrong] if calculated else []
        for name in (name for name in wrong if name in stated):
            _set_aside(home, name, kept)
            temporary = home / f"{TEMPORARY_PREFIX}{Path(name).name}"
            temporary.write_bytes(stated[name])
            put_in_place(temporary, home / name)
    facts = {
        "home": str(home),
        "entries": len(entries),
        "put_back": wrong,
        "foreign": foreign,
        "kept": str(kept) if kept.exists() else "",
    }
    return Facts("The store was made again from the log and the originals.", facts)


def _next_folder(home: Path) -> Path:
    """Return the folder for what is replaced next; it is not made yet."""
    there = [int(path.name) for path in (home / REPLACED).glob("*") if path.name.isdigit()]
    return home / REPLACED / str(max(there, default=0) + 1)


def _not_whole(own: Log, settings: Settings) -> tuple[list[str], list[str]]:
    """Return what is missing or altered, and the files that no command wrote, by their paths below the home."""
    every = [*calculations(own), *disagreements(own.history, settings.published)]
    wrong = [difference.path for difference in every if not difference.is_foreign]
    foreign = [difference.path for difference in every if difference.is_foreign]
    named = [sorted({path.relative_to(settings.home).as_posix() for path in some}) for some in (wrong, foreign)]
    return named[0], named[1]


def _stated_whole(own: Log) -> dict[str, bytes]:
    """Return the files of which the log has every byte: nothing has to be calculated, and nothing is signed again."""
    files = {
        f"{PUBLISHED}/{revision}/{manifest.SIGNATURE}": signer["signature"].encode()
        for revision, signer in own.history.signers.items()
    }
    newest = settle.newest_index(own.history)
    return files if newest is None else {**files, f"{PUBLISHED}/{manifest.INDEX}": newest.encode()}


def _set_aside(home: Path, name: str, kept: Path) -> None:
    """Move what has a name in the home, if anything, to the same name in ``kept``."""
    path = home / name
    if os.path.lexists(path):
        make_private_folder(kept.parent)
        make_private_folder(kept)
        (kept / name).parent.mkdir(parents=True, exist_ok=True)
        path.rename(kept / name)
    path.parent.mkdir(parents=True, exist_ok=True)


def reproduce(revision: Path, inputs: Path, settings: Settings) -> Facts:
    """Make a published revision again from its log and the files under ``inputs``, and compare the digest.

    Only the threads and the progress of ``settings`` are used, and of its home which packages with rating systems its
    ``office.toml`` trusts; no home is changed. Raises :class:`NothingReadError` where the revision, its log or an input
    is missing; :class:`AlteredError` where the revision is not whole, where another version of the program made it, or
    where the digest is another; :class:`~ratinglist.errors.HomeError` where the log is damaged, or where a change gives
    another result than the recorded one.

    Out: ``path``, ``month``, ``revision``, ``digest``; ``months``: those that it was calculated from, and its own;
    ``reports``: how many the office had been given; ``taken_over``: none, because every file is made again.
    """
    revision = revision.parent if revision.name == manifest.MANIFEST else revision
    published = _read_whole(revision)
    home = revision.resolve().parents[2]
    entries = _entries_until(home, published)
    check_installed(settings.home, [(published.month, published.facts["inputs"])])
    needed = _needed(home, entries, inputs)
    with TemporaryDirectory(prefix="ratinglist-") as scratch:
        there = replay_all(entries, settings, Path(scratch), needed)
        path = there.published / published.month / f"r{published.revision}" / manifest.MANIFEST
        again = manifest.read(path.read_bytes())
    if again.digest != published.digest:
        differences = _differences(published, again)
        raise AlteredError("\n".join([f"{revision}: made again, the list is different.", *differences]))
    facts = {
        "path": str(revision),
        "month": published.month,
        "revision": f"r{published.revision}",
        "digest": published.digest,
        "months": [*(line.split(" ")[0] for line in published.facts["provenance"]["stands_on"]), published.month],
        "reports": sum(path.parent.name == originals.REPORTS for path in needed),
        "taken_over": [],
    }
    return Facts("The list was reproduced: its digest is the published one.", facts)


def _read_whole(revision: Path) -> manifest.Manifest:
    """Return the manifest of a revision that is whole and was made by this version of the program."""
    verified = verify(revision)
    if verified.wrong:
        raise AlteredError(
            f"{verified.wrong[0].path}: {verified.wrong[0].description}. A revision that is not whole cannot be "
            "reproduced."
        )
    if list(verified.revisions) != [str(revision)]:
        raise NothingReadError(f"{revision}: name one revision, such as published/2025-11/r1.")
    published = manifest.read((revision / manifest.MANIFEST).read_bytes())
    version = published.facts.get("code_version")
    if version != ratinglist.__version__ or "provenance" not in published.facts:
        raise AlteredError(
            f"{revision}: it was made by version {version} of ratinglist, and this is {ratinglist.__version__}. "
            "Install that version and run the command again."
        )
    return published


def _entries_until(home: Path, published: manifest.Manifest) -> Sequence[Entry]:
    """Return the entries of the log of a home up to the one that published a revision."""
    if not (home / LOG).is_dir():
        raise NothingReadError(
            f"{home / LOG} is missing: a list is made again from the log of its office. Ask the office for its home, "
            "such as a backup of it, and name the revision there."
        )
    log = Log.open(home)
    for publication in log.history.publications:
        if (publication.month, publication.revision) == (published.month, published.revision):
            return log.entries[: publication.entry]
    raise AlteredError(
        f"{home / LOG} has no entry that published r{published.revision} of {published.month}. No command of this "
        "office made that list: do not use it."
    )


def _needed(home: Path, entries: Sequence[Entry], inputs: Path) -> dict[Path, Path]:
    """Return the file of each original that the entries name, by its path below the home.

    Raises :class:`NothingReadError` where a file that the office was given is not under ``inputs``.
    """
    if not inputs.is_dir():
        raise NothingReadError(f"{inputs}: there is no such folder. Name the one that holds the inputs.")
    there = {sha256_of(path): path for path in sorted(inputs.rglob("*")) if path.is_file()}
    delivered = {path: what for entry in entries for path, what in originals.delivered(home, entry).items()}
    if missing := sorted({f"{path.name}  {what}" for path, what in delivered.items() if path.name not in there}):
        listed = "\n".join(first_lines(missing))
        raise NothingReadError(
            f"{inputs}: {len(missing):,} of the inputs are not here:\n{listed}\nAsk the office for them."
        )
    every = originals.required(home, entries)
    return {
        path.relative_to(home): there[path.name] if path in delivered else originals.checked(home, path.name, what)
        for path, what in every.items()
    }


def _differences(published: manifest.Manifest, again: manifest.Manifest) -> list[str]:
    """Return a line for each file and fact of the published manifest that is another one in the manifest made again."""
    now = {**again.files, **again.facts}
    lines = []
    for name, value in {**published.files, **published.facts}.items():
        if now.get(name) != value:
            lines.append(f"  {name}: " + ("has other rows or other values" if name in now else "is not made any more"))
    return lines
