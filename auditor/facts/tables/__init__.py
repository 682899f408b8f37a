"""The tables of facts, by what they are about."""
