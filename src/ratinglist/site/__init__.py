"""A static site of everything published: pages, and data files that a browser reads.

What other packages use stands here: :func:`months_of_site` reads what is published, and :func:`build_site` writes a
:class:`Request` into a :class:`SiteFolder`.
"""

from ratinglist.site.build import build_site
from ratinglist.site.event_data import Standings
from ratinglist.site.folder import SiteFolder
from ratinglist.site.published_months import PublishedMonth, months_of_site
from ratinglist.site.request import Request
from ratinglist.site.texts import ENGLISH, SiteTexts, parse_texts

__all__ = [
    "ENGLISH",
    "PublishedMonth",
    "Request",
    "SiteFolder",
    "SiteTexts",
    "Standings",
    "build_site",
    "months_of_site",
    "parse_texts",
]
