"""Made-up chess: federations, their players and events, played and reported as real ones are."""
