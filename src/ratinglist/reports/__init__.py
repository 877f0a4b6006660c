"""Tournament reports: finding deliveries, parsing TRF files, and judging each report by its own content."""
