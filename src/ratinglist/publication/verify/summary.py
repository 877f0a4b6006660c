"""The result of a verification of published files: what is whole, what is wrong, and what a reader must know."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ratinglist.pages.plain_text import first_lines


@dataclass(frozen=True, slots=True)
class Problem:
    """A file or folder that is not as it was published. ``description``: what is wrong with it, following its name."""

    file: str
    description: str


@dataclass(slots=True)
class VerifySummary:
    """The result of a verification.

    ``revisions``: digest and fingerprint of the signer of each revision that is whole, by folder; an empty fingerprint
    where it is not signed. ``required_months``: the months whose lists the
    verified ones were calculated on, each with a revision whose manifest names it.

    ``index``: what :mod:`~ratinglist.publication.verify.against_index` found of the index above; empty where there is
    none.
    ``published``: what readers see, by the names of an index; a revision without a readable manifest has no value.
    ``notes``: sentences that a reader must know though nothing is wrong.
    """

    revisions: dict[str, tuple[str, str]] = field(default_factory=dict)
    wrong: list[Problem] = field(default_factory=list)
    required_months: dict[str, str] = field(default_factory=dict, repr=False)
    index: dict[str, object] = field(default_factory=dict)
    published: dict[str, str | None] = field(default_factory=dict, repr=False)
    notes: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, object]:
        """Return the result as JSON-able values."""
        return {
            "whole": not self.wrong,
            "revisions": [
                {"path": path, "digest": digest, "signed_by": signer}
                for path, (digest, signer) in self.revisions.items()
            ],
            "index": self.index or None,
            "notes": self.notes,
            "wrong": [{"file": one.file, "says": one.description} for one in self.wrong],
        }

    def text(self) -> str:
        """Return a line for each revision that is whole, one for the index, and the notes."""
        lines = [
            f"{path}: whole, digest {digest}, {_signed_text(signer)}"
            for path, (digest, signer) in self.revisions.items()
        ]
        if self.index:
            lines.append(
                "{path}: counter {counter} of {day}, digest {digest}, ".format_map(self.index)
                + _signed_text(str(self.index["signed_by"]))
            )
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    def complaint(self) -> str:
        """Return the message on what is wrong: the first files, and the remedy."""
        return "\n".join(
            [
                "this is not what was published:",
                *first_lines([f"{one.file}: {one.description}" for one in self.wrong]),
                "Do not use it: put back a copy of that revision, or ask the office for one.",
            ]
        )

    def add(self, path: Path, description: str) -> None:
        """Add what is wrong with ``path``."""
        self.wrong.append(Problem(str(path), description))


def _signed_text(signer: str) -> str:
    return f"signed by key {signer}" if signer else "not signed"
