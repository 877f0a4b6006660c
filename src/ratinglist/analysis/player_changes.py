"""What an imported file changes in the data of the players: who is new, and which columns of the others differ."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import polars as pl

from ratinglist.names.folding import folded, one_spelling, sorted_words
from ratinglist.tables import PLAYER, words_of
from ratinglist.text import on_one_line

BIRTH_DATE = "birth_date"
COLUMNS = tuple(name for name in PLAYER.columns if name != "fide_id")
LOST = ("name", "federation", "sex", "title", "women_title")
"""The texts of a player that no file changes to a blank, or back to what they were, in silence."""
_UNREADABLE = "[?\ufffd]"
_OTHER_LETTER = r"[^\x00-\x7f]"


@dataclass(frozen=True, slots=True)
class PlayerChanges:
    """The players of a file compared with the stored ones.

    ``new``, ``changed``: rows of ``PLAYER`` as they will be. ``before``: the stored rows of ``changed``, in its order.
    ``kept``: ``fide_id``, the stored ``name``, and ``in_file``, another form of it, which does not replace it.
    """

    new: pl.DataFrame
    changed: pl.DataFrame
    before: pl.DataFrame
    kept: pl.DataFrame


def compare(
    players: pl.DataFrame,
    stored: pl.DataFrame,
    *,
    ascii_names: bool = False,
    partial: bool = False,
    stated: Collection[str] = COLUMNS,
) -> PlayerChanges:
    """Compare ``players`` with the ``stored`` data of the same players, both ``PLAYER`` with a row per FIDE ID.

    Where the file has only the year of birth, a stored date in that year is kept. A stored name with other letters is
    not replaced by its own form in ASCII (*Müller* by *Mueller* or *Muller*), unless ``ascii_names``. ``partial``: a
    table of another program: a blank text is not stated, and the stored one is kept, and so is a stored name where the
    table has its words in another order or with other capitals. ``stated``: the columns that the file has; one that it
    does not have changes nothing that is stored (the sex of women may be known by their flag).
    """
    new = PLAYER.conform(players.join(stored, on="fide_id", how="anti"))
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
    if not ascii_names:
        both = both.join(kept.select("fide_id", own_name="name"), on="fide_id", how="left", maintain_order="left")
        both = both.with_columns(pl.coalesce("own_name", "name").alias("name"))
    changed = both.filter(pl.any_horizontal(pl.col(name).ne_missing(pl.col(f"{name}_stored")) for name in COLUMNS))
    before = changed.select("fide_id", *(pl.col(f"{name}_stored").alias(name) for name in COLUMNS))
    return PlayerChanges(new, PLAYER.conform(changed), PLAYER.conform(before), kept.clear() if ascii_names else kept)


def _other_forms(both: pl.DataFrame, *, partial: bool) -> pl.DataFrame:
    """Return ``fide_id``, stored ``name`` and ``in_file`` of the names that the file has in a form that is kept out."""
    name, in_file = pl.col("name"), pl.col("in_file")
    names = both.select("fide_id", in_file="name", name="name_stored").filter(in_file != name, in_file != "")
    own, given = one_spelling(folded(name)), one_spelling(folded(in_file))
    in_ascii = name.str.contains(_OTHER_LETTER) & ~in_file.str.contains(_OTHER_LETTER)
    is_form = in_ascii & (given == own)
    if partial:
        in_other_order = (given != own) & (sorted_words(given) == sorted_words(own))
        is_form |= in_other_order | (in_file.str.to_lowercase() == name.str.to_lowercase())
    return names.filter(is_form).select("fide_id", "name", "in_file")


def changed_cells(changes: PlayerChanges) -> pl.DataFrame:
    """Return a row for each changed value: ``fide_id``, ``name`` as it will be, ``column``, ``before``, ``after``.

    Rows are in the order of the columns, then of the players. A date of birth is private: its row has blanks, and there
    is none where the year, which is shown, changes too.
    """
    parts = []
    for name in COLUMNS:
        old, now = changes.before[name], changes.changed[name]
        differs = old.ne_missing(now)
        hidden = name == BIRTH_DATE
        if hidden:
            differs &= ~changes.before["birth_year"].ne_missing(changes.changed["birth_year"])
        parts.append(
            changes.changed.filter(differs).select(
                "fide_id",
                "name",
                column=pl.lit(name),
                before=pl.lit("") if hidden else old.filter(differs).cast(pl.String).fill_null(""),
                after=pl.lit("") if hidden else now.filter(differs).cast(pl.String).fill_null(""),
            )
        )
    return pl.concat(parts)


def lost_cells(changed: pl.DataFrame, earlier: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of :func:`changed_cells` that lose something.

    A text of :data:`LOST` is lost where it becomes blank, where it becomes what it was in an ``earlier`` version
    (``PLAYER``, any number of rows a player), and where letters of a name become question marks.
    """
    cells = changed.filter(pl.col("column").is_in(LOST))
    versions = pl.concat(
        earlier.select("fide_id", column=pl.lit(name), after=name, was=pl.lit(value=True)).unique() for name in LOST
    )
    found = cells.join(versions, on=["fide_id", "column", "after"], how="left", maintain_order="left")
    unreadable = pl.col("after").str.contains(_UNREADABLE) & ~pl.col("before").str.contains(_UNREADABLE)
    is_lost = (pl.col("after") == "") | pl.col("was") | ((pl.col("column") == "name") & unreadable)
    # The name before the change names the player where the file has lost it.
    named = pl.when(pl.col("column") == "name").then("before").otherwise("name")
    return (
        found.filter(is_lost.fill_null(value=False) & (pl.col("before") != ""))
        .with_columns(named.alias("name"))
        .drop("was")
        .with_columns(pl.col("after").replace("", "blank"))
    )


def cell_text(cell: Mapping[str, object]) -> str:
    """Return a row of :func:`changed_cells` as *who: what from -> to*, of a date of birth that it changes."""
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
        "name is kept, unless with --ascii-names"
    ]
