"""Make the page of all clubs, and the page of each with its members, where the office shows its clubs."""

from __future__ import annotations

import polars as pl

from ratinglist.safe_text import on_one_line
from ratinglist.site.cells import player_cell
from ratinglist.site.data_file import CONTROLS, as_json
from ratinglist.site.frame import Frame

FILE = "clubs.html"


def members(named: pl.DataFrame, clubs: pl.DataFrame) -> pl.DataFrame:
    """Return the players on the site who are of a club, with ``club`` and ``page``, the number of its page from 1.

    Capital and small letters make no two clubs.

    In: ``named``: the players, with ``rating_0`` to ``rating_2``; ``clubs``: ``fide_id``, ``club``. Sorted by club, in
    a club by the highest rating.
    """
    return (
        named.join(clubs.select("fide_id", "club"), on="fide_id")
        .with_columns(
            pl.max_horizontal(f"rating_{number}" for number in CONTROLS.values()).alias("highest"),
            pl.col("club").str.to_lowercase().rank("dense").alias("page"),
        )
        .sort("page", "highest", "fide_id", descending=[False, True, False], nulls_last=True)
    )


def pages_of(frame: Frame, members: pl.DataFrame) -> dict[str, str]:
    """Return the pages by file name: none without members."""
    pages: dict[str, str] = {}
    clubs = []
    head = frame.head("name", "federation@", *(f"control_{name}#" for name in CONTROLS))
    for rows in members.partition_by("page", maintain_order=True):
        club, file = on_one_line(rows.item(0, "club")), f"club-{rows.item(0, 'page')}.html"
        clubs.append([(club, file), rows.height])
        cells = [
            [
                player_cell(row, below=[row["federation"]]),
                row["federation"],
                *(row[f"rating_{number}"] for number in CONTROLS.values()),
            ]
            for row in rows.iter_rows(named=True)
        ]
        pages[file] = _page(frame, club, file, head, cells)
    if clubs:
        pages[FILE] = _page(frame, frame.text("clubs"), FILE, frame.head("club", "members#"), clubs)
    return pages


def data_files(members: pl.DataFrame) -> dict[str, str]:
    """Return the data files by name: all clubs with the number of each, and the FIDE IDs of the members of each."""
    clubs = members.group_by("page", maintain_order=True).agg(pl.col("club").first(), "fide_id")
    files = {f"c/{page}": as_json(ids) for page, _, ids in clubs.iter_rows()}
    return files | ({"c/all": as_json(clubs.select("club", "page").rows())} if files else {})


def _page(frame: Frame, heading: str, file: str, head: object, rows: object) -> str:
    """Return a page with one table; search engines do not list it, as they do not list a player's page."""
    return frame.page("clubs.html", file=file, indexed=False, heading=heading, head=head, rows=rows)
