"""Example Arrays keep what every array promises to auditor."""

from typing import ClassVar

from double import EXAMPLE

from auditor.contract import Example, FixingContract, KindContract, ReadingContract


class TestExampleArray(KindContract, ReadingContract, FixingContract):
    """Every promise."""

    examples: ClassVar[tuple[Example, ...]] = (EXAMPLE,)
