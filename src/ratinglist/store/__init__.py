"""The DuckDB store of a home: facts received, calculations kept, the inputs of a month."""
