"""The laboratory finds what was planted: in a simulated world the strengths are known, so the better system is too."""

import json
from pathlib import Path

import polars as pl
import pytest

from ratinglist.period import Period
from ratinglist.rating.expected_models import logistic
from ratinglist_lab.replay import Replay
from ratinglist_world import plan, simulate
from tests.command_line import ratinglist


def predicted(games: pl.DataFrame, strengths: pl.DataFrame, wrong: int) -> pl.DataFrame:
    """Predictions by the strengths, ``wrong`` points too high for one half of the players, too low for the other."""
    side = 2 * (pl.col("fide_id") // 2 % 2) - 1
    points = strengths.select("fide_id", points=pl.col("strength") + wrong * side)
    for colour in ("white", "black"):
        own = points.rename({"fide_id": f"{colour}_id", "points": colour})
        games = games.join(own, on=f"{colour}_id", how="left", maintain_order="left")
    return games.with_columns(expected=logistic(pl.col("white") - pl.col("black")))


@pytest.mark.long
def test_the_better_system_wins_and_two_equal_ones_do_not_differ(tmp_path: Path):
    months = 8
    world = plan.world_of(1500, Period.parse("2025-05"), 3, 8, ())
    folder, home = tmp_path / "world", tmp_path / "home"
    simulate.simulate(folder, world, months)
    federation = simulate.federation_of(world)
    for _ in range(months // 2):
        federation.next_month()
    known = [(player.fide_id, player.strength) for player in federation.players]
    strengths = pl.DataFrame(known, schema={"fide_id": pl.Int64, "strength": pl.Int64}, orient="row")
    for arguments in (
        ("import-list", folder / "list-2025-04.csv", "--month", "2025-04"),
        *(("import-players", one) for one in sorted(folder.glob("players-*.csv"))),
        ("load", folder / "reports"),
        ("lab", "replay", "--systems", "fide,glicko", "--from", "2025-05", "--to", "2025-12"),
    ):
        shown = ratinglist(*arguments, home=home)
        assert shown.returncode == 0, shown.stderr
    (replayed,) = (home / "lab").glob("*/standard-list/glicko")
    tables = []
    for name, wrong in (("known", 0), ("up", 90), ("down", -90)):
        tables.append(tmp_path / f"{name}.parquet")
        predicted(Replay(replayed).predictions, strengths, wrong).write_parquet(tables[-1])
    systems = ",".join(["fide", "glicko", *map(str, tables)])
    months = ("--from", "2025-05", "--to", "2025-12")
    shown = ratinglist("lab", "report", "--systems", systems, *months, "--out", tmp_path / "out", "--json", home=home)
    found = json.loads(shown.stdout)
    by_pair = {
        (row["system"], row["reference"]): row
        for row in found["differences"]
        if (row["measure"], row["grouping"]) == ("log_loss", "all")
    }
    for worse in ("fide", "glicko", "up", "down"):
        assert by_pair["known", worse]["high_millionths"] < 0, worse
    assert by_pair["up", "down"]["low_millionths"] < 0 < by_pair["up", "down"]["high_millionths"]
    assert by_pair["up", "down"]["games"] > 5000
