"""Generic Elo by elote: one object for each player."""

from __future__ import annotations

from pathlib import Path

from elote import EloCompetitor

from benchmarks.peers.elo_plain import K, games_of, start_of, write


def rate(folder: Path, out: Path) -> None:
    """Read the games, rate them one after the other, write every player's rating."""
    games = games_of(folder)
    players = {
        fide_id: EloCompetitor(initial_rating=float(rating), k_factor=K)
        for fide_id, rating in start_of(games).iter_rows()
    }
    for white, black, score in games.select("white_id", "black_id", "score").iter_rows():
        if score == 1:
            players[white].beat(players[black])
        elif score == 0:
            players[black].beat(players[white])
        else:
            players[white].tied(players[black])
    write(out, list(players), [player.rating for player in players.values()])
