"""A page is read whole or not at all, however many answers it takes."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from auditor.endpoints.vcenter.bulk.reading import Answer, ObjectProperties, read_page
from auditor.endpoints.vcenter.bulk.shapes import Ref
from auditor.errors import MalformedAnswerError
from auditor.model import BulkTransport, Endpoint, EndpointKind, Secret

ENDPOINT = Endpoint("vc", EndpointKind.VCENTER, "vc.example.net", 443, "audit", Secret("env", ("UNUSED",)))
REFS = [Ref("HostSystem", f"host-{number}") for number in range(3)]


class Parts:
    """Gives one object in each answer, then answers without any; after `most` of them it is done."""

    name = BulkTransport.SOAP

    def __init__(self, most: int) -> None:
        self.given, self._most = 0, most

    def retrieve(self, kind: str, paths: Sequence[str], refs: Sequence[Ref], answer_size: int | None) -> Answer:
        return self.more(kind, "")

    def more(self, _kind: str, _token: str) -> Answer:
        self.given += 1
        objects = [ObjectProperties(ref, {"name": ref.value}, {}) for ref in REFS[self.given - 1 : self.given]]
        return Answer(objects, "more" if self.given < self._most else None, 1)

    def close(self) -> None:
        """Nothing is open."""


@pytest.mark.parametrize("most", [3, 4, 10], ids=["an object each", "an empty one", "many empty ones"])
def test_a_page_may_come_in_parts(most: int) -> None:
    objects, _ = read_page(Parts(most), ENDPOINT, "HostSystem", ("name",), REFS, {})
    assert [one.values["name"] for one in objects] == ["host-0", "host-1", "host-2"]


def test_parts_without_end_are_given_up() -> None:
    parts = Parts(1000)
    with pytest.raises(MalformedAnswerError, match="have no end"):
        read_page(parts, ENDPOINT, "HostSystem", ("name",), REFS, {})
    assert parts.given < 20
