# %% [markdown]
# # Does the pool inflate?
#
# The mean rating of a list moves for three reasons: who was on both lists gained or lost, new players came below or
# above the mean, and others left. Each month is taken apart into these three, for one time control.

# %%
import sys

import polars as pl

from ratinglist.published import open_published

published = open_published(sys.argv[1] if len(sys.argv) > 1 else "ratinglist-home/published")
lists = published.table("lists").filter(time_control="standard").select("list_month", "fide_id", "rating")

# %%
rows = []
for before, after in zip(published.months, published.months[1:], strict=False):
    old, new = lists.filter(list_month=before), lists.filter(list_month=after)
    both = old.join(new, on="fide_id", suffix="_new")
    rows.append(
        {
            "list": after,
            "players": new.height,
            "mean": new["rating"].mean(),
            "by_games": both["rating_new"].mean() - both["rating"].mean(),
            "by_new_players": new["rating"].mean() - both["rating_new"].mean(),
            "by_who_left": both["rating"].mean() - old["rating"].mean(),
        }
    )
moved = pl.DataFrame(rows).with_columns(pl.col(pl.Float64).round(2))

# %% [markdown]
# The last three columns add up to the movement of the mean. Only `by_games` is inflation in the strict sense: points
# that the same players have more than they had.

# %%
print(moved.write_csv(separator="\t"), end="")
