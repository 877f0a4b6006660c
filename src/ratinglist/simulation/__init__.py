"""Made-up federations: their players, events, results and reports."""
