"""Write the lists of all months as data files, and the page of each of the newest."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from ratinglist.site import pages, player_data
from ratinglist.site.folder import SiteFolder
from ratinglist.site.frame import Frame
from ratinglist.site.home_page import MONTHS_OF_LINE, NewestList
from ratinglist.site.published_months import PublishedMonth
from ratinglist.site.request import Request
from ratinglist.tables import LISTED

EARLIER_ROWS = 100_000
"""Up to so many players an earlier list is kept as a list; of a longer one there is the page of its month."""


class PublishedLists:
    """The lists of a site. ``newest``: what the first page shows of each of the newest month's."""

    def __init__(self, folder: SiteFolder, request: Request, frame: Frame, keys: Mapping[str, str]) -> None:
        """Begin without lists; ``keys``: what the data files of each month state that they are of."""
        self._folder, self._request, self._frame, self._keys = folder, request, frame, keys
        self._newest_month = [month for month in request.months if month.is_shown][-1]
        self.newest: list[NewestList] = []

    def write(self, month: PublishedMonth, control: str) -> dict[str, int]:
        """Write a list, and return the players of each of its parts; none of an earlier list that is too long."""
        is_newest = month is self._newest_month
        if not is_newest and month.rows(control) > EARLIER_ROWS:
            return {}
        lists = self._request.lists(month).filter(pl.col("time_control") == control)
        rows = player_data.with_change(lists, self._before(month, control))
        files, contents = player_data.list_files(rows)
        names = (f"{part}/{number}" for part, number, _ in files.iter_rows())
        named = ((name, content) for name, (_, content) in zip(names, contents, strict=True))
        self._folder.write_all(f"l/{month.name}/{control}", self._keys[month.name], named)
        if is_newest:
            years = self._request.birth_years
            page = pages.list_page(self._frame, control, month.controls, rows, birth_years=years)
            self._folder.write_text(f"list-{control}.html", page)
            top = pages.highest(rows)
            self.newest.append(NewestList(control, top, rows.height, self._year_of(control, top["fide_id"])))
        counts = files.group_by("part", maintain_order=True).agg(pl.col("rows").sum())
        return dict(counts.iter_rows()) | {player_data.ALL: rows.height}

    def _before(self, month: PublishedMonth, control: str) -> pl.DataFrame:
        name = month.before.get(control)
        found = next((one for one in self._request.months if one.name == name), None)
        columns = ["fide_id", "rating"]
        if name is None:
            return LISTED.empty().select(columns)
        if found is None or control not in found.controls:
            return self._before_by_changes(month, control)
        return found.table(control, columns)

    def _before_by_changes(self, month: PublishedMonth, control: str) -> pl.DataFrame:
        """Return the ratings before a list that began from one that is not published: they follow from the changes."""
        of_changes = ["time_control", "fide_id", "old_rating", "status"]
        changes = month.table("changes", of_changes).filter(pl.col("time_control") == control)
        return (
            month.table(control, ["fide_id", "rating"])
            .join(changes, on="fide_id", how="left", maintain_order="left")
            .filter(pl.col("status").ne_missing("entered"))
            .select("fide_id", pl.coalesce("old_rating", "rating").alias("rating"))
        )

    def _year_of(self, control: str, ids: pl.Series) -> dict[int, list[int | None]]:
        """Return the ratings of a few players on the last twelve lists, the oldest first."""
        ratings = []
        for month in self._request.months[-MONTHS_OF_LINE:]:
            listed = month.table(control, ["fide_id", "rating"]).filter(pl.col("fide_id").is_in(ids.implode()))
            ratings.append(dict(listed.iter_rows()))
        return {fide_id: [of.get(fide_id) for of in ratings] for fide_id in ids}
