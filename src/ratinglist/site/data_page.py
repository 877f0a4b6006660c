"""Make the page of the files that readers may download: what is in each, and how to query them with DuckDB."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from ratinglist.publication.data_package import DATA_PACKAGE
from ratinglist.site.folder import Download
from ratinglist.site.frame import Frame
from ratinglist.site.published_months import PublishedMonth

FILE = "data.html"
_QUERIES: Mapping[str, tuple[Sequence[str], str]] = {
    "data_query_gains": (
        ("changes", "list"),
        """select name, federation, old_rating, new_rating, change
from '{changes}'
join '{list}' using (time_control, fide_id)
where status = 'rated' order by change desc limit 10;""",
    ),
    "data_query_young": (
        ("list",),
        """select name, federation, birth_year, rating from '{list}'
where birth_year >= {year} order by rating desc limit 10;""",
    ),
    "data_query_upsets": (
        ("games", "events"),
        """select fide_id, opponent_id, rating, opponent_rating, events.name
from '{games}'
join '{events}' as events using (event_id)
where rated and score_halves = 2 order by opponent_rating - rating desc limit 10;""",
    ),
}
"""The tables that each query needs, and the query; its text by the name of the sentence that states the question."""
_U16 = 16
_FOR_PAIRING = ("smanager_", "vega_", "players_list.")
"""How the names of the files begin that pairing programs read."""


def data_page(frame: Frame, month: PublishedMonth, downloads: Sequence[Download]) -> str:
    """Return the page of the downloads of the newest month; without any it says so."""
    by_name = {one.name: one for one in downloads}
    address = frame.address or "ADDRESS/"
    tables = {"list": month.controls[0], **{one: one for one in ("changes", "games", "events")}}
    places = {
        name: address + by_name[f"{stem}.parquet"].address
        for name, stem in tables.items()
        if f"{stem}.parquet" in by_name
    }
    year = month.period.first_day.year - _U16
    package = month.folder / DATA_PACKAGE
    resources = json.loads(package.read_bytes())["resources"] if DATA_PACKAGE in by_name else []
    return frame.page(
        "data.html",
        file=FILE,
        for_pairing=[one for begin in _FOR_PAIRING for one in downloads if one.name.startswith(begin)],
        files_head=frame.head("file", "bytes#"),
        files=[[(one.name, one.address), frame.language.whole(one.bytes)] for one in downloads],
        queries=[
            (frame.text(key), query.format(**places, year=year))
            for key, (needed, query) in _QUERIES.items()
            if places.keys() >= set(needed)
        ],
        columns_head=frame.head("data_column", "data_type@", "data_meaning^"),
        tables=[
            (
                one["name"],
                one["title"],
                [[field["name"], field["type"], field["description"]] for field in one["schema"]["fields"]],
            )
            for one in resources
            if one["format"] == "parquet"
        ],
    )
