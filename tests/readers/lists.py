"""The lists that are exported for the readers: names, titles and figures that readers have lost."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from ratinglist.settings import Settings
from ratinglist.tables import LISTED
from ratinglist_world.people import Dice, name_of
from tests.unit.exports.lists import export, listed, player, publish

PLAYERS = 400
ODD = [
    {"name": "Ødegård, Åse", "sex": "F", "women_title": "WGM", "other_titles": "FA,FI,FST,DI,NI", "flag": "w"},
    {"name": "Пешкаев, Остап", "title": "IM", "birth_year": None},
    {"name": "O'Brien-Ó Sé, Seán", "other_titles": "IA,IO"},
    {"name": "Müller-Söhne, J. (jun.)", "title": "FM"},
    {"name": "Abdul-Rahman Al Wasiti Bin Yahya Bin Muhammad Al Farisi, Hasan Ali"},
    {"name": "Mononym", "federation": "FID"},
    {"name": "Nair; Anand, Q|R", "rating": 2800, "k": 10, "games": 27},
    {"name": "Đặng, Thị Hương", "sex": "F", "title": "WFM", "flag": "wi"},
    {"name": "Zażółć, Gęślą", "rating": 1400, "k": 40, "games": 110, "flag": "i"},
    {"name": "de la Cruz,Ana María", "fide_id": 2_147_483_000, "federation": "KEL"},
]
"""Values of players that readers of FIDE's files were found to lose. The last ID fits today's text alone."""


def lists() -> dict[str, list[dict[str, object]]]:
    """Return the rows of three lists in their published order, by time control."""
    dice = Dice("readers")
    ordinary = [
        player(
            *(1_000_000 + 7 * at, name_of(dice, woman=at % 5 == 0)),
            rating=1400 + at * 37 % 1300,
            games=at % 12,
            k=(10, 20, 40)[at % 3],
            sex="F" if at % 5 == 0 else "M",
            birth_year=1940 + at % 75,
            flag="w" if at % 5 == 0 else "",
        )
        for at in range(1, PLAYERS + 1)
    ]
    odd = [player(**{"fide_id": 5000 + at, **values}) for at, values in enumerate(ODD)]
    every = [*odd, *ordinary]
    parts = {"standard": every, "rapid": every[::2], "blitz": [*every[1::3], player(9001, "Blitz, Ben")]}
    return {name: listed(*rows, time_control=name).to_dicts() for name, rows in parts.items()}


def office_of(folder: Path, rows: dict[str, list[dict[str, object]]]) -> Settings:
    """Return an office in ``folder`` that has published these lists."""
    now = [LISTED.sorted(pl.DataFrame(standing, schema=LISTED.schema)) for standing in rows.values()]
    return publish(folder / "home", *now)


def exported(settings: Settings, folder: Path, format_name: str, **options: object) -> Path:
    """Return the file of an export."""
    return Path(export(settings, format_name, folder, **options).values["file"])
