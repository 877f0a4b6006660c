"""Verify that a published folder is what its index states, and that the office signed the index.

While a change is carried out there are two valid indexes, ``index.json`` and the one that follows,
``index.next.json``; each file is then as one of them states. Both are signed, so nobody else can make such a state.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from ratinglist.limits import PUBLISHED_INDEX_BYTES
from ratinglist.publication import published_index
from ratinglist.publication.manifest import NotAManifestError
from ratinglist.publication.published_index import INDEX, INDEX_SIGNATURE, NEXT_INDEX, PublishedIndex
from ratinglist.publication.regular_file import read_regular_file
from ratinglist.publication.signature import NotSignedError
from ratinglist.publication.verify_summary import VerifySummary

_SIGNATURE_BYTES = 1024
_ATTEMPTS = 20
"""How often three files are read that may be replaced while they are read; one attempt takes some milliseconds."""
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class IndexCheck:
    """The valid indexes of a published folder.

    ``indexes``: that of the state before and that of the state after a change that is being carried out; else one;
    none where there is no index or it is wrong. ``wrong``: the files that are wrong, each with what is wrong.
    ``key``: the fingerprint of the key that must have signed. ``is_there``: whether there is an index at all.
    """

    folder: Path
    key: str | None
    indexes: tuple[PublishedIndex, ...] = ()
    wrong: tuple[tuple[Path, str], ...] = ()
    is_there: bool = False
    first: PublishedIndex | None = None
    """The first index of all, which is not in place yet."""

    @property
    def counter(self) -> int:
        """Return the counter of ``index.json``; 0 where there is no valid one."""
        return self.indexes[0].counter if self.indexes else 0

    def joined(self, after: IndexCheck) -> IndexCheck:
        """Return the indexes that were valid when the folder was read; ``after``: those read after it."""
        more = tuple(one for one in after.indexes if one not in self.indexes)
        return replace(after, indexes=(*self.indexes, *more))

    def stated_signers(self, name: str, digest: str) -> list[str]:
        """Return the key that signed a revision, by each index that names it so; an empty text for an unsigned one.

        While a revision is signed later, the index before states no key, and the one after states it.
        """
        return [one.signers.get(name, "") for one in self.indexes if one.published.get(name) == digest]

    def is_withdrawn(self, name: str) -> bool:
        """Return whether an index states that a month has no current list; ``name``: of its file ``latest``."""
        return any(one.published.get(name) == "" for one in self.indexes)

    def check(self, scope: str, seen: int, found: VerifySummary, *, is_whole_revision: bool) -> None:
        """Add to ``found`` what is not as the indexes state, and what the reader must know.

        ``scope``: the beginning of the names that were verified, or with ``is_whole_revision`` the one name.
        """
        for path, description in self.wrong:
            found.add(path, description)
        if self.indexes:
            self._describe(found)
            self._compare(scope, found, is_whole_revision=is_whole_revision)
        elif not self.is_there and not is_whole_revision:
            self._describe_missing(found)
        if seen and self.counter < seen and not self.wrong:
            state = f"is older than the one you have seen: its counter is {self.counter}, and yours {seen}"
            found.add(self.folder / INDEX, state if self.indexes else f"is missing: you have seen its counter {seen}")
        self._note_keys(found)

    def _describe_missing(self, found: VerifySummary) -> None:
        """Add that there is no index: a problem where revisions are signed by the key, which signs an index with them.

        The first index of all may be on its way: then only the revisions that it names may be signed.
        """
        path = self.folder / INDEX
        unknown = "whether a newest list was removed, latest set back, or a file that no manifest names altered"
        names = ("/".join(Path(one).resolve().parts[-2:]) for one, (_, by) in found.revisions.items() if by == self.key)
        coming = self.first.published if self.first else {}
        if self.key is not None and any(name not in coming for name in names):
            found.add(
                path,
                f"is missing, and revisions are signed by the key: without it, it cannot be found {unknown}. Get a "
                "copy of all that is published, with its index; the office writes it again with ratinglist doctor "
                "--rebuild, or with any publication",
            )
            return
        is_signed = any(by for _, by in found.revisions.values())
        found.notes.append(
            f"{path}: there is none"
            + (", it is being written" if self.first else "")
            + f": it is not found {unknown}"
            + (". An office that signs publishes an index: get that too" if is_signed and not self.first else "")
        )

    def _describe(self, found: VerifySummary) -> None:
        newest = self.indexes[0]
        found.index = {
            "path": str(self.folder / INDEX),
            "counter": newest.counter,
            "day": newest.day,
            "digest": newest.digest,
            "signed_by": newest.signed_by,
            "in_progress": self.indexes[-1].counter if len(self.indexes) > 1 else None,
        }
        if len(self.indexes) > 1:
            found.notes.append(
                f"the change to counter {self.indexes[-1].counter} is being carried out, or was interrupted: each file "
                "is the one before it or the one after it. The next command of the office finishes it."
            )

    def _compare(self, scope: str, found: VerifySummary, *, is_whole_revision: bool) -> None:
        """Compare what was found with what the indexes state, by name."""
        stated = {name for one in self.indexes for name in one.published} | set(found.published)
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
        """Return the months that every index names and that have no folder."""
        months = sorted({name.partition("/")[0] for name in names if "/" in name})
        required = [
            month
            for month in months
            if all(any(name.startswith(f"{month}/") for name in one.published) for one in self.indexes)
        ]
        there = {name.partition("/")[0] for name in found.published}
        return [month for month in required if month not in there and not os.path.lexists(self.folder / month)]

    def _difference(self, name: str, value: str) -> str:
        """Return how a file or revision differs from what is stated; empty where it does not."""
        if "/" not in name and "." not in name:
            return "is missing: by the index it was published"
        allowed = [one.published.get(name, "") for one in self.indexes]
        stem = name.rpartition("/")[2]
        is_revision = stem.startswith("r") and "." not in stem
        # The digest of a revision that was damaged before there was an index is not known.
        if value in allowed or (is_revision and any(one.published.get(name) == "" for one in self.indexes)):
            return ""
        wanted = allowed[-1]
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
        """Add notes on keys other than the newest one."""
        keys = self.indexes[-1].keys if self.indexes else ()
        if len(keys) > 1:
            uses = ", ".join(f"{one.fingerprint} since counter {one.since} ({one.day})" for one in keys)
            found.notes.append(f"the indexes are signed by more than one key: {uses}")
        newest = self.key or (keys[-1].fingerprint if keys else "")
        by_key: dict[str, list[str]] = {}
        for path, (_, signer) in found.revisions.items():
            by_key.setdefault(signer, []).append("/".join(Path(path).resolve().parts[-2:]))
        if newest and self.indexes:
            for signer, names in by_key.items():
                if signer != newest:
                    by = f"signed by the earlier key {signer}" if signer else "not signed"
                    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
                    named = "and the index names them" if len(names) > 1 else "and the index names it"
                    found.notes.append(f"{', '.join(names[:_SHOWN])}{more}: {by}, {named} as published")
        elif len([signer for signer in by_key if signer]) > 1:
            first = ", ".join(f"{signer} first at {names[0]}" for signer, names in by_key.items() if signer)
            found.notes.append(f"the revisions are signed by more than one key: {first}")


def read(folder: Path, key: str | None) -> IndexCheck:
    """Return the valid indexes of a published folder, and what is wrong with its index.

    ``key``: the fingerprint of the key that must have signed the newest index.
    """
    content, following, signatures = _read_files(folder)
    wrong: list[tuple[Path, str]] = []
    for name, data in ((INDEX, content), (INDEX_SIGNATURE, signatures), (NEXT_INDEX, following)):
        if data is None and os.path.lexists(folder / name):
            wrong.append((folder / name, "is a link, too large, or cannot be read"))
    if wrong or (content is None and following is None):
        return IndexCheck(folder, key, wrong=tuple(wrong), is_there=bool(wrong))
    after = None
    if following is not None and following != content:
        after = _valid(folder / NEXT_INDEX, following, signatures, key, wrong)
    if content is None:
        first = after if after is not None and after.counter == 1 else None
        if first is None and not wrong:
            wrong.append((folder / INDEX, f"is missing, and {NEXT_INDEX} is not the first index"))
        return IndexCheck(folder, key, wrong=tuple(wrong), is_there=first is None, first=first)
    # The index that follows names this one: where it is signed by the key, this one need not be.
    before = _valid(folder / INDEX, content, signatures, None if after else key, wrong)
    if before and after and (after.counter, after.before) != (before.counter + 1, before.digest):
        wrong.append((folder / NEXT_INDEX, f"is not the index that follows {INDEX}"))
    indexes = tuple(one for one in (before, after) if one is not None)
    return IndexCheck(folder, key, () if wrong else indexes, tuple(wrong), is_there=True)


def _read_files(folder: Path) -> tuple[bytes | None, bytes | None, bytes | None]:
    """Return the content of the index, the one that follows, and the signatures, all of one moment."""

    def at_once() -> tuple[bytes | None, bytes | None, bytes | None]:
        content, following = (read_regular_file(folder / name, PUBLISHED_INDEX_BYTES) for name in (INDEX, NEXT_INDEX))
        return content, following, read_regular_file(folder / INDEX_SIGNATURE, _SIGNATURE_BYTES)

    found = at_once()
    for _ in range(_ATTEMPTS):
        again = at_once()
        if again == found:
            break
        found = again
    return found


def _valid(
    path: Path, data: bytes, signatures: bytes | None, key: str | None, wrong: list[tuple[Path, str]]
) -> PublishedIndex | None:
    """Return an index; None where it is wrong, with the reason added to ``wrong``."""
    try:
        index = published_index.read(data)
    except NotAManifestError as error:
        wrong.append((path, f"is not as it was written: {error}"))
        return None
    signature = path.with_name(INDEX_SIGNATURE)
    if index.signed_by and signatures is None:
        wrong.append((signature, f"is missing: {path.name} was signed by key {index.signed_by}"))
        return None
    try:
        signer = published_index.signer_of(data, signatures or b"") if index.signed_by else ""
    except NotSignedError as error:
        wrong.append((signature, f"proves nothing of {path.name}: {error}"))
        return None
    if signer != index.signed_by:
        wrong.append((signature, f"is of key {signer}, and {path.name} names key {index.signed_by}"))
        return None
    if key is not None and signer != key:
        use = next((one for one in reversed(index.keys) if one.fingerprint == signer), None)
        since = f", since counter {use.since} ({use.day})" if use else ""
        wrong.append((path, f"is signed by another key: {signer}{since}" if signer else "is not signed"))
        return None
    return index
