# %% [markdown]
# # One federation against another
#
# Rated games between players of different federations: if one federation scores more against the others than its
# ratings say, its ratings are too low compared with theirs.

# %%
import sys

import polars as pl

from ratinglist.published import open_published

published = open_published(sys.argv[1] if len(sys.argv) > 1 else "ratinglist-home/published")
keys = ["list_month", "time_control"]
home = published.table("lists").select(*keys, "fide_id", "federation")
games = (
    published.table("games")
    .filter("rated")
    .join(home, on=[*keys, "fide_id"])
    .join(home.rename({"fide_id": "opponent_id", "federation": "against"}), on=[*keys, "opponent_id"])
    .filter(pl.col("federation") != pl.col("against"))
)

# %%
table = (
    games.group_by("federation", "against")
    .agg(
        games=pl.len(),
        scored=pl.col("score_halves").sum() / 2,
        expected=(pl.col("expected_hundredths").sum() / 100).round(2),
    )
    .with_columns(per_game=((pl.col("scored") - pl.col("expected")) / pl.col("games")).round(3))
    .sort("federation", "against")
)

# %%
print(table.write_csv(separator="\t"), end="")
