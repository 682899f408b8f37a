"""An HPE 3PAR keeps what every array promises to auditor. It has no settings, so that nothing is held to the contract of fixing."""

from typing import ClassVar

from double import EXAMPLE

from auditor.contract import Example, KindContract, ReadingContract


class TestHpe3Par(KindContract, ReadingContract):
    """Every promise."""

    examples: ClassVar[tuple[Example, ...]] = (EXAMPLE,)
