"""Tournament reports: deliveries found, read as TRF, judged by what they say themselves."""
