"""Who plays whom: a Swiss in score groups and the Berger tables. Players are start numbers, from 1."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Standing:
    """What pairing the next round of a Swiss asks of a player."""

    number: int
    halves: int = 0
    opponents: set[int] = field(default_factory=set)
    colours: str = ""
    had_bye: bool = False

    @property
    def balance(self) -> int:
        """Games with White less games with Black."""
        return self.colours.count("w") - self.colours.count("b")

    @property
    def due(self) -> str:
        """The colour the player should get next; empty before the first game."""
        if self.balance:
            return "b" if self.balance > 0 else "w"
        return {"w": "b", "b": "w", "": ""}[self.colours[-1:]]

    @property
    def must(self) -> bool:
        """Whether the other colour would be a third one in a row or a balance of three."""
        return abs(self.balance) >= 2 or self.colours[-2:] in ("ww", "bb")


def swiss_round(present: list[Standing]) -> tuple[list[tuple[int, int]], int | None]:
    """The pairs (White, Black) of the next round and who gets the pairing-allocated bye, if anybody.

    Within a score group the upper half meets the lower half; nobody meets twice, nobody gets two byes and no
    colour is due to both beyond what :attr:`Standing.must` allows, unless there is no other way.
    """
    order = sorted(present, key=lambda one: (-one.halves, one.number))
    bye = None
    if len(order) % 2:
        bye = next(one for one in reversed(order) if not one.had_bye)
        order.remove(bye)
    pairs = _pairs(order, strict=True) or _pairs(order, strict=False)
    if pairs is None:
        raise ValueError("no pairing is left: fewer rounds or more players are needed")
    return [_colours(a, b, board) for board, (a, b) in enumerate(pairs)], bye.number if bye else None


def _pairs(order: list[Standing], *, strict: bool) -> list[tuple[Standing, Standing]] | None:
    if not order:
        return []
    top, rest = order[0], order[1:]
    half = sum(one.halves == top.halves for one in order) // 2
    choices = sorted(
        (one for one in rest if one.number not in top.opponents and not (strict and _clash(top, one))),
        key=lambda one: (top.halves - one.halves, top.due == one.due != "", abs(rest.index(one) + 1 - max(half, 1))),
    )
    for partner in choices:
        below = _pairs([one for one in rest if one is not partner], strict=strict)
        if below is not None:
            return [(top, partner), *below]
    return None


def _clash(a: Standing, b: Standing) -> bool:
    return a.must and b.must and a.due == b.due


def _colours(a: Standing, b: Standing, board: int) -> tuple[int, int]:
    """The stronger claim gets its colour; without one White alternates from board to board."""
    if not a.due and not b.due:
        white = a if board % 2 == 0 else b
    else:
        claimant = max((a, b), key=lambda one: (one.must, abs(one.balance), one.due != "", one is a))
        other = b if claimant is a else a
        white = claimant if claimant.due == "w" else other
    return (a.number, b.number) if white is a else (b.number, a.number)


def berger(players: int) -> list[list[tuple[int, int]]]:
    """Every round of the Berger table for an even number of players: pairs (White, Black), board by board."""
    last, around = players, players - 1
    rounds = []
    for turn in range(around):
        # from round to round every number but the last one moves on by half the players
        move = {number: (number - 1 + turn * players // 2) % around + 1 for number in range(1, last)}
        first = (move[1], last) if turn % 2 == 0 else (last, move[1])
        rounds.append([first, *((move[a], move[last + 1 - a]) for a in range(2, players // 2 + 1))])
    return rounds
