"""Previews of lists and their approvals: what is approved, who is meant by a name, and which approvals count.

Approvals are only added; a month's preview replaces the one before. Two spellings of a name are one person. Where
``office.toml`` lists approvers, only their approvals count, and those of a person with a public key only with a
signature by that key.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ratinglist.errors import CheckError, CommandLineError, NothingReadError
from ratinglist.files.durable_files import synced
from ratinglist.home.history import described
from ratinglist.office import NAME, Approver, spelling
from ratinglist.period import Period
from ratinglist.publication import published_files, settle
from ratinglist.publication.doubts import Doubt, checked, new_answers, unanswered
from ratinglist.publication.manifest import (
    NotSignedError,
    fingerprint_of_public_key,
    read_key,
    signed_by,
)
from ratinglist.publication.revision_writer import RevisionDraft
from ratinglist.publication.settle import PREVIEWS, draft_path
from ratinglist.settings import Settings
from ratinglist.store import calculations
from ratinglist.store.calculations import current_calculation
from ratinglist.store.database import Store
from ratinglist.summaries import ApprovalSummary, PreviewSummary, because_options

REPORT = "REPORT.md"
"""What is read before a list is approved; it is not part of what is published."""
SHORTEST = 12
"""Fewest characters of a digest that identify it; all sixty-four need not be typed."""
_RERATE = "ratinglist rerate --from "


def publish_command(month: Period) -> str:
    """Return the command that publishes a list."""
    return f"ratinglist publish {month}"


def preview_again(go_on: str) -> str:
    """Return the command that makes a preview again; ``go_on``: the command that publishes it."""
    return go_on if go_on.startswith(_RERATE) else f"{go_on} --preview"


Approval = Mapping[str, str]
"""One person's approval of one digest, as the log states it.

``name``; ``known_on``: the day, ``YYYY-MM-DD``. ``signature``: as
:meth:`~ratinglist.publication.manifest.Signer.sign` writes it; absent where it is not signed.
"""
_SHOWN = ("name", "known_on", "signature")


@dataclass(frozen=True, slots=True)
class Preview:
    """The newest preview of a month, as the log states it.

    ``manifest``: its digest. ``calculation_id``: the calculation it shows. ``unanswered``: the questions without an
    answer. ``go_on``: the command that publishes it.
    """

    month: str
    revision: int
    manifest: str
    calculation_id: str
    unanswered: list[str]
    go_on: str


def preview_of(store: Store, period: Period) -> Preview | None:
    """Return the newest preview of a month, or None."""
    stated = store.log.history.previews.get(str(period))
    return Preview(**{name: stated[name] for name in Preview.__slots__}) if stated else None


def keep_previews(
    store: Store,
    settings: Settings,
    new: Sequence[RevisionDraft],
    questions: Mapping[str, Sequence[Doubt]],
    go_on: str,
) -> list[PreviewSummary]:
    """Keep revisions as the previews of their months, each with its report, and the reasons given so far.

    ``questions``: those raised, by month; ``go_on``: the command that publishes the lists.
    """
    previews = []
    for revision in new:
        raised = questions[str(revision.period)]
        _write_preview(store, settings, revision, raised, go_on)
        calculation_id = current_calculation(store, revision.period).calculation_id
        open_ones = [doubt.code for doubt in unanswered(raised)]
        preview = Preview(str(revision.period), revision.number, revision.digest, calculation_id, open_ones, go_on)
        previews.append(asdict(preview))
    reasons = new_answers(store.log.history, questions)
    settle.commit(store, settings, "preview", {"previews": previews, **({"answers": reasons} if reasons else {})})
    return [_summary(store, settings, revision, questions[str(revision.period)], go_on) for revision in new]


def _write_preview(
    store: Store, settings: Settings, revision: RevisionDraft, questions: Sequence[Doubt], go_on: str
) -> None:
    """Move a revision to the drafts of previews, and write its report into the same folder."""
    folder = draft_path(settings.drafts, f"{PREVIEWS}/{revision.period}")
    folder.mkdir()
    if revision.is_new:
        revision.folder.rename(folder / f"r{revision.number}")
    # Here, because a list that is published at once has no report.
    from ratinglist.publication.report_document import report_text

    text = report_text(store, settings, revision, questions, go_on)
    (folder / REPORT).write_text(text, encoding="utf-8", newline="\n")
    synced(folder / REPORT)


def _summary(
    store: Store, settings: Settings, revision: RevisionDraft, questions: Sequence[Doubt], go_on: str
) -> PreviewSummary:
    folder = settings.previews / str(revision.period)
    path = folder / f"r{revision.number}" if revision.is_new else revision.folder
    return PreviewSummary(
        month=str(revision.period),
        revision=f"r{revision.number}",
        path=str(path),
        report=str(folder / REPORT),
        digest=revision.digest,
        is_new=revision.is_new,
        questions=[question.as_dict() for question in questions],
        unanswered=[question.code for question in unanswered(questions)],
        approvals_needed=settings.office.publication.approvals,
        approved_by=[approval["name"] for approval in counting(store, settings, revision.period, revision.digest)],
        go_on=go_on,
        lines=[line for question in questions for line in question.lines()],
        typed=typed(store) if revision.is_new else [],
    )


def approvals_of(store: Store, period: Period, digest: str) -> list[Approval]:
    """Return every approval of a digest in the order given; some may be of one person, or no longer count."""
    every = store.log.history.approvals
    return [approval for approval in every if (approval["month"], approval["manifest"]) == (str(period), digest)]


def approve(
    store: Store,
    settings: Settings,
    period: Period,
    by: str,
    digest: str | None = None,
    key: Path | None = None,
) -> ApprovalSummary:
    """Keep the approval of the current preview of a month by the person ``by``, and return all its approvals.

    ``key``: the file of the person's private key. Raises :class:`NothingReadError` where there is no preview,
    :class:`CheckError` where it has another digest, has a question without an answer, shows a calculation that was
    replaced since, or was altered, and :class:`CommandLineError` where it was published already, or the name, the key
    or the digest is wrong.
    """
    name = checked(store, settings, period, by, "--by", "the name of the person who approves")
    who = person(settings, name)
    approved_digest = _approvable(store, settings, period, digest)
    signature = signature_of(who, key, period, approved_digest)
    known = {spelling(approval["name"]) for approval in counting(store, settings, period, approved_digest)}
    if spelling(who.name) not in known:
        signed = {"signature": signature} if signature else {}
        approval = {"month": str(period), "manifest": approved_digest, "name": who.name, **signed}
        store.record("approve", settings.today, approvals=[approval])
    return approved(store, settings, period)


def _approvable(store: Store, settings: Settings, period: Period, digest: str | None) -> str:
    """Return the digest of the preview that may be approved now.

    ``digest``: the digest that the approver read, or its beginning; None: any. Raises what :func:`approve` raises.
    """
    if digest is not None and not digest.strip():
        raise CommandLineError(
            "--digest is empty: write the digest of the preview that you read, or leave the option out."
        )
    preview = preview_of(store, period)
    if preview is None:
        current_calculation(store, period)
        raise NothingReadError(
            f"There is no preview of the list of {period} to approve. Make one: ratinglist publish {period} --preview"
        )
    again = f"Make the preview again: {preview_again(preview.go_on)}"
    if digest is not None and not (preview.manifest.startswith(digest.lower()) and len(digest) >= SHORTEST):
        raise CheckError(
            f"Not approved: the current preview of {period} has the digest {preview.manifest}, not {digest}. Read "
            f"previews/{period}/REPORT.md, then approve that digest."
        )
    calculation = calculations.calculation(store, period)
    if calculation is None or preview.calculation_id != calculation.calculation_id:
        raise CheckError(f"Not approved: the list of {period} was calculated again since its preview. {again}")
    if preview.unanswered:
        raise CheckError(
            f"Not approved: the preview of {period} has no answer to {', '.join(preview.unanswered)}. "
            f"{again} {because_options(preview.unanswered)}"
        )
    if is_published(store, period, preview):
        raise CommandLineError(
            f"The list of {period} is published already, as r{preview.revision} with exactly this digest: nothing is "
            f"to be approved. Who approved it: ratinglist approve {period}"
        )
    kept = settings.previews / str(period) / f"r{preview.revision}"
    if altered := published_files.altered_files(kept, preview.manifest):
        lines = "\n".join(altered)
        raise CheckError(
            f"Not approved: the preview of {period} was altered, and is not what would be published:\n{lines}\n"
            f"Make it again, and look at it again: {preview_again(preview.go_on)}"
        )
    return preview.manifest


def approved(store: Store, settings: Settings, period: Period) -> ApprovalSummary:
    """Return the approvals of the current preview of a month; :class:`NothingReadError` where there is no preview."""
    preview = preview_of(store, period)
    if preview is None:
        raise NothingReadError(f"There is no preview of the list of {period}: ratinglist publish {period} --preview")
    approvals = [
        {name: approval[name] for name in _SHOWN if name in approval}
        for approval in counting(store, settings, period, preview.manifest)
    ]
    done = is_published(store, period, preview)
    needed = settings.office.publication.approvals
    return ApprovalSummary(
        str(period),
        f"r{preview.revision}",
        preview.manifest,
        approvals,
        needed,
        preview.go_on,
        preview.unanswered,
        published=done,
    )


def is_published(store: Store, period: Period, preview: Preview) -> bool:
    """Return whether a revision with the digest of this preview was published, current or not."""
    return store.log.history.revisions().get((str(period), preview.revision)) == preview.manifest


def person(settings: Settings, by: str) -> Approver:
    """Return the approver whose name ``by`` is; where the office lists none, a person of that name.

    Raises :class:`CommandLineError`, naming the approvers, where none is meant.
    """
    listed = settings.office.approvers
    if not listed:
        return Approver(" ".join(by.split()))
    approver = _listed(settings, by)
    if approver is None:
        raise CommandLineError(
            f"--by '{by}' is no approver of this office. {NAME} lists: {', '.join(who.name for who in listed)}. Write "
            f"one of these names; a new approver is added to {NAME}."
        )
    return approver


def counting(store: Store, settings: Settings, period: Period, digest: str) -> list[Approval]:
    """Return the approvals of a digest that count, in the order given: the first of each person.

    Raises :class:`CommandLineError` where the public key of an approver cannot be read.
    """
    by_person: dict[str, Approval] = {}
    for approval in approvals_of(store, period, digest):
        if not _problem(settings, period, digest, approval):
            by_person.setdefault(spelling(person(settings, approval["name"]).name), approval)
    return list(by_person.values())


def not_counting(store: Store, settings: Settings, period: Period, digest: str) -> list[str]:
    """Return a sentence for each approval of a digest that does not count, with the reason."""
    every = approvals_of(store, period, digest)
    return [f"{approval['name']}: {why}" for approval in every if (why := _problem(settings, period, digest, approval))]


def signature_of(who: Approver, key: Path | None, period: Period, digest: str) -> str:
    """Return the person's signature of the digest approved; empty where the person does not sign.

    ``key``: the file of the private key. Raises :class:`CommandLineError` where a key is missing, is not needed, cannot
    be used, or is another person's.
    """
    if not who.key:
        if key is not None:
            raise CommandLineError(
                f"--key {key}: {NAME} has no public key of {who.name}, so the signature could not be checked. Add it "
                "as key of that approver, or leave the option out."
            )
        return ""
    expected = _fingerprint(who)
    if key is None:
        raise CommandLineError(
            f"{who.name} approves with a signature, which only a command gives: "
            f"ratinglist approve {period} --by {shlex.quote(who.name)} --key FILE. FILE has the private key."
        )
    signer = read_key(key, option="--key")
    if signer.fingerprint != expected:
        raise CommandLineError(
            f"--key {key} is not the key of {who.name}: its fingerprint is {signer.fingerprint}, and that of the "
            f"public key in {NAME} is {expected}."
        )
    return signer.sign(_approved_bytes(period, digest)).decode()


def _problem(settings: Settings, period: Period, digest: str, approval: Approval) -> str:
    """Return why an approval does not count; empty where it does."""
    if not settings.office.approvers:
        return ""
    who = _listed(settings, approval["name"])
    if who is None:
        return f"is no approver by {NAME} any more"
    if not who.key:
        return ""
    if not approval.get("signature"):
        return "the approval is not signed: approve again with --key FILE"
    try:
        signer = signed_by(
            _approved_bytes(period, digest), str(approval["signature"]).encode(errors="replace"), "approval"
        )
    except NotSignedError as error:
        return f"the signature proves nothing: {error}"
    if signer != _fingerprint(who):
        return f"the approval is signed by another key, {signer}"
    return ""


def _listed(settings: Settings, name: str) -> Approver | None:
    return next((approver for approver in settings.office.approvers if spelling(name) == spelling(approver.name)), None)


def _fingerprint(who: Approver) -> str:
    """Return the fingerprint of a person's public key; raise :class:`CommandLineError` where it is none."""
    return fingerprint_of_public_key(who.key.encode(), f"{NAME}: the key of {who.name}")


def _approved_bytes(period: Period, digest: str) -> bytes:
    """Return what a person signs: a line with the month and the digest of its manifest."""
    return f"approved {period} {digest}\n".encode()


_TYPED = ("rollback", "dismiss", "retract")


def typed(store: Store) -> list[str]:
    """Return a line for each correction, rollback, retraction and dismissal since the newest published list.

    Each names the day, who typed it, what it did, and the number of its entry, which ``ratinglist log`` shows. An entry
    that was undone since is left out.
    """
    log = store.log
    newest = max((publication.entry for publication in log.history.publications if publication.revision), default=0)
    lines = []
    for entry in log.entries[newest:]:
        if entry.number in log.history.retracted:
            continue
        corrections = entry.facts.get("made", ()) if entry.kind == "correct" else ()
        did = [described(entry)] if entry.kind in _TYPED else corrections
        by = f", {entry.by}" if entry.by else ""
        lines += [f"{entry.day}{by}: {what} (entry {entry.number})" for what in did]
    return lines
