"""Read the reports of a zip with the library that is named first, and print each player's games as JSON."""

from __future__ import annotations

import json
import sys
import tempfile
import zipfile
from pathlib import Path

RESULTS = {"W": "1", "D": "=", "L": "0"}


def with_gacrux(file: Path) -> list[dict[str, object]]:
    """Read a report with gacrux, which keeps the two results of each game."""
    from gacrux.trf2json import trf2json

    reader = trf2json()
    reader.parse_file(file.read_text(encoding="utf-8"), 0)
    if reader.chessjson["status"]["code"]:
        raise ValueError(reader.chessjson["status"]["error"])
    event = reader.chessjson["event"]
    (tournament,) = event["tournaments"]
    ids = {profile["id"]: profile["fideId"] for profile in event["profiles"]}
    # The competitors of a team event are teams, with their players.
    every = [player for competitor in tournament["competitors"] for player in competitor.get("cplayers", [competitor])]
    players = {player["cid"]: player for player in every}
    sides = []
    for game in tournament["gameList"]:
        if not game["played"] or not game["white"] or not game["black"]:
            continue
        for colour, other in (("white", "black"), ("black", "white")):
            own = players[game[colour]["cid"]]
            sides.append(
                {
                    "fide_id": ids[own["profileId"]],
                    "rating": own["rating"]["rating"] if own["rating"] else "",
                    "round": game["round"],
                    "opponent_id": ids[players[game[other]["cid"]]["profileId"]],
                    "colour": colour[0],
                    "result": RESULTS[game[colour]["result"]],
                }
            )
    return sides


def with_caissify(file: Path) -> list[dict[str, object]]:
    """Read a report with caissify-pairings."""
    from caissify_pairings.trf import TRFParser

    players = TRFParser(file.read_text(encoding="utf-8")).parse()["players"]
    players = players.values() if isinstance(players, dict) else players
    ids = {player["starting_number"]: player["fide_id"] for player in players}
    return [
        {
            "fide_id": player["fide_id"],
            "rating": player["rating"],
            "round": number,
            "opponent_id": ids[game["opponent"]],
        }
        | {"colour": game["color"], "result": game["result"]}
        for player in players
        for number, game in player["results"].items()
        if game["opponent"] in ids
    ]


READ = {"gacrux": with_gacrux, "caissify_pairings": with_caissify}


def main(library: str, archive: str) -> None:
    """Print the games of all reports of the zip, by player and round."""
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(archive) as files:
        files.extractall(folder)
        rows = [row for file in sorted(Path(folder).glob("*.trf")) for row in READ[library](file)]
    rows.sort(key=lambda row: (int(row["fide_id"]), int(row["round"])))
    sys.stdout.write(json.dumps(rows, default=str))


if __name__ == "__main__":
    main(*sys.argv[1:])
