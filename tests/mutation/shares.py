"""A share of the rows of a table, chosen by what tells them apart: the same rows on every machine and with every release of DuckDB.

The order of rows is no ground to choose by: threads write them as they get their answers, so every collection has another.
"""

from auditor.facts.needs import IDENTITIES
from auditor.facts.schema import TABLES
from tests.mutation.laws import NAMES


def digest(table: str, salt: int = 0) -> str:
    """The expression of a text for each row that is like a random one and always the same."""
    names = ", ".join(f'"{column}"' for column in names_of(table))
    return f"md5(concat_ws('|', '{table}', {salt}, {names}))"


def share(table: str, salt: int = 0, part: int = 2) -> str:
    """The condition that one row in `part` of a table meets; with another salt those are others."""
    return f"CAST('0x' || {digest(table, salt)}[1:4] AS INTEGER) % {part} = 0"


def names_of(table: str) -> tuple[str, ...]:
    """The columns that tell the rows of a table apart; where rows may be alike, those that say what a row is about."""
    about = (*IDENTITIES.get(table, ()), *NAMES.get(table, "").split())
    told_apart = tuple(dict.fromkeys(column for column in ("endpoint", *about) if column in TABLES[table].names))
    return TABLES[table].key or told_apart or TABLES[table].names
