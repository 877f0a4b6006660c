"""What ``DIFF.md`` says of a revision."""

from ratinglist.corrections.diff import diff_document
from ratinglist.pages.document import as_markdown
from ratinglist.period import Period
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
