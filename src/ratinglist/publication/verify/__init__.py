"""Verify what was published. This package alone states what each file must be, and compares it.

=====================  ================================================================================
``folders``            a revision, a month or all that is published, as it came to a reader: no home
``against_manifest``   the files of one revision; all of them, or those that a command is about to use
``against_index``      what the signed index states: revisions, current ones, files that no manifest names
``against_log``        what the log of a home states of its published files and its calculations
``summary``            what was found
=====================  ================================================================================
"""

from ratinglist.publication.verify.against_log import (
    DO_NOT_AGREE,
    Disagreement,
    calculations,
    disagreements,
    refuse_to_change,
    refuse_to_show,
)
from ratinglist.publication.verify.against_manifest import read_manifest, verified_files, verified_tables
from ratinglist.publication.verify.folders import altered_files, verify, verify_file_of_index
from ratinglist.publication.verify.summary import Problem, VerifySummary

__all__ = [
    "DO_NOT_AGREE",
    "Disagreement",
    "Problem",
    "VerifySummary",
    "altered_files",
    "calculations",
    "disagreements",
    "read_manifest",
    "refuse_to_change",
    "refuse_to_show",
    "verified_files",
    "verified_tables",
    "verify",
    "verify_file_of_index",
]
