"""What an imported file changes: who is new, which data of the others differ, and the memberships of clubs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import polars as pl

from ratinglist.names.alike import folded, one_spelling, sorted_words
from ratinglist.tables import PLAYER, words_of
from ratinglist.text import on_one_line

BIRTH_DATE = "birth_date"
COLUMNS = tuple(name for name in PLAYER.columns if name != "fide_id")
_OTHER_LETTER = r"[^\x00-\x7f]"


@dataclass(frozen=True, slots=True)
class PlayerChanges:
    """The players of a file compared with the stored ones.

    ``new``, ``changed``: rows of ``PLAYER`` as they will be.
    ``kept``: ``fide_id``, the stored ``name``, and ``in_file``, another form of it, which does not replace it.
    """

    new: pl.DataFrame
    changed: pl.DataFrame
    kept: pl.DataFrame


def compare(
    players: pl.DataFrame,
    stored: pl.DataFrame,
    *,
    partial: bool = False,
    stated: Collection[str] = COLUMNS,
) -> PlayerChanges:
    """Compare ``players`` with the ``stored`` data of the same players, both ``PLAYER`` with a row per FIDE ID.

    Where the file has only the year of birth, a stored date in that year is kept. A stored name with other letters is
    not replaced by its own form in ASCII (*Müller* by *Mueller* or *Muller*). ``partial``: a
    table of another program: a blank text is not stated, and the stored one is kept, and so is a stored name where the
    table has its words in another order or with other capitals. ``stated``: the columns that the file has; one that it
    does not have changes nothing that is stored (the sex of women may be known by their flag).
    """
    new = players.join(stored, on="fide_id", how="anti") if len(stored) else players
    both = players.join(stored, on="fide_id", how="inner", suffix="_stored", maintain_order="left")
    texts = [name for name in COLUMNS if PLAYER.columns[name].dtype == pl.String]
    both = both.with_columns(
        pl.when(pl.col(f"{name}_stored") == "").then(name).otherwise(f"{name}_stored").alias(name)
        for name in texts
        if name not in stated
    )
    if partial:
        both = both.with_columns(
            pl.when(pl.col(name) == "").then(f"{name}_stored").otherwise(name).alias(name) for name in texts
        )
    stored_date, year = pl.col("birth_date_stored"), pl.col("birth_date_stored").dt.year()
    both = both.with_columns(
        pl.coalesce("birth_date", pl.when(pl.coalesce("birth_year", year) == year).then(stored_date)).alias(
            "birth_date"
        ),
        pl.coalesce("birth_year", "birth_year_stored").alias("birth_year"),
    )
    kept = _other_forms(both, partial=partial)
    both = both.join(kept.select("fide_id", own_name="name"), on="fide_id", how="left", maintain_order="left")
    both = both.with_columns(pl.coalesce("own_name", "name").alias("name"))
    changed = both.filter(pl.any_horizontal(pl.col(name).ne_missing(pl.col(f"{name}_stored")) for name in COLUMNS))
    return PlayerChanges(PLAYER.conform(new), PLAYER.conform(changed), kept)


def _other_forms(both: pl.DataFrame, *, partial: bool) -> pl.DataFrame:
    """Return ``fide_id``, stored ``name`` and ``in_file`` of the names that the file has in a form that is kept out."""
    name, in_file = pl.col("name"), pl.col("in_file")
    names = both.select("fide_id", in_file="name", name="name_stored").filter(in_file != name, in_file != "")
    own, imported = one_spelling(folded(name)), one_spelling(folded(in_file))
    in_ascii = name.str.contains(_OTHER_LETTER) & ~in_file.str.contains(_OTHER_LETTER)
    is_form = in_ascii & (imported == own)
    if partial:
        in_other_order = (imported != own) & (sorted_words(imported) == sorted_words(own))
        is_form |= in_other_order | (in_file.str.to_lowercase() == name.str.to_lowercase())
    return names.filter(is_form).select("fide_id", "name", "in_file")


def cell_text(cell: Mapping[str, object]) -> str:
    """Return a row of ``changed_cell`` as *who: what from -> to*, of a date of birth that it changes."""
    who, what = f"{cell['fide_id']} {on_one_line(str(cell['name']))}", words_of(str(cell["column"]))
    if cell["column"] == BIRTH_DATE:
        return f"{who}: {what} changed (not shown)"
    before, after = (on_one_line(str(cell[name])) or "blank" for name in ("before", "after"))
    return f"{who}: {what} {before} -> {after}"


def kept_text(names: int) -> list[str]:
    """Return the note on the names that were not replaced by other forms of them; none where there are none."""
    if not names:
        return []
    return [
        f"{names:,} × a name is the stored one in ASCII letters, in another order or with other capitals; the stored "
        "name is kept; to change one: ratinglist correct player ID name=..."
    ]


_BEFORE = {"club": "club_before", "member_until": "until_before"}
MEMBERSHIP_COLUMNS = tuple(_BEFORE)


def compare_memberships(
    memberships: pl.DataFrame, stored: pl.DataFrame, *, partial: bool, stated: Collection[str]
) -> pl.DataFrame:
    """Compare the ``memberships`` of a file with the ``stored`` ones, both ``MEMBERSHIP`` with a row per FIDE ID.

    ``partial``: a blank cell is not stated, and what is stored is kept. ``stated``: the columns that the file has. The
    last day of a membership is that of its club: where the club changes, the stored day does not stay.
    Out: the memberships that change, as they will be, with ``club_before`` and ``until_before``.
    """
    both = memberships.join(stored.rename(_BEFORE), on="fide_id", how="left", maintain_order="left").with_columns(
        pl.col("club_before").fill_null("")
    )
    if partial:
        both = both.with_columns(pl.when(pl.col("club") == "").then("club_before").otherwise("club").alias("club"))
    same_club = pl.col("club") == pl.col("club_before")
    if partial or "member_until" not in stated:
        kept = pl.when(same_club).then("until_before")
        both = both.with_columns(pl.coalesce("member_until", kept).alias("member_until"))
    return both.filter(~same_club | pl.col("member_until").ne_missing(pl.col("until_before")))
