"""How statements are run in DuckDB: within limits of memory, and planned for few facts or for many."""
