"""Rules: their files read and held against DuckDB, their params and severities in one fleet, which of them are chosen."""
