"""The laboratory finds what was planted: in a simulated world the strengths are known, so the better system is too."""

import json
from pathlib import Path

import pytest

from ratinglist.period import Period
from ratinglist.simulation import people, plan
from ratinglist.workflows import simulate
from tests.command_line import ratinglist

OWN = '''
import polars as pl
from ratinglist.laboratory.own_system import gather, logistic

STRENGTH = pl.read_parquet({path!r})

class Known:
    """Knows the strengths, ``wrong`` points too high for one half of the players and too low for the other."""

    name, columns, wrong = "known", {{}}, 0

    def enter(self, players):
        return players.with_columns(rating=pl.lit(1500.0))

    def expect(self, ratings, games):
        known = ratings.select("fide_id").join(STRENGTH, on="fide_id", how="left", maintain_order="left")
        side = 2 * (pl.col("fide_id") // 2 % 2) - 1
        points = known.select(points=pl.col("strength") + self.wrong * side)
        return logistic(gather(points, "points", games["white"]) - gather(points, "points", games["black"]))

    def update(self, ratings, month):
        return ratings

class Up(Known):
    name, wrong = "up", 90

class Down(Known):
    name, wrong = "down", -90
'''


@pytest.mark.long
def test_the_better_system_wins_and_two_equal_ones_do_not_differ(tmp_path: Path):
    months = 8
    world = plan.world_of(1500, Period.parse("2025-05"), 3, None, ())
    folder, home = tmp_path / "world", tmp_path / "home"
    simulate.simulate(folder, world, months)
    strengths = people.with_strength(people.with_biography(people.numbers(world, months), world), world, months // 2)
    path = tmp_path / "strengths.parquet"
    strengths.select(people.fide_id(), "strength").write_parquet(path)
    own = tmp_path / "own.py"
    own.write_text(OWN.format(path=str(path)), encoding="utf-8")
    for arguments in (
        ("import-list", folder / "list-2025-04.csv", "--month", "2025-04"),
        *(("import-players", one) for one in sorted(folder.glob("players-*.csv"))),
        ("load", folder / "reports"),
        ("lab", "freeze", "--from", "2025-05", "--to", "2025-12"),
        ("lab", "replay", "--systems", f"fide,glicko,{own}:Known,{own}:Up,{own}:Down"),
    ):
        shown = ratinglist(*arguments, home=home)
        assert shown.returncode == 0, shown.stderr
    found = json.loads(ratinglist("lab", "report", "--out", tmp_path / "out", "--json", home=home).stdout)
    by_pair = {
        (row["system"], row["reference"]): row
        for row in found["differences"]
        if (row["measure"], row["grouping"]) == ("log_loss", "all")
    }
    for worse in ("fide", "glicko", "up", "down"):
        assert by_pair["known", worse]["high_millionths"] < 0, worse
    assert by_pair["up", "down"]["low_millionths"] < 0 < by_pair["up", "down"]["high_millionths"]
    assert by_pair["up", "down"]["games"] > 5000
