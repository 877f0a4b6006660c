"""The rating of the English Chess Federation: month by month of play, with full, partial and new players."""
