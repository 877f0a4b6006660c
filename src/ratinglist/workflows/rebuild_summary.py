"""The summary of a rebuild of a home."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field


@dataclass(slots=True)
class RebuildSummary:
    """A rebuild.

    ``entries``: the number of changes made again. ``compared``: the number of published files that are as recorded.
    ``put_back``: the published files that were altered or lost, and are as published again. ``differences``: the tables
    whose rows were others in the store before; ``old_store``: what was wrong with that store. ``kept``: the folder of
    what was replaced. ``lost_index``, ``index_signed``, ``counter``, ``not_signed``, ``signed_again``,
    ``lost_signatures``: see :class:`~ratinglist.workflows.rebuilt_index.KeptIndex`.
    """

    home: str
    entries: int
    compared: int
    put_back: list[str] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)
    old_store: list[str] = field(default_factory=list)
    kept: str = ""
    lost_index: bool = False
    index_signed: bool = False
    counter: int = 0
    not_signed: str = ""
    signed_again: list[str] = field(default_factory=list)
    lost_signatures: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, object]:
        """Return the summary as JSON-able values."""
        return asdict(self)

    def text(self) -> str:
        """Return the summary on a few lines."""
        lines = [
            f"{self.home}: rebuilt from {self.entries:,} entries of the journal",
            f"  published files compared, byte for byte: {self.compared:,}",
            *(f"  put back as it was published: {name}" for name in self.put_back),
            *(f"  signed again with the key of the office: {name}" for name in self.signed_again),
            *(f"  lost, and not made again: {name}" for name in self.lost_signatures),
            *(f"  the store before: {one}" for one in self.old_store),
        ]
        if self.differences:
            lines.append(f"  the store before had other rows in: {', '.join(self.differences)}")
        if self.lost_index:
            signed = "is signed" if self.index_signed else "is not signed"
            lines.append(
                "  the index of what is published was lost, and was made again from what is published: it "
                f"{signed}, and its counter, {self.counter:,}, is higher than any before"
            )
        if self.not_signed:
            # `sign` takes no revision that the index states to be signed and that has no signature.
            then = (
                "then, for each month: ratinglist sign YYYY-MM"
                if self.lost_index
                else "then: ratinglist doctor --rebuild"
            )
            lines.append(
                f"  not signed again: {self.not_signed.rstrip('.')}. Until it is, `verify --key` of readers fails. Put "
                f"the key in its place ([publication] signing_key in office.toml), {then}"
            )
        if self.kept:
            lines.append(f"  what was replaced is in {self.kept}; ratinglist doctor --tidy deletes it")
        return "\n".join(lines)
