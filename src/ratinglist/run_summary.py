"""The summary of `ratinglist run`, and what a person at a terminal sees before the list is published."""

from __future__ import annotations

from dataclasses import dataclass

from ratinglist.summaries import LoadSummary, MonthSummary, PreviewSummary, PublishSummary


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run: reports loaded, the month rated, the list published."""

    loaded: LoadSummary | None
    rated: MonthSummary
    published: PublishSummary

    def as_dict(self) -> dict[str, object]:
        """Return the summary as JSON-able values."""
        return {
            "loaded": self.loaded.as_dict() if self.loaded else None,
            "rated": self.rated.as_dict(),
            "published": self.published.as_dict(),
        }

    def text(self) -> str:
        """Return the summary on one screen."""
        # The month's summary lists the refused reports, so the load's summary leaves them out.
        loaded = [self.loaded.text(with_refused=False)] if self.loaded else []
        return "\n".join([*loaded, self.rated.text(), self.published.text()])


@dataclass(frozen=True, slots=True)
class RunPreview:
    """What a run would publish, for the person who decides. ``movers``: a line on the largest changes of each list."""

    loaded: LoadSummary | None
    rated: MonthSummary
    preview: PreviewSummary
    movers: list[str]

    def text(self) -> str:
        """Return what would be published, on one screen."""
        loaded = [self.loaded.text(with_refused=False)] if self.loaded else []
        seen = self.preview
        return "\n".join(
            [
                *loaded,
                self.rated.text(),
                *(f"  largest  {line}" for line in self.movers),
                *(f"  {line}" for line in seen.lines),
                f"Not published yet: the list of {seen.month} would be {seen.revision}, digest {seen.digest[:12]}",
                f"  report   {seen.report}",
            ]
        )
