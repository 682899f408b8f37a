"""What makes the family of a plugin unfit: patterns that end all judging, and patterns that take devices of others."""

from __future__ import annotations

import os
import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    import duckdb

    from auditor.model.endpoint_type import Family

KIND_FORM = r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*"
"""What the name of a kind looks like."""

FAMILY_FORM = r"[a-z0-9]+(?:-[a-z0-9]+)*"
"""What the name of a family looks like: one that auditor knows by its devices alone may begin with a digit, as 3par does."""


def family_mistakes(family: Family, own_families: Collection[Family]) -> Iterator[str]:
    """What is wrong with the family of a plugin, in words that follow the name of its package.

    Args:
        family: whose fields are of the types that they should be.
        own_families: those that auditor itself reads.
    """
    if not re.fullmatch(FAMILY_FORM, family.name):
        yield f'calls its family "{family.name}": small letters, digits and single hyphens are a name'
    if family.name in {one.name for one in own_families}:
        yield f'gives the family "{family.name}", which auditor itself reads'
    patterns = [*(part for pair in family.inquiries for part in pair), *family.names]
    unfit = [pattern for pattern in patterns if {"'", "\n"} & {*pattern} or _matches("", pattern) is None]
    for pattern in unfit:
        yield f"recognises devices by {pattern!r}, which is no regular expression that can be used"
    if not unfit:
        yield from _taken(family, own_families)


def _taken(family: Family, own_families: Iterable[Family]) -> Iterator[str]:
    """The patterns of `family` that fit devices of others: these of all vendors, not of `own_families` alone, would be taken for it."""
    for vendor, model in family.inquiries:
        for other in own_families:
            for of, what in _plain(other.inquiries):
                if _matches(of, f"^(?:{vendor})$") and _matches(what, f"^(?:{model})"):
                    yield f"recognises devices by the inquiry {vendor!r}, {model!r}, which {other.label} answers as well ({of}, {what})"
    for name in family.names:
        if taken := next(
            (sample for other in own_families for sample in map(_sample, other.names) if _matches(sample, f"^(?:{name})")), None
        ):
            yield f"recognises devices by names that begin with {name!r}, as others do ({taken})"


def _plain(inquiries: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Vendors and models that inquiries fit, of those that are no more than a few texts."""
    for vendors, model in inquiries:
        for vendor in vendors.removeprefix("(?i)").split("|"):
            if re.fullmatch(r"[\w -]+", vendor) and re.fullmatch(r"[\w -]+", model):
                yield vendor, model


def _sample(name: str) -> str:
    """What names begin with that fit this pattern of ours, up to its first group."""
    digits = re.sub(r"\[0-9a-f\]\{(\d+)\}", lambda found: "0" * int(found[1]), name.partition("(")[0])
    return re.sub(r"\[(.)[^]]*\]", r"\1", digits).replace("\\", "")


def _matches(text: str, pattern: str) -> bool | None:
    """Whether DuckDB finds `pattern` in `text`; None where it is no regular expression for DuckDB, which would end all judging."""
    import duckdb

    try:
        with _database(os.getpid()).cursor() as connection:
            row = connection.execute("SELECT regexp_matches(?, ?)", [text, pattern]).fetchone()
    except duckdb.Error:
        return None
    return bool(row and row[0])


@cache
def _database(_process: int) -> duckdb.DuckDBPyConnection:
    """To open one takes longer than the 26 questions about a family; a process that was forked has one of its own."""
    import duckdb

    return duckdb.connect()
