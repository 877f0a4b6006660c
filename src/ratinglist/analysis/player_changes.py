"""What an imported file changes in the data of the players: who is new, and which columns of the others differ."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from ratinglist.analysis.name_forms import folded, one_spelling
from ratinglist.schemas import PLAYER

COLUMNS = tuple(name for name in PLAYER.columns if name != "fide_id")
_OTHER_LETTER = r"[^\x00-\x7f]"


@dataclass(frozen=True, slots=True)
class PlayerChanges:
    """The players of a file compared with the stored ones.

    ``new``, ``changed``: rows of ``PLAYER`` as they will be. ``before``: the stored rows of ``changed``, in its order.
    ``kept``: ``fide_id``, the stored ``name``, and ``in_file``, its form in ASCII, which does not replace it.
    """

    new: pl.DataFrame
    changed: pl.DataFrame
    before: pl.DataFrame
    kept: pl.DataFrame


def compare(
    players: pl.DataFrame, stored: pl.DataFrame, *, ascii_names: bool = False, partial: bool = False
) -> PlayerChanges:
    """Compare ``players`` with the ``stored`` data of the same players, both ``PLAYER`` with a row per FIDE ID.

    Where the file has only the year of birth, a stored date in that year is kept. A stored name with other letters is
    not replaced by its own form in ASCII (*Müller* by *Mueller* or *Muller*), unless ``ascii_names``. ``partial``: a
    blank text is not stated, and the stored one is kept.
    """
    new = PLAYER.conform(players.join(stored, on="fide_id", how="anti"))
    both = players.join(stored, on="fide_id", how="inner", suffix="_stored", maintain_order="left")
    if partial:
        texts = [name for name in COLUMNS if PLAYER.columns[name].dtype == pl.String]
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
    kept = _in_ascii(both)
    if not ascii_names:
        both = both.join(kept.select("fide_id", own_name="name"), on="fide_id", how="left", maintain_order="left")
        both = both.with_columns(pl.coalesce("own_name", "name").alias("name"))
    changed = both.filter(pl.any_horizontal(pl.col(name).ne_missing(pl.col(f"{name}_stored")) for name in COLUMNS))
    before = changed.select("fide_id", *(pl.col(f"{name}_stored").alias(name) for name in COLUMNS))
    return PlayerChanges(new, PLAYER.conform(changed), PLAYER.conform(before), kept.clear() if ascii_names else kept)


def _in_ascii(both: pl.DataFrame) -> pl.DataFrame:
    """Return ``fide_id``, stored ``name`` and ``in_file`` of the names that the file has in ASCII alone."""
    plain = both.select("fide_id", in_file="name", name="name_stored").filter(
        pl.col("name").str.contains(_OTHER_LETTER) & ~pl.col("in_file").str.contains(_OTHER_LETTER)
    )
    is_same = one_spelling(folded(pl.col("in_file"))) == one_spelling(folded(pl.col("name")))
    return plain.filter(is_same & (pl.col("in_file") != "")).select("fide_id", "name", "in_file")


def changed_cells(changes: PlayerChanges) -> pl.DataFrame:
    """Return a row for each changed value: ``fide_id``, ``name`` as it will be, ``column``, ``before``, ``after``.

    Rows are in the order of the columns, then of the players. Dates of birth are private and not shown.
    """
    parts = []
    for name in COLUMNS:
        old, now = changes.before[name], changes.changed[name]
        differs = old.ne_missing(now)
        hidden = name == "birth_date"
        parts.append(
            changes.changed.filter(differs).select(
                "fide_id",
                "name",
                column=pl.lit(name),
                before=pl.lit("not shown") if hidden else old.filter(differs).cast(pl.String).fill_null(""),
                after=pl.lit("not shown") if hidden else now.filter(differs).cast(pl.String).fill_null(""),
            )
        )
    return pl.concat(parts)


def kept_text(names: int) -> list[str]:
    """Return the note on the names that were not replaced by their forms in ASCII; none where there are none."""
    if not names:
        return []
    return [
        f"{names:,} × a name is the stored one in ASCII letters; the stored name is kept, unless with --ascii-names"
    ]
