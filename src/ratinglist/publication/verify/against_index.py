"""Verify that a published folder is what its index states, and that the office signed the index.

While a change is carried out the index states what each file that changes was before: each is the one before or the
one after. That index is signed too, so nobody else can make such a state.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ratinglist.files.durable_files import read_regular_file
from ratinglist.limits import PUBLISHED_INDEX_BYTES
from ratinglist.publication import index
from ratinglist.publication.index import INDEX, Index
from ratinglist.publication.manifest import NotAManifestError
from ratinglist.publication.signature import NotSignedError
from ratinglist.publication.verify.summary import VerifySummary


@dataclass(frozen=True, slots=True)
class IndexCheck:
    """The index of a published folder.

    ``index``: None where there is none or it is wrong. ``wrong``: what is wrong with it. ``key``: the fingerprint of
    the key that must have signed. ``is_there``: whether there is an index at all.
    """

    folder: Path
    key: str | None
    index: Index | None = None
    wrong: tuple[tuple[Path, str], ...] = ()
    is_there: bool = False

    @property
    def counter(self) -> int:
        """Return the counter of the index; 0 where there is no valid one."""
        return self.index.counter if self.index else 0

    @property
    def stated(self) -> list[Mapping[str, str]]:
        """What may be published, the newest first: two states while a change is carried out."""
        if self.index is None:
            return []
        return [self.index.published, *([self.index.published_before] if self.index.changing else [])]

    def stated_signers(self, name: str, digest: str) -> list[str]:
        """Return the key that signed a revision, by each state that names it so; an empty text for an unsigned one.

        While a revision is signed later, the state before has no key, and the one after has it.
        """
        if self.index is None or self.index.published.get(name) != digest:
            return []
        return [self.index.signers.get(name, ""), *([""] if self.index.changing.get(name) == digest else [])]

    def is_withdrawn(self, name: str) -> bool:
        """Return whether an index states that a month has no current list; ``name``: of its file ``latest``."""
        return any(one.get(name) == "" for one in self.stated)

    def check(self, scope: str, seen: int, found: VerifySummary, *, is_whole_revision: bool) -> None:
        """Add to ``found`` what is not as the indexes state, and what the reader must know.

        ``scope``: the beginning of the names that were verified, or with ``is_whole_revision`` the one name.
        """
        for path, description in self.wrong:
            found.add(path, description)
        if self.index is not None:
            self._describe(self.index, found)
            self._compare(scope, found, is_whole_revision=is_whole_revision)
        elif not self.is_there and not is_whole_revision:
            self._describe_missing(found)
        # While a change is carried out, it may still be the state before that is there.
        counter = self.counter - 1 if self.index is not None and self.index.changing else self.counter
        if seen and counter < seen and not self.wrong:
            state = f"is older than the one you have seen: its counter is {counter}, and yours {seen}"
            found.add(self.folder / INDEX, state if self.index else f"is missing: you have seen its counter {seen}")
        self._note_keys(found)

    def check_office(self, office: str | None, found: VerifySummary) -> None:
        """Add to ``found`` where the index is not that of the office named ``office``; None: of any."""
        path = self.folder / INDEX
        if office is not None and self.index is None and not self.wrong:
            found.add(path, f"is missing: it is not known whether this is what {office} published")
        elif office is not None and self.index is not None and self.index.office != office:
            is_of = f"is the index of another office, {self.index.office}" if self.index.office else "names no office"
            found.add(path, is_of)

    def _describe_missing(self, found: VerifySummary) -> None:
        """Add that there is no index: wrong where revisions are signed by the key, which signs an index with them."""
        path = self.folder / INDEX
        unknown = "whether a newest list was removed, latest set back, or a file that no manifest names altered"
        if self.key is not None and any(by == self.key for _, by in found.revisions.values()):
            found.add(
                path,
                f"is missing, and revisions are signed by the key: without it, it cannot be found {unknown}. Get a "
                "copy of all that is published, with its index; the office puts it back with any command that writes",
            )
            return
        is_signed = any(by for _, by in found.revisions.values())
        found.notes.append(
            f"{path}: there is none: it is not found {unknown}"
            + (". An office that signs publishes an index: get that too" if is_signed else "")
        )

    def _describe(self, newest: Index, found: VerifySummary) -> None:
        """Add what the index is; while a change is carried out, with counter and digest of the state before."""
        found.index = {
            "path": str(self.folder / INDEX),
            "office": newest.office,
            "counter": newest.counter - 1 if newest.changing else newest.counter,
            "day": newest.day,
            "digest": newest.before if newest.changing else newest.digest,
            "signed_by": newest.signed_by,
            "in_progress": newest.counter if newest.changing else None,
        }
        if newest.changing:
            found.notes.append(
                f"the change to counter {newest.counter} is being carried out, or was interrupted: each file "
                "is the one before it or the one after it. The next command of the office finishes it."
            )

    def _compare(self, scope: str, found: VerifySummary, *, is_whole_revision: bool) -> None:
        """Compare what was found with what is stated, by name."""
        stated = {name for one in self.stated for name in one} | set(found.published)
        names = [name for name in sorted(stated) if (name == scope if is_whole_revision else name.startswith(scope))]
        if not is_whole_revision:
            names = [*self._missing_months(names, found), *names]
        reported = {one.file for one in found.wrong}
        for name in names:
            path = self.folder / name
            if str(path) in reported or str(path.parent) in reported or found.published.get(name, "") is None:
                continue
            if difference := self._difference(name, found.published.get(name) or ""):
                found.add(path, difference)
                reported.add(str(path))

    def _missing_months(self, names: Iterable[str], found: VerifySummary) -> list[str]:
        months = sorted({name.partition("/")[0] for name in names if "/" in name})
        required = [
            month for month in months if all(any(name.startswith(f"{month}/") for name in one) for one in self.stated)
        ]
        there = {name.partition("/")[0] for name in found.published}
        return [month for month in required if month not in there and not os.path.lexists(self.folder / month)]

    def _difference(self, name: str, value: str) -> str:
        """Return how a file or revision differs from what is stated; empty where it does not."""
        if "/" not in name and "." not in name:
            return "is missing: by the index it was published"
        allowed = [one.get(name, "") for one in self.stated]
        stem = name.rpartition("/")[2]
        is_revision = stem.startswith("r") and "." not in stem
        if value in allowed:
            return ""
        wanted = allowed[0]
        if stem == "latest":
            is_current = f"{wanted} is the current revision" if wanted else "no revision is current"
            return f"{f'names {value}' if value else 'is missing'}, and by the index {is_current}"
        if not wanted:
            return "is not in the index: it was not published"
        if not value:
            return f"is missing: by the index it was published with the digest {wanted}"
        if is_revision:
            return f"has the digest {value}, and by the index {wanted}"
        return f"was altered: its digest is not the one in the index, {wanted}"

    def _note_keys(self, found: VerifySummary) -> None:
        """Add a note on the keys where more than one has signed the indexes."""
        keys = self.index.keys if self.index else ()
        if len(keys) > 1:
            uses = ", ".join(f"{one.fingerprint} since counter {one.since} ({one.day})" for one in keys)
            found.notes.append(f"the indexes are signed by more than one key: {uses}")


def read(folder: Path, key: str | None) -> IndexCheck:
    """Return the index of a published folder, and what is wrong with it.

    ``key``: the fingerprint of the key that must have signed it.
    """
    path = folder / INDEX
    data = read_regular_file(path, PUBLISHED_INDEX_BYTES)
    if data is None and not os.path.lexists(path):
        return IndexCheck(folder, key)
    wrong = "is a link, too large, or cannot be read"
    found = None
    if data is not None:
        found, wrong = _valid(data, key)
    return IndexCheck(folder, key, found, ((path, wrong),) if wrong else (), is_there=True)


def _valid(data: bytes, key: str | None) -> tuple[Index | None, str]:
    """Return an index, or None and what is wrong with it."""
    try:
        found = index.read(data)
    except NotAManifestError as error:
        return None, f"is not as it was written: {error}"
    try:
        signer = found.check_signature()
    except NotSignedError as error:
        return None, f"its signature proves nothing: {error}"
    if key is not None and signer != key:
        use = next((one for one in reversed(found.keys) if one.fingerprint == signer), None)
        since = f", since counter {use.since} ({use.day})" if use else ""
        return None, f"is signed by another key: {signer}{since}" if signer else "is not signed"
    return found, ""
