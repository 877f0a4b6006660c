"""Call py4swiss: pair a tournament round by round and write its report, or read reports and print what was read.

``generate FILE PLAYERS ROUNDS`` or ``read FILE...``.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

from py4swiss.engines import DutchEngine
from py4swiss.trf import ParsedTrf, TrfParser
from py4swiss.trf.codes import PlayerCode
from py4swiss.trf.results import ColorToken, ResultToken, RoundResult
from py4swiss.trf.sections import PlayerSection, TournamentSection, XSection
from py4swiss.trf.sections.abstract_section import Date
from py4swiss.trf.sections.player_section import Sex

SCORES = {"1": 10, "=": 5, "0": 0, "U": 10}


def generate(file: str, players: int, rounds: int) -> None:
    """Write the report of a tournament whose rounds the engine has paired, one day each."""
    chance = random.Random(1)
    sections = [
        PlayerSection(
            code=PlayerCode.PLAYER,
            starting_number=number,
            sex=Sex.MALE,
            name=f"Player, No {number}",
            fide_rating=2400 - 10 * number,
            fide_federation="ITA",
            fide_number=900000 + number,
            birth_date=Date(year=1990, month=5, day=17),
            points_times_ten=0,
            rank=number,
        )
        for number in range(1, players + 1)
    ]
    days = [Date(year=24, month=4, day=day + 1) for day in range(rounds)]
    head = TournamentSection(
        tournament_name="Paired Open",
        city="Riverton",
        federation="ITA",
        date_of_start="2024/04/01",
        date_of_end=f"2024/04/{rounds:02}",
        type_of_tournament="Individual: Swiss-System",
        chief_arbiter="Arbiter, Anna",
        alloted_time_per_moves_game="90 minutes + 30 seconds",
        dates_of_the_round=days,
    )
    trf = ParsedTrf(player_sections=sections, tournament_section=head, x_section=XSection(number_of_rounds=rounds))
    for _ in range(rounds):
        for pair in DutchEngine.generate_pairings(trf):
            white, black = pair.white, pair.black
            if not black or not white:
                _add(sections, white or black, 0, ColorToken.BYE_OR_NOT_PAIRED, "U")
                continue
            result = chance.choice("1=0")
            _add(sections, white, black, ColorToken.WHITE, result)
            _add(sections, black, white, ColorToken.BLACK, {"1": "0", "=": "=", "0": "1"}[result])
    trf.write_to_file(Path(file))


def _add(sections: list[PlayerSection], number: int, opponent: int, colour: ColorToken, result: str) -> None:
    player = sections[number - 1]
    player.results.append(RoundResult(id=opponent, color=colour, result=ResultToken(result)))
    player.points_times_ten += SCORES[result]


def read(*files: str) -> None:
    """Print the players of each report, with their points and the games they played."""
    printed = {}
    for file in files:
        sections = TrfParser.parse(Path(file)).player_sections
        printed[file] = [
            [player.fide_number, player.points_times_ten, sum(each.result.value in "1=0" for each in player.results)]
            for player in sections
        ]
    sys.stdout.write(json.dumps(printed))


if __name__ == "__main__":
    command, *arguments = sys.argv[1:]
    if command == "generate":
        generate(arguments[0], *map(int, arguments[1:]))
    else:
        read(*arguments)
