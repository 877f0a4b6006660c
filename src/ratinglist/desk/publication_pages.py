"""What is published: the lists, their files for other programs, their proof, letters and the site."""

from __future__ import annotations

from ratinglist.desk.page import Page, Visit
from ratinglist.errors import NothingReadError
from ratinglist.lists.formats import FORMATS
from ratinglist.publication import revisions
from ratinglist.workflows.status import status


def publications(visit: Visit) -> Page:
    """Return the published months, the newest first, with what can be done with all of them."""
    found = status(visit.settings)
    return Page("publications.html", {"published": list(reversed(found.published)), "backup": found.backup})


def publication(visit: Visit) -> Page:
    """Return a published month with its revisions, and the forms for its files."""
    period = visit.period
    found = next((one for one in status(visit.settings).published if one.month == str(period)), None)
    if found is None:
        raise NothingReadError(f"Nothing is published for {period}.")
    folder = visit.settings.published / str(period)
    made = sorted(revisions.number_of(one) for one in folder.glob("r*") if one.is_dir())
    values = {
        "month": str(period),
        "published": found,
        "revisions": made,
        "diffs": [],
        "formats": [(name, one.description) for name, one in FORMATS.items() if not one.compares],
        "can_be_signed": bool(visit.settings.office.publication.signing_key),
    }
    return Page("publication.html", values)
