"""Bulk reads of a vCenter page by page: what is still held of a page whose rows are made."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from auditor.endpoints.common.circuit import Circuit
from auditor.endpoints.vcenter.bulk.reading import ObjectProperties
from auditor.endpoints.vcenter.bulk.shapes import Ref
from auditor.endpoints.vcenter.collect.reading import FIRST_PAGE, PAGES_AHEAD, read_each

REFS = [Ref("HostSystem", f"host-{number}") for number in range(4 * FIRST_PAGE)]


class Value:
    """What an object has a long list of."""


class Bulk:
    """Answers each page with values of its own, and knows which of them somebody still holds."""

    def __init__(self) -> None:
        self._held: weakref.WeakValueDictionary[str, Value] = weakref.WeakValueDictionary()
        self._lock = threading.Lock()

    @property
    def held(self) -> set[str]:
        """Ids of the objects whose value is held."""
        with self._lock:
            return set(self._held)

    def page(self, _kind: str, _paths: Sequence[str], refs: Sequence[Ref]) -> tuple[list[ObjectProperties], int]:
        values = [Value() for _ in refs]
        with self._lock:
            self._held.update({ref.value: value for ref, value in zip(refs, values, strict=True)})
        return [ObjectProperties(ref, {"long": value}, {}) for ref, value in zip(refs, values, strict=True)], 0


def test_objects_come_in_their_order_and_nothing_is_held_of_one_that_was_used() -> None:
    bulk = Bulk()
    vcenter: Any = SimpleNamespace(bulk=bulk)
    seen: list[str] = []
    for found in read_each(vcenter, "HostSystem", ("long",), REFS, Circuit(PAGES_AHEAD)):
        assert isinstance(found, ObjectProperties)
        assert bulk.held.isdisjoint(seen)
        seen.append(found.id)
        del found
    assert seen == [ref.value for ref in REFS]
