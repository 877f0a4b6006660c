"""An analyst's own system: Elo with K 20 and 35 points for White, new players at 1500."""

import polars as pl

from ratinglist.laboratory.own_system import gather, logistic


class Mine:
    name, columns = "mine", {"games": pl.Int32}
    k = 20

    def enter(self, players):
        return players.with_columns(rating=pl.lit(1500.0), games=pl.lit(0))

    def expect(self, ratings, games):
        return logistic(gather(ratings, "rating", games["white"]) - gather(ratings, "rating", games["black"]) + 35)

    def update(self, ratings, month):
        gain = month.sum_by_player(month.score - month.both_sides(self.expect(ratings, month.games)))
        return ratings.with_columns(
            rating=pl.col("rating") + self.k * gain, games=pl.col("games") + month.games_of_player
        )
