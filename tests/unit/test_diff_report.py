"""What ``DIFF.md`` says of a revision."""

from ratinglist.corrections import diff_document
from ratinglist.pages.markdown import as_markdown
from ratinglist.period import Period
from ratinglist.schemas import DIFF


def test_a_revision_in_which_no_rating_differs_says_so():
    assert as_markdown(diff_document(DIFF.empty(), Period.parse("2025-11"), 2, [], {})) == (
        "# The list of 2025-11, revision 2: what changed against revision 1\n\n"
        "- no player differs\n\n"
        "## Corrections behind it\n\n"
        "None: reports were received, or players' data changed, later.\n\n"
        "## Players who differ\n\n"
        "None.\n"
    )
