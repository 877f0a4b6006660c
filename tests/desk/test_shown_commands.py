"""The commands that the desk shows."""

from __future__ import annotations

from ratinglist_desk.work import Command


def test_a_date_of_birth_is_not_in_a_command_that_is_shown():
    command = Command(("correct", "player"), ("99900027", "title=GM", "birth_date=1983-11-02"), ("--json",))
    assert command.shown() == "ratinglist correct player 99900027 title=GM birth_date=YYYY-MM-DD"
