"""The names of the players who are on no list: in the published files, in `explain`, and as the office knows them."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from ratinglist.config import Settings
from ratinglist.period import Period
from ratinglist.schemas import LISTS, UNRATED
from ratinglist.workflows import import_files, publish, sql
from ratinglist.workflows.explain import explain
from tests import conftest
from tests.conftest import unpublish

DECEMBER = Period.parse("2025-12")
REVISION = "2025-12/r1"
NOT_REGISTERED = 99900641
"""A FIDE ID of the sample that no register has: the report with it waits."""


def named(revision: Path) -> pl.DataFrame:
    return pl.read_parquet(revision / "unrated.parquet")


def test_a_month_names_exactly_its_players_who_are_on_no_list(published):
    revisions = sorted(published.glob("*/r1"))
    counts = []
    for revision in revisions:
        tables = {path.stem: pl.read_parquet(path) for path in revision.glob("*.parquet")}
        listed = {one for name in LISTS if name in tables for one in tables[name]["fide_id"]}
        seen = {one for name in ("games", "entries", "pool") for one in tables[name]["fide_id"]}
        rows = named(revision)
        assert rows.schema == UNRATED.schema
        assert rows["fide_id"].to_list() == sorted(seen - listed - {NOT_REGISTERED})
        assert (rows["name"] != "").all()
        counts.append(rows.height)
    assert min(counts) > 0


def test_explain_names_an_unrated_player_and_an_unrated_opponent(published, rated):
    games = pl.read_parquet(published / REVISION / "games.parquet")
    game = games.join(named(published / REVISION), on="fide_id").row(0, named=True)
    own, other = (explain(rated, one, DECEMBER).text() for one in (game["fide_id"], game["opponent_id"]))
    assert own.startswith(f"{game['name']} ({game['fide_id']}, {game['federation']}), list of 2025-12")
    assert game["name"] in other


@pytest.mark.thorough
def test_names_are_as_the_office_knows_them_when_it_publishes(rated: Settings, tmp_path: Path):
    before = named(rated.published / REVISION)
    fide_id = before.item(0, "fide_id")
    unpublish(rated, "2025-12")
    players = tmp_path / "players.csv"
    players.write_text(f'fide_id,name,federation\n{fide_id},"Known, Better",ORV\n', encoding="utf-8")
    import_files.import_players(rated, players, because={"unlike_name": "the player has another name now"})
    publish.publish(rated, DECEMBER)
    changed = named(rated.published / REVISION).filter(pl.col("fide_id") == fide_id)
    assert changed["name"].to_list() == ["Known, Better"]


@pytest.mark.thorough
def test_an_office_may_leave_the_names_out(rated: Settings):
    fide_id = named(rated.published / REVISION).item(0, "fide_id")
    unpublish(rated, "2025-12")
    (rated.home / "office.toml").write_text('[fields.without]\nunrated = ["name", "federation"]\n', encoding="utf-8")
    settings = conftest.office(rated.home)
    publish.publish(settings, DECEMBER)
    assert named(settings.published / REVISION).columns == ["fide_id"]
    text = explain(settings, fide_id, DECEMBER).text()
    assert text.startswith(f"Player ({fide_id}), list of 2025-12")
    assert "unrated.name" in text


@pytest.mark.parametrize("has_file", [True, False])
def test_sql_reads_months_with_and_without_the_table(rated: Settings, has_file: bool):
    if not has_file:
        for path in rated.published.glob("*/r1/unrated.parquet"):
            path.unlink()
    found = sql.run(rated.published, "select count(*) as rows, count(distinct list_month) as months from unrated")
    assert found.item(0, "months") == (4 if has_file else 0)
