"""What ``DIFF.md`` says of a revision."""

import polars as pl

from ratinglist.corrections.diff import diff_document
from ratinglist.pages.document import as_markdown
from ratinglist.period import Period
from ratinglist.summaries import RevisedMonth
from ratinglist.tables import DIFF


def test_a_revision_in_which_no_rating_differs_says_so():
    assert as_markdown(diff_document(DIFF.empty(), Period.parse("2025-11"), 2, [], {})) == (
        "# The list of 2025-11, revision 2: what changed against revision 1\n\n"
        "- no player of a list differs; other tables do, such as the results that wait for a first rating\n\n"
        "## Corrections behind it\n\n"
        "None reaches what differs. Each row says what is behind it, where it is known.\n\n"
        "## Players who differ\n\n"
        "None.\n"
    )


def test_a_player_whose_ratings_fell_in_two_time_controls_fell_once():
    players = pl.DataFrame({"fide_id": [1, 1, 2], "difference": [-40, -26, 20]})
    text = RevisedMonth.of(Period.parse("2025-11"), "r1", players).text()
    assert text == "2025-11  r1: 2 players differ, 1 rose, 1 fell, by at most 40"
