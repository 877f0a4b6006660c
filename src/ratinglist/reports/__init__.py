"""Tournament reports: finding deliveries, parsing TRF files, and judging each report by its own content.

What other packages use stands here: :func:`find` finds the reports of a delivery, :func:`read_batches` reads their
bytes, and :func:`read` makes validated frames of a batch.
"""

from ratinglist.reports.dates import YOUNGEST, birth_date_problem, dates_in, full_dates, was_born, years_before
from ratinglist.reports.delivered_tables import ALLOWED, ManifestFacts, facts_of_recorded, recorded_report
from ratinglist.reports.discovery import DeliveredFile, Delivery, find, read_batches
from ratinglist.reports.encoding import decode, decode_report
from ratinglist.reports.games import Batch
from ratinglist.reports.judge import CODE_DIGITS, ReadBatch, cells_of, read

__all__ = [
    "ALLOWED",
    "CODE_DIGITS",
    "YOUNGEST",
    "Batch",
    "DeliveredFile",
    "Delivery",
    "ManifestFacts",
    "ReadBatch",
    "birth_date_problem",
    "cells_of",
    "dates_in",
    "decode",
    "decode_report",
    "facts_of_recorded",
    "find",
    "full_dates",
    "read",
    "read_batches",
    "recorded_report",
    "was_born",
    "years_before",
]
