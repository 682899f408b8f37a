"""A list of every object of a kind is whole or an error; a view that went with its session is made once more."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from pyVmomi import vim

from auditor.endpoints.vcenter.bulk.listing import list_refs
from auditor.endpoints.vcenter.bulk.reading import GONE, Answer, ObjectProperties
from auditor.endpoints.vcenter.bulk.shapes import Ref
from auditor.errors import EndpointError, MalformedAnswerError, PermissionMissingError
from auditor.model import BulkTransport

from .test_reading import ENDPOINT

HOSTS = [Ref("HostSystem", "host-1"), Ref("HostSystem", "host-2")]


class Views:
    """A ViewManager, and a transport that answers for the first view, the second and so on."""

    name = BulkTransport.SOAP

    def __init__(self, *answers: tuple[dict[str, Any], dict[str, str]], dropping: Exception | None = None) -> None:
        self.answers, self.dropping = list(answers), dropping
        self.made: list[Any] = []
        self.asked: list[Any] = []
        self.dropped = 0
        self.content = SimpleNamespace(viewManager=self, rootFolder="root")

    def CreateContainerView(self, folder: Any, kinds: list[Any], *, recursive: bool) -> Any:  # noqa: N802  pyVmomi's name
        self.made.append((folder, kinds, recursive))
        view = vim.view.ContainerView(f"view-{len(self.made)}")
        object.__setattr__(view, "DestroyView", self._drop)
        return view

    def _drop(self) -> None:
        self.dropped += 1
        if self.dropping:
            raise self.dropping

    def retrieve(self, kind: str, paths: Sequence[str], refs: Sequence[Ref], answer_size: int | None) -> Answer:
        self.asked.append((kind, paths, refs, answer_size))
        return Answer([ObjectProperties(refs[0], *self.answers.pop(0))], None, 1)

    def more(self, kind: str, token: str) -> Answer:
        raise AssertionError(kind, token)

    def close(self) -> None:
        """Nothing is open."""


@pytest.mark.parametrize(
    ("answers", "found"),
    [
        pytest.param([({"view": HOSTS}, {})], HOSTS, id="references"),
        pytest.param([({"view": [vim.HostSystem("host-1"), vim.HostSystem("host-2")]}, {})], HOSTS, id="objects of pyVmomi"),
        pytest.param([({}, {})], [], id="nothing there"),
        pytest.param([({}, {"view": GONE}), ({"view": HOSTS}, {})], HOSTS, id="the view went with its session"),
    ],
)
def test_every_object_is_listed_by_a_view_that_is_dropped_again(answers: list[Any], found: list[Ref]) -> None:
    for dropping in (None, vim.fault.NotAuthenticated()):
        views = Views(*answers, dropping=dropping)
        assert list_refs(ENDPOINT, views.content, views, "HostSystem") == found
        assert views.made == [("root", [vim.HostSystem], True)] * len(answers)
        assert views.asked == [("ContainerView", ("view",), [Ref("ContainerView", f"view-{n + 1}")], None) for n in range(len(answers))]
        assert views.dropped == len(answers)


@pytest.mark.parametrize(
    ("missing", "asked", "error"),
    [
        pytest.param([GONE, GONE, GONE], 2, MalformedAnswerError, id="gone each time"),
        pytest.param(["NoPermission: System.View", ""], 1, PermissionMissingError, id="not permitted"),
        pytest.param(["MethodFault", ""], 1, MalformedAnswerError, id="another fault"),
    ],
)
def test_a_list_that_is_not_answered_is_an_error_with_its_reason(missing: list[str], asked: int, error: type[EndpointError]) -> None:
    views = Views(*(({}, {"view": why}) for why in missing))
    with pytest.raises(error) as raised:
        list_refs(ENDPOINT, views.content, views, "HostSystem")
    assert raised.value.what == f"endpoint vc: listing every HostSystem: {missing[0]}"
    assert (len(views.made), views.dropped) == (asked, asked)


def test_a_view_that_is_not_made_is_the_fault_of_the_endpoint() -> None:
    views = Views()

    def refuses(*_: Any, **__: Any) -> None:
        raise vim.fault.NotAuthenticated

    views.CreateContainerView = refuses  # type: ignore[method-assign]
    with pytest.raises(EndpointError, match="endpoint vc: listing every HostSystem: NotAuthenticated"):
        list_refs(ENDPOINT, views.content, views, "HostSystem")
