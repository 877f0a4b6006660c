"""The rating of US Chess: event by event, with provisional ratings, bonuses and floors."""
