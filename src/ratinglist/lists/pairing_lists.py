"""Lists for pairing programs: the national list of Swiss-Manager and the player archive of Vega.

Both hold one time control and two ratings, an international and a national one. Our rating is the international one if
it was calculated by the rule family ``fide``, else the national one; the other is 0, because it is unknown. Programs
that read Swiss-Manager's list take the rating from ``Rtg_Nat``, so it holds our rating in any case, unless the request
is for national ratings only. Names are written as in these programs' own files, ``Surname Given`` in ASCII: neither
program documents another encoding.
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from ratinglist.errors import CheckError
from ratinglist.lists.selection import ExportRequest, PreparedExport, PublishedLists
from ratinglist.names.folding import to_ascii
from ratinglist.tables import LISTED

FIDE_FAMILY = "fide"
VEGA_NAME = 30
"""Letters of a name in Vega's archive."""


def prepare_swiss_manager(published: PublishedLists, request: ExportRequest) -> PreparedExport:
    """Return the rows of :func:`swiss_manager`, in the order of the list, with the counts of changed letters.

    Raises :class:`CheckError` if the manifest names no rule family.
    """
    players, letters = to_ascii(pl.concat(published.selected.values()))
    club = to_ascii(pl.DataFrame({"name": [request.club or ""]}))[0].item()
    columns = swiss_manager(of_fide=_is_of_fide(published), national_only=request.national_only, club=club)
    return PreparedExport(players.select(columns), letters)


def prepare_vega(published: PublishedLists, _request: ExportRequest) -> PreparedExport:
    """Return the rows of :func:`vega`, in the order of the list, with the counts of changed letters and cut names.

    Raises :class:`CheckError` if the manifest names no rule family.
    """
    players, letters = to_ascii(pl.concat(published.selected.values()))
    cut = int(players.select((_vega_name().str.len_chars() > VEGA_NAME).sum()).item())
    return PreparedExport(players.select(vega(of_fide=_is_of_fide(published))), {**letters, "texts_cut": cut})


def swiss_manager(*, of_fide: bool, national_only: bool, club: str = "") -> list[pl.Expr]:
    """Return the columns of Swiss-Manager's national list, over rows of ``LISTED`` in ASCII.

    ``national_only``: ``Rtg_Nat`` is 0 where the rating is an international one. ``ID_No`` and
    ``Fide_No`` are the FIDE ID, ``Sex`` is ``f`` or blank, ``Birthday`` a year, 0 no rating; ``club`` is that of
    all players, blank where it is not known.
    """
    ours, none = pl.col("rating").fill_null(0), pl.lit(0, dtype=pl.Int32)
    return [
        pl.col("fide_id").alias("ID_No"),
        _name().alias("Name"),
        pl.when(pl.col("sex") == "F").then(pl.lit("f")).otherwise(pl.lit("")).alias("Sex"),
        pl.col("federation").alias("Fed"),
        pl.lit("").alias("Clubnumber"),
        pl.lit(club).alias("ClubName"),
        pl.col("birth_year").alias("Birthday"),
        (none if of_fide and national_only else ours).alias("Rtg_Nat"),
        pl.col("fide_id").alias("Fide_No"),
        (ours if of_fide else none).alias("Rtg_Int"),
    ]


def vega(*, of_fide: bool) -> list[pl.Expr]:
    """Return the columns of Vega's archive, over rows of ``LISTED`` in ASCII; a name that is too long is cut.

    ``BIRTHDAY`` is ``ddmmyyyy`` with an unknown day: ``00001987``. The year has four digits, because with two the year
    2000 would read as unknown. A separator inside a text becomes a blank.
    """
    ours, none = pl.col("rating").fill_null(0), pl.lit(0, dtype=pl.Int32)
    return [
        _vega_name().str.head(VEGA_NAME).str.strip_chars_end().alias("NAME"),
        pl.col("federation").str.replace_all(";", " ", literal=True).alias("COUNTRY"),
        pl.col("birth_year").fill_null(0).cast(pl.String).str.zfill(8).alias("BIRTHDAY"),
        pl.col("sex").str.to_lowercase().alias("GENDER"),
        pl.when(pl.col("title") == "").then("women_title").otherwise("title").alias("TITLE"),
        pl.col("fide_id").alias("IDFIDE"),
        (ours if of_fide else none).alias("ELOFIDE"),
        pl.lit(0, dtype=pl.Int32).alias("IDNAT"),
        (none if of_fide else ours).alias("ELONAT"),
        pl.col("k").alias("KCOEFF"),
    ]


def _vega_name() -> pl.Expr:
    return _name().str.replace_all(";", " ", literal=True).str.strip_chars()


def _is_of_fide(published: PublishedLists) -> bool:
    if not published.family:
        raise CheckError(
            f"{published.manifest} does not name the rule family of the list. Nothing was exported; publish the list "
            "again."
        )
    return published.family == FIDE_FAMILY


def _name() -> pl.Expr:
    """``Surname, Given`` without commas and double blanks."""
    return pl.col("name").str.replace_all(r"[,\s]+", " ").str.strip_chars()


def _carried(columns: Iterable[pl.Expr]) -> tuple[str, ...]:
    """Return the columns of the lists that ``columns`` are made of."""
    names = {name for column in columns for name in column.meta.root_names()}
    return tuple(name for name in LISTED.columns if name in names)


SWISS_MANAGER_COLUMNS = _carried(swiss_manager(of_fide=True, national_only=False))
VEGA_COLUMNS = _carried(vega(of_fide=True))
"""The columns of the lists that the formats carry."""
