# %% [markdown]
# # Who gained most, and was anything corrected?
#
# The questions of a journalist at the end of a year: the players with the largest gains in all lists, the games of
# the first included, and what the office corrected after it had published it.

# %%
import sys

import polars as pl

from ratinglist.published import open_published

published = open_published(sys.argv[1] if len(sys.argv) > 1 else "ratinglist-home/published")
first, last = published.months[0], published.months[-1]

# %%
changed = published.table("changes").filter(time_control="standard").sort("list_month")
gains = (
    changed.group_by("fide_id")
    .agg(before=pl.col("old_rating").first(), after=pl.col("new_rating").last())
    .with_columns(gained=pl.col("after") - pl.col("before"))
    .drop_nulls("gained")
    .join(published.table("lists", last).filter(time_control="standard"), on="fide_id")
    .select("fide_id", "gained", "name", "before", "after")
    .sort("gained", "fide_id", descending=[True, False])
)
print(f"Standard, the lists of {first} to {last}")
print(gains.head(5).write_csv(separator="\t"), end="")

# %% [markdown]
# A list is corrected by a new revision. `diff` has each player whom it changed, and through what; the reasons of the
# office are in words in `DIFF.md` of that revision.

# %%
corrected = published.table("diff").select("list_month", "name", "old_rating", "new_rating", "because")
print("Corrected: nothing" if corrected.is_empty() else corrected.write_csv(separator="\t"))
