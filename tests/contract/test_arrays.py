"""Every kind of array of ours keeps the published contract: what its TYPE says, and what it does when it is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from auditor.contract import FixingContract, KindContract, ReadingContract
from tests.contract.examples import EXAMPLES

if TYPE_CHECKING:
    from auditor.contract import Example


class TestKinds(KindContract, FixingContract):
    examples: ClassVar[tuple[Example, ...]] = tuple(EXAMPLES.values())


class TestReading(ReadingContract):
    examples: ClassVar[tuple[Example, ...]] = tuple(EXAMPLES.values())
