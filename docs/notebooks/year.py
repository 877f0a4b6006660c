# %% [markdown]
# # Who gained most, and was anything corrected?
#
# The questions of a journalist at the end of a year: the players with the largest gains from the first list to the
# last, and what the office corrected after it had published it.

# %%
import sys

import polars as pl

from ratinglist.published import open_published

published = open_published(sys.argv[1] if len(sys.argv) > 1 else "ratinglist-home/published")
first, last = published.months[0], published.months[-1]

# %%
gains = (
    published.table("lists", first)
    .join(published.table("lists", last), on=["time_control", "fide_id"], suffix="_last")
    .filter(time_control="standard")
    .with_columns(gained=pl.col("rating_last") - pl.col("rating"))
    .select("fide_id", "gained", name="name_last", first="rating", last="rating_last")
    .sort("gained", "fide_id", descending=[True, False])
)
print(f"Standard, from {first} to {last}")
print(gains.head(5).write_csv(separator="\t"), end="")

# %% [markdown]
# A list is corrected by a new revision. `diff` has each player whom it changed, and why.

# %%
corrected = published.table("diff").select("list_month", "name", "old_rating", "new_rating", "because")
print("Corrected: nothing" if corrected.is_empty() else corrected.write_csv(separator="\t"))
