"""The command `ratinglist sign`: sign the revisions of a month that were published before the office had a key.

No byte of a revision changes: its signature is added. One entry of the log decides it; then the signatures and the
index that names them move to their places (:mod:`ratinglist.publication.settle`). The index is signed too where it is
not signed by the key of the office.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from ratinglist.errors import CheckError, CommandLineError, NothingReadError
from ratinglist.files.durable_files import write_finished
from ratinglist.period import Period
from ratinglist.publication import published_files, settle
from ratinglist.publication.doubts import check_office_kept
from ratinglist.publication.manifest import MANIFEST, SIGNATURE
from ratinglist.publication.settle import draft_path, month_path
from ratinglist.publication.signature import signed_by, signer_of
from ratinglist.settings import Settings
from ratinglist.summaries import Result
from ratinglist.workflows.opening import open_to_write


@dataclass(frozen=True, slots=True)
class SignSummary(Result):
    """The revisions of a month that were signed now, and those that were signed before, each with the key.

    ``index``: whether the index of what is published has another key than before.
    """

    DONE: ClassVar[str] = "What is published is signed."
    month: str
    key: str
    signed: list[str]
    signed_before: dict[str, str] = field(default_factory=dict)
    index: bool = False


def sign(settings: Settings, period: Period) -> SignSummary:
    """Sign each revision of a month that is not signed, and the index, with the key of ``office.toml``.

    Raises :class:`CommandLineError` where the office has no key or it cannot be used, :class:`NothingReadError` where
    nothing of the month was published, :class:`CheckError` where a revision is not what was published: then none is
    signed.
    """
    with open_to_write(settings) as store:
        check_office_kept(store, settings)
        if not settings.office.publication.signing_key:
            raise CommandLineError(
                "This office has no key to sign with: set [publication] signing_key in office.toml. Make a key with: "
                "openssl genpkey -algorithm ed25519 -out KEY.pem"
            )
        signer = signer_of(settings)
        revisions = {
            number: digest for (month, number), digest in store.log.history.revisions().items() if month == str(period)
        }
        if not revisions:
            raise NothingReadError(f"Nothing of {period} was published here: there is nothing to sign.")
        signed_before: dict[str, str] = {}
        numbers: list[int] = []
        for number, digest in revisions.items():
            folder = settings.home / month_path(period, f"r{number}")
            if altered := published_files.altered_files(folder, digest):
                lines = "\n".join(altered)
                raise CheckError(f"Nothing was signed: a revision of {period} is not what was published:\n{lines}")
            data = (folder / MANIFEST).read_bytes()
            if (folder / SIGNATURE).is_file():
                signed_before[f"r{number}"] = signed_by(data, (folder / SIGNATURE).read_bytes())
                continue
            draft = draft_path(settings.drafts, month_path(period, f"r{number}/{SIGNATURE}"))
            write_finished(draft, signer.sign(data))
            numbers.append(number)
        signs_index = store.log.history.index.get("signed_by", "") != signer.fingerprint
        if numbers or signs_index:
            settle.decide(store, settings, "sign", {"month": str(period), "revisions": numbers})
        names = [f"r{number}" for number in numbers]
        return SignSummary(str(period), signer.fingerprint, names, signed_before, signs_index)
