# %% [markdown]
# # Do juniors gain from the rest?
#
# A junior is a player in the year of his 20th birthday or younger. For each group: rated games, the points scored
# above the expected score, and what the ratings gained, after K.

# %%
import sys

import polars as pl

from ratinglist.published import open_published

published = open_published(sys.argv[1] if len(sys.argv) > 1 else "ratinglist-home/published")
# Of any list: whom the month itself took off the list is on the lists before.
lists = published.table("lists").drop_nulls("birth_year").sort("list_month")
born = lists.select("fide_id", "birth_year").unique("fide_id", keep="last")
games = published.table("games").filter("rated").join(born, on="fide_id", how="left")

# %%
year = pl.col("list_month").str.head(4).cast(pl.Int32)
age = year - pl.col("birth_year")
group = (
    pl.when(age.is_null())
    .then(pl.lit("birth year not known"))
    .when(age <= 12)
    .then(pl.lit("to 12"))
    .when(age <= 20)
    .then(pl.lit("13 to 20"))
    .when(age <= 49)
    .then(pl.lit("21 to 49"))
    .otherwise(pl.lit("from 50"))
)
# Scores are in half points, expected scores and changes in hundredths.
table = (
    games.group_by(group.alias("age"))
    .agg(
        players=pl.col("fide_id").n_unique(),
        games=pl.len(),
        scored=pl.col("score_halves").sum() / 2,
        expected=(pl.col("expected_hundredths").sum() / 100).round(2),
        points_gained=(pl.col("change_hundredths").sum() / 100).round(2),
    )
    .with_columns(above_expected_per_game=((pl.col("scored") - pl.col("expected")) / pl.col("games")).round(3))
    .sort(pl.col("age").replace_strict({"to 12": 0, "13 to 20": 1, "21 to 49": 2, "from 50": 3}, default=4))
)

# %%
print(table.write_csv(separator="\t"), end="")
