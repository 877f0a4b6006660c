"""Made-up lists to export, offices that have published them, and our own importer to read the files back."""

from __future__ import annotations

import hashlib
from pathlib import Path

import polars as pl
from hypothesis import strategies as st

from ratinglist.lists import list_reader
from ratinglist.lists.formats import ExportRequest
from ratinglist.lists.official_rows import OFFICIAL_ROW
from ratinglist.period import Period
from ratinglist.publication import manifest
from ratinglist.settings import Settings
from ratinglist.store.table_files import write_parquet
from ratinglist.summaries import Facts
from ratinglist.tables import FIDE_COLUMNS, LISTED
from ratinglist.text import first_forbidden_in_written_text, with_plain_blanks
from ratinglist.workflows import for_readers as workflow
from tests.conftest import office
from tests.published_sample import rows

MONTH = Period.parse("2025-11")
BEFORE = Period.parse("2025-10")

READ_BACK = ["time_control", *FIDE_COLUMNS]
"""The columns that every format with a reader carries."""

READ_BACK_BY_NAME = [name for name in LISTED.columns if name in OFFICIAL_ROW.columns]
"""The columns that are read from the formats that name columns as the office does."""


def player(fide_id: int, name: str = "Nemo, Nora", **more: object) -> dict[str, object]:
    return {
        "fide_id": fide_id,
        "name": name,
        "federation": "ORV",
        "sex": "M",
        "rating": 2000,
        "games": 0,
        "k": 20,
        "birth_year": 1990,
        **more,
    }


def listed(*players: dict[str, object], time_control: str = "standard", month: Period = MONTH) -> pl.DataFrame:
    """A published list of ``players``, in its order."""
    of_list = {"list_month": str(month), "time_control": time_control}
    return LISTED.sorted(rows(LISTED, *(of_list | facts for facts in players)))


def publish(
    home: Path,
    *lists: pl.DataFrame,
    month: Period = MONTH,
    family: str = "fide",
) -> Settings:
    """Return an office that has published ``lists`` and nothing else; quick enough to be made for every example."""
    revision = home / "published" / str(month) / "r1"
    revision.mkdir(parents=True)
    for rating_list in lists:
        write_parquet(revision / f"{rating_list['time_control'][0]}.parquet", LISTED, rating_list)
    write_manifest(revision, family)
    (revision.parent / "latest").write_text("r1\n", encoding="utf-8")
    return office(home)


def write_manifest(revision: Path, family: str = "fide") -> None:
    """Write the manifest of a revision for the tables in its folder."""
    files = {
        path.name: {
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            "bytes": path.stat().st_size,
            "rows": pl.read_parquet(path).height,
        }
        for path in revision.glob("*.parquet")
    }
    facts = {"family": family}
    data = manifest.encode(Period.parse(revision.parent.name), int(revision.name[1:]), facts, files)
    (revision / "manifest.json").write_bytes(data)


def export(settings: Settings, format_name: str, out: Path | None = None, **more: object) -> Facts:
    """Export the list of :data:`MONTH`, by default to a file in the parent folder of the home."""
    request = ExportRequest(**{"period": MONTH, "format": format_name, **more})
    return workflow.export(settings, request, out or settings.home.parent)


def imported(
    path: Path, month: Period = MONTH, time_control: str | None = None, columns: list[str] = READ_BACK
) -> pl.DataFrame:
    """Read the rated players with our importer, in the columns that a published list has too."""
    batches = [batch.rows for batch in list_reader.read(path, month=month, time_control=time_control)]
    return pl.concat(batches).filter(pl.col("rating").is_not_null()).select(columns).sort("time_control", "fide_id")


def same(*lists: pl.DataFrame, columns: list[str] = READ_BACK) -> pl.DataFrame:
    """Return what :func:`imported` should return for published ``lists``."""
    return pl.concat(lists).select(columns).sort("time_control", "fide_id")


def _texts(letters: st.SearchStrategy[str], most: int) -> st.SearchStrategy[str]:
    # A character that is not seen, and a blank of another width, are not in a list that was imported.
    seen = letters.filter(
        lambda letter: not first_forbidden_in_written_text(letter) and with_plain_blanks(letter) == letter
    )
    return st.text(seen, max_size=most).map(str.strip)


def players(letters: st.SearchStrategy[str]) -> st.SearchStrategy[list[dict[str, object]]]:
    """Draw up to five players whose names are made of ``letters``, with any title, flag and rating a list may have."""
    women = st.sampled_from([("F", "w"), ("F", "wi"), ("M", ""), ("M", "i"), ("", "")])
    facts = st.builds(
        lambda woman, **values: values | {"sex": woman[0], "flag": woman[1]},
        woman=women,
        fide_id=st.integers(1, 99_999_999_999),
        name=_texts(letters, 40),
        federation=st.sampled_from(["ITA", "ORV", "NON", ""]),
        title=st.sampled_from(["", "GM", "IM", "FM", "CM", "WGM", "WFM"]),
        women_title=st.sampled_from(["", "WGM", "WIM", "WFM", "WCM"]),
        other_titles=st.sampled_from(["", "FA", "FA,FT,IO", "FI,LSI"]),
        rating=st.integers(1, 4000),
        games=st.integers(0, 999),
        k=st.sampled_from([10, 15, 20, 30, 40]),
        birth_year=st.one_of(st.none(), st.integers(1850, 2025)),
    )
    return st.lists(facts, min_size=1, max_size=5, unique_by=lambda values: values["fide_id"])
