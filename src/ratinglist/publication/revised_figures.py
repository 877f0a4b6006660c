"""Compare what was calculated with the revision that readers have, and keep a change of figures from being silent."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from ratinglist.errors import CheckError
from ratinglist.field_policy import FieldPolicy
from ratinglist.publication import integrity, revision_writer, revisions
from ratinglist.publication.revision_writer import Draft
from ratinglist.schemas import PUBLISHED

Tables = dict[str, pl.DataFrame]
"""Published tables by file stem."""


def differing(revision: Path, now: Mapping[str, pl.DataFrame], fields: FieldPolicy) -> tuple[Tables, Tables] | None:
    """Return the tables of a revision and those of ``now``, with the columns that both have; None where they are equal.

    ``fields``: the columns that the office leaves out. Raises :class:`~ratinglist.errors.AlteredError` where a table of
    the revision is not what was published.
    """
    integrity.check_tables(revision, PUBLISHED)
    both = fields.and_without(revisions.left_out(revision).without)
    before, after = both.masked(revisions.read_tables(revision)), both.masked(dict(now))
    if len(before) == len(after) and all(name in before and one.equals(before[name]) for name, one in after.items()):
        return None
    return before, after


def check_same(current: Path, draft: Draft) -> None:
    """Raise :class:`CheckError` where a draft has other figures than the current revision of its month.

    Other facts in the manifest, or other columns, change no figure: such a draft may be published.
    """
    contents = [revision_writer.content_digests(integrity.read_manifest(one).files) for one in (current, draft.folder)]
    if contents[0] == contents[1]:
        return
    if differing(current, revisions.read_tables(draft.folder), revisions.left_out(draft.folder)) is None:
        return
    month = draft.period
    raise CheckError(
        f"Nothing was published: the list of {month} is published as {current.name}, and what is calculated now is "
        "different. A published list changes only with an account of every difference (DIFF.md), and together with the "
        f"lists after it. See what would change: ratinglist rerate --from {month} --preview\nThen publish it: "
        f"ratinglist rerate --from {month}"
    )
