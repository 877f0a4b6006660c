"""Publish, preview and approve the list of a month, and sign what was published before the office had a key.

No byte of a revision changes when it is signed: its signature is added. One entry of the log decides it; then the
signatures and the index that names them move to their places (:mod:`ratinglist.publication.settle`).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ratinglist.errors import CommandLineError, NothingReadError
from ratinglist.files.durable_files import write_finished
from ratinglist.period import Period
from ratinglist.publication import approvals, drafts, settle
from ratinglist.publication.doubts import check_office_kept
from ratinglist.publication.manifest import MANIFEST, SIGNATURE, signer_of
from ratinglist.settings import PUBLISHED, Settings
from ratinglist.summaries import (
    ApprovalSummary,
    Facts,
    PreviewSummary,
    PublishSummary,
)
from ratinglist.workflows.opening import open_to_read, open_to_write


def publish(
    settings: Settings, period: Period, because: Mapping[str, str] | None = None, digest: str | None = None
) -> PublishSummary:
    """Publish the calculated list of a month as a new revision, or find that it is published already.

    ``because``: reasons, by question. ``digest``: that of the preview which a person has seen; None: any. Raises
    :class:`NothingReadError` where the month was not calculated; :class:`CheckError` where a doubt stops the
    publication, a question is open, too few people have approved exactly this, or the digest is another one: then
    nothing is published.
    """
    settings.check_month(period)
    with open_to_write(settings) as store:
        ready = drafts.check(store, settings, period, because or {})
        return drafts.publish(store, settings, ready, digest)


def check(settings: Settings, period: Period, because: Mapping[str, str] | None = None) -> int:
    """Check the list of a month as :func:`publish` does, publish nothing, and return how many questions it raises.

    Raises what :func:`~ratinglist.publication.drafts.check` raises, with the preview of a list that waits for people.
    """
    with open_to_write(settings) as store:
        _, questions = drafts.check(store, settings, period, because or {})
        settle.carry_out(store.log, settings)
        return len(questions[str(period)])


def preview(settings: Settings, period: Period, because: Mapping[str, str] | None = None) -> PreviewSummary:
    """Make the files that :func:`publish` would publish, and a report on them, under ``HOME/previews``.

    Raises what :func:`publish` raises, open questions and approvals apart.
    """
    settings.check_month(period)
    with open_to_write(settings) as store:
        return drafts.preview(store, settings, period, because or {})


def approve(
    settings: Settings,
    period: Period,
    by: str,
    digest: str | None = None,
    key: Path | None = None,
) -> ApprovalSummary:
    """Note that a person approves the current preview of a month, ``digest`` naming it where it is given.

    ``key``: the file of the private key, of an approver who signs. Raises :class:`NothingReadError` where there is no
    preview, :class:`CheckError` where it is another one or leaves a question open or its files were altered,
    :class:`CommandLineError` where the name, the key or the digest is none, or it is published already.
    """
    with open_to_write(settings) as store:
        return approvals.approve(store, settings, period, by, digest, key)


def approved(settings: Settings, period: Period) -> ApprovalSummary:
    """Return who approved the current preview of a month; :class:`NothingReadError` where there is none."""
    with open_to_read(settings) as store:
        return approvals.approved(store, settings, period)


def sign(settings: Settings, period: Period) -> Facts:
    """Sign each revision of a month that is not signed, and the index, with the key of ``office.toml``.

    Raises :class:`CommandLineError` where the office has no key or it cannot be used, :class:`NothingReadError` where
    nothing of the month was published.

    Out: ``month``, ``key``; the revisions ``signed`` now, and those ``signed_before``, each with its key; ``index``:
    whether the index of what is published has another key than before.
    """
    with open_to_write(settings) as store:
        check_office_kept(store, settings)
        if not settings.office.publication.signing_key:
            raise CommandLineError(
                "This office has no key to sign with: set [publication] signing_key in office.toml. Make a key with: "
                "openssl genpkey -algorithm ed25519 -out KEY.pem"
            )
        signer = signer_of(settings)
        signers = store.log.history.signers
        signed_before: dict[str, str] = {}
        names: list[str] = []
        for name in [f"r{number}" for month, number in store.log.history.revisions() if month == str(period)]:
            if signed := signers.get(f"{period}/{name}"):
                signed_before[name] = signed["key"]
                continue
            data = (settings.published / f"{period}/{name}/{MANIFEST}").read_bytes()
            draft = settle.draft_path(settings.drafts, f"{PUBLISHED}/{period}/{name}/{SIGNATURE}")
            write_finished(draft, signer.sign(data))
            names.append(name)
        if not names and not signed_before:
            raise NothingReadError(f"Nothing of {period} was published here: there is nothing to sign.")
        signs_index = store.log.history.index.get("signed_by", "") != signer.fingerprint
        if names or signs_index:
            numbers = [int(name[1:]) for name in names]
            settle.decide(store, settings, "sign", {"month": str(period), "revisions": numbers})
        facts = {
            "month": str(period),
            "key": signer.fingerprint,
            "signed": names,
            "signed_before": signed_before,
            "index": signs_index,
        }
        return Facts("What is published is signed.", facts)
