"""The rating of the German Chess Federation (DWZ): event by event, with an index of rated events."""
