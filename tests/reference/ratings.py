"""Which rating a player has: on the list in force on a day, on the list before, and at the start of an event."""

from datetime import date

from tests.reference.formulas import first_day_of, month_of
from tests.reference.office import TIME_CONTROLS, Office, Report, Standing
from tests.reference.regulations import Text, text_on


class Ratings:
    """The lists known to an office."""

    def __init__(self, office: Office) -> None:
        self.family = office.family
        self.first_day = first_day_of(office.month)
        self.standing = {(listed.month, listed.time_control, listed.fide_id): listed for listed in office.lists}
        self.months = {
            time_control: sorted({listed.month for listed in office.lists if listed.time_control == time_control})
            for time_control in TIME_CONTROLS
        }

    def text(self, time_control: str) -> Text | None:
        """The text the list itself goes by."""
        return text_on(self.family, time_control, self.first_day)

    def list_on(self, time_control: str, day: date) -> str | None:
        """The newest list in force on ``day``."""
        in_force = [month for month in self.months[time_control] if month <= month_of(day)]
        return in_force[-1] if in_force else None

    def on(self, time_control: str, fide_id: int, day: date) -> int | None:
        month = self.list_on(time_control, day)
        listed = self.standing.get((month, time_control, fide_id)) if month else None
        return listed.rating if listed else None

    def month_before(self, time_control: str) -> str | None:
        return self.months[time_control][-1] if self.months[time_control] else None

    def state(self, time_control: str, fide_id: int) -> Standing | None:
        """The player on the list before the one computed."""
        return self.standing.get((self.month_before(time_control) or "", time_control, fide_id))

    def now(self, time_control: str, fide_id: int) -> int | None:
        state = self.state(time_control, fide_id)
        return state.rating if state else None

    def standard_stands_in(self, report: Report, fide_id: int) -> bool:
        """Return whether, in rapid and blitz, the standard rating stands in for the missing one."""
        text = text_on(self.family, report.time_control, report.start_date)
        return (
            text is not None
            and text.from_standard
            and self.on(report.time_control, fide_id, report.start_date) is None
            and self.on("standard", fide_id, report.start_date) is not None
        )

    def at_start(self, report: Report, fide_id: int) -> int | None:
        if self.standard_stands_in(report, fide_id):
            return self.on("standard", fide_id, report.start_date)
        return self.on(report.time_control, fide_id, report.start_date)
