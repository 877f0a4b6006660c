"""Make a published list again from the log of its home and the office's files, in a temporary home, and compare.

Every change up to the one that published the list is made again (:mod:`ratinglist.workflows.replay`). What the office
was given is found by its digest, whatever the names of the files; what the program itself recorded is in the home.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar

import ratinglist
from ratinglist.errors import AlteredError, NothingReadError
from ratinglist.files.durable_files import sha256_of
from ratinglist.home import originals
from ratinglist.home.log import Entry, Log
from ratinglist.publication import manifest
from ratinglist.publication.manifest import MANIFEST, Manifest
from ratinglist.publication.published_files import verify
from ratinglist.settings import LOG, Settings
from ratinglist.summaries import Result
from ratinglist.text import first_lines
from ratinglist.workflows.replay import replay_all
from ratinglist.workflows.systems import check_installed


@dataclass(frozen=True, slots=True)
class ReproduceSummary(Result):
    """A list that was made again with the same digest.

    ``months``: the months that it was calculated from, and its own. ``reports``: how many reports the office had been
    given. ``taken_over``: none, because every file is made again.
    """

    DONE: ClassVar[str] = "The list was reproduced: its digest is the published one."
    path: str
    month: str
    revision: str
    digest: str
    months: list[str]
    reports: int
    taken_over: list[str] = field(default_factory=list)


def reproduce(revision: Path, inputs: Path, settings: Settings) -> ReproduceSummary:
    """Make a published revision again from its log and the files under ``inputs``, and compare the digest.

    Only the threads and the progress of ``settings`` are used, and of its home which packages with rating systems its
    ``office.toml`` trusts; no home is changed. Raises :class:`NothingReadError` where the revision, its log or an input
    is missing; :class:`AlteredError` where the revision is not whole, where another version of the program made it, or
    where the digest is another; :class:`~ratinglist.errors.HomeError` where the log is damaged, or where a change gives
    another result than the recorded one.
    """
    revision = revision.parent if revision.name == MANIFEST else revision
    published = _read_whole(revision)
    home = revision.resolve().parents[2]
    entries = _entries_until(home, published)
    check_installed(settings.home, [(published.month, published.facts["inputs"])])
    needed = _needed(home, entries, inputs)
    with TemporaryDirectory(prefix="ratinglist-") as scratch:
        there = replay_all(entries, settings, Path(scratch), needed)
        path = there.published / published.month / f"r{published.revision}" / MANIFEST
        again = manifest.read(path.read_bytes())
    if again.digest != published.digest:
        differences = _differences(published, again)
        raise AlteredError("\n".join([f"{revision}: made again, the list is different.", *differences]))
    return ReproduceSummary(
        str(revision),
        published.month,
        f"r{published.revision}",
        published.digest,
        [*(line.split(" ")[0] for line in published.facts["provenance"]["stands_on"]), published.month],
        sum(path.parent.name == originals.REPORTS for path in needed),
    )


def _read_whole(revision: Path) -> Manifest:
    """Return the manifest of a revision that is whole and was made by this version of the program."""
    found = verify(revision)
    if found.wrong:
        raise AlteredError(
            f"{found.wrong[0].path}: {found.wrong[0].description}. A revision that is not whole cannot be reproduced."
        )
    if list(found.revisions) != [str(revision)]:
        raise NothingReadError(f"{revision}: name one revision, such as published/2025-11/r1.")
    published = manifest.read((revision / MANIFEST).read_bytes())
    version = published.facts.get("code_version")
    if version != ratinglist.__version__ or "provenance" not in published.facts:
        raise AlteredError(
            f"{revision}: it was made by version {version} of ratinglist, and this is {ratinglist.__version__}. "
            "Install that version and run the command again."
        )
    return published


def _entries_until(home: Path, published: Manifest) -> Sequence[Entry]:
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
    given = {path: what for entry in entries for path, what in originals.delivered(home, entry).items()}
    if missing := sorted({f"{path.name}  {what}" for path, what in given.items() if path.name not in there}):
        listed = "\n".join(first_lines(missing))
        raise NothingReadError(
            f"{inputs}: {len(missing):,} of the inputs are not here:\n{listed}\nAsk the office for them."
        )
    every = originals.required(home, entries)
    return {
        path.relative_to(home): there[path.name] if path in given else originals.checked(home, path.name, what)
        for path, what in every.items()
    }


def _differences(published: Manifest, again: Manifest) -> list[str]:
    """Return a line for each file and fact of the published manifest that is another one in the manifest made again."""
    now = {**again.files, **again.facts}
    lines = []
    for name, value in {**published.files, **published.facts}.items():
        if now.get(name) != value:
            lines.append(f"  {name}: " + ("has other rows or other values" if name in now else "is not made any more"))
    return lines
