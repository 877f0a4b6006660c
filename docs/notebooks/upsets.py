# %% [markdown]
# # How often does the favourite win?
#
# Rated games by the difference of the ratings, seen from the favourite. Where the share scored is below the share
# expected, the ratings are spread too wide.

# %%
import sys

import polars as pl

from ratinglist.published import open_published

published = open_published(sys.argv[1] if len(sys.argv) > 1 else "ratinglist-home/published")
# A game has two rows, one for each player: the favourite's has a difference above zero.
favourites = published.table("games").filter(pl.col("rated") & (pl.col("difference") > 0))

# %%
steps = pl.DataFrame({"from": [1, 51, 101, 151, 201, 301, 401], "to": [50, 100, 150, 200, 300, 400, None]})
table = (
    favourites.cast({"difference": pl.Int64})
    .sort("difference")
    .join_asof(steps, left_on="difference", right_on="from")
    .group_by("from", "to")
    .agg(
        games=pl.len(),
        won=(pl.col("score_halves") == 2).sum(),
        drawn=(pl.col("score_halves") == 1).sum(),
        lost=(pl.col("score_halves") == 0).sum(),
        scored=(pl.col("score_halves").mean() / 2).round(3),
        expected=(pl.col("expected_hundredths").mean() / 100).round(3),
    )
    .sort("from")
)

# %%
print(table.write_csv(separator="\t"), end="")
