"""What the pages say of a correction: read from what is published of it, in words of a reader, with links."""

from __future__ import annotations

from pathlib import Path

import pytest

from ratinglist.corrections.diff import diff_document
from ratinglist.pages.markdown import as_markdown
from ratinglist.period import Period
from ratinglist.site import correction_page
from ratinglist.site.cells import Words
from ratinglist.site.correction_page import Correction, Known
from ratinglist.site.texts import parse_texts
from ratinglist.tables import DIFF

ENGLISH = parse_texts((Path(__file__).resolve().parents[2] / "data/site/en.toml").read_text(encoding="utf-8"))
KNOWN = Known("2025-06", {"ORV1/2025-05-01": "Grünmar <Cup>"}, {7: "Daskby, João"}, {1: "2025-05", 2: "2025-06"})


def test_the_reason_and_the_day_are_those_of_the_report_on_the_revision(tmp_path, monkeypatch):
    """A reason that Markdown escapes is read as it was written."""
    monkeypatch.setattr(correction_page.published_files, "verified_files", lambda folder, names: None)
    reason = "the *arbiter* | had swapped [1] & [2]"
    corrections = [
        {"correction_no": 3, "what": "change", "reason": reason, "who": "M. Ortega", "reported_on": "2025-05-20"},
        {"correction_no": 4, "what": "change", "reason": "another", "who": "", "reported_on": "2025-05-21"},
    ]
    text = as_markdown(diff_document(DIFF.empty(), Period.parse("2025-05"), 2, corrections, {}, behind=[3]))
    (tmp_path / "DIFF.md").write_text(text, encoding="utf-8")
    assert correction_page.corrections_behind(tmp_path) == [Correction(3, reason, "2025-05-20")]
    assert correction_page.corrections_behind(tmp_path / "none") == []


EVENT = '<a href="event.html#2025-06/ORV1%2F2025-05-01">Grünmar &lt;Cup&gt;</a>, round 4: '


@pytest.mark.parametrize(
    ("cause", "because", "corrections", "said"),
    [
        (
            "game",
            "round 4 of ORV1/2025-05-01: result corrected from 0 to 1",
            "2",
            EVENT + "result corrected from 0 to 1",
        ),
        (
            "opponent",
            "round 4 of ORV1/2025-05-01: rating of the opponent 7 corrected from 1673 to 1633",
            "1",
            EVENT + "rating of the opponent Daskby, João corrected from 1673 to 1633",
        ),
        (
            "list_before",
            "rating on the 2025-05 list corrected to 1592",
            "1, 2",
            '<a href="corrections.html#2025-05">follows from the correction to the list of May 2025</a>',
        ),
        ("list_before", "removed from the 2025-05 list", "", "removed from the 2025-05 list"),
        ("rules", "rule file <b> changed", "", "rule file &lt;b&gt; changed"),
    ],
)
def test_a_sentence_names_the_event_the_opponent_or_the_list_with_which_it_began(cause, because, corrections, said):
    row = {"cause": cause, "because": because, "corrections": corrections}
    assert correction_page.because(Words(ENGLISH), row, KNOWN) == said
