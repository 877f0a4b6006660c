"""Leave characters that no reader sees out of the texts of a report, each line with a note."""

from __future__ import annotations

import polars as pl

from ratinglist.findings import finding
from ratinglist.safe_text import OTHER_BLANK, UNSEEN, code_point
from ratinglist.schemas import FILE_FINDING


def leave_out(rows: pl.DataFrame, name: str, column: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return ``rows`` with the text ``name`` as a reader sees it, trimmed, and a note for every text that changed.

    In: ``file_no``, ``line`` and the text, which begins in ``column`` of its line. Blanks of other widths become
    blanks, without a note. Out: the rows in their order, and findings of ``unseen_character``.
    """
    texts = rows[name]
    # Hardly a text has more bytes than characters, and only such a text can have one of these characters.
    wide = texts.filter(texts.str.len_bytes() > texts.str.len_chars())
    if not wide.str.contains(f"{UNSEEN}|{OTHER_BLANK}").any():
        return rows, FILE_FINDING.empty()
    text = pl.col(name)
    cleaned = text.str.replace_all(UNSEEN, "").str.replace_all(OTHER_BLANK, " ").str.strip_chars()
    found = rows.select("file_no", "line", cleaned.alias("seen"), text.str.extract(f"({UNSEEN})").alias("character"))
    found = found.drop_nulls("character")
    characters = found["character"].unique().to_list()
    code_points = pl.col("character").replace_strict(
        characters, [code_point(one) for one in characters], return_dtype=pl.String
    )
    notes = finding(
        "unseen_character", found, line=pl.col("line"), column=column, value=code_points, detail=pl.col("seen")
    )
    return rows.with_columns(cleaned.alias(name)), notes
