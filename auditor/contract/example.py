"""What an author of a kind provides: the double of an array, and what the contract cannot find out by itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import KW_ONLY, dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

from auditor.model import EndpointKind, Scalar, Target

if TYPE_CHECKING:
    from pathlib import Path

    from auditor.model import Endpoint


@dataclass(frozen=True, slots=True)
class SettingChange:
    """A change that the example array takes.

    Attributes:
        name: of the setting.
        target: what is changed; its endpoint is that of the double.
        before: the value that the double has.
        after: the value that it takes.
        write: the one request that it is written by.
        id: which change it is, in words.
    """

    name: str
    target: Target
    before: Scalar
    after: Scalar
    write: str
    id: str


@dataclass(frozen=True, slots=True)
class Example(ABC):
    """One array behind a double; requests are called what the double calls their operations.

    A double has `requests`, the operations that were asked for in their order, and `faults`, a `auditor_lab.wire.Faults`: what happens to
    its answers. `auditor.contract.serving_https` makes one. It holds at least one volume.

    Attributes:
        kind: of the array.
        opening: the requests of a session that is opened, up to where its collector begins.
        login: of these the one that shows the secret first.
        refused: an operation whose answer the topics `lost` need, and no others.
        lost: see `refused`.
        state: all that can be written on a double, name -> value, to be compared.
        closing: the requests by which a session ends.
        changes: at least one for each setting.
        read_only: what `served` is given for an account that may only read.
        ignore: makes a double accept writes of an operation and do nothing.
        unreadable: topics that this account is never shown whole.
        paged: an operation that is asked for at least twice, as its list has several pages; "" where the array has no pages.
        volumes: how many volumes the array has, on all pages; None: it is not compared.
    """

    kind: EndpointKind
    _: KW_ONLY
    opening: tuple[str, ...]
    login: str
    refused: str
    lost: frozenset[str]
    state: Callable[[Any], Mapping[str, Any]]
    closing: tuple[str, ...] = ()
    changes: tuple[SettingChange, ...] = ()
    read_only: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    ignore: Callable[[Any, str], None] = lambda _server, _write: None
    unreadable: frozenset[str] = frozenset()
    paged: str = ""
    volumes: int | None = None

    @abstractmethod
    def served(
        self, folder: Path, *, timeout: float = 30.0, **changes: Any
    ) -> AbstractContextManager[tuple[Any, Endpoint, dict[str, Any]]]:
        """The double, the endpoint that reaches it, and what its collector may be given so that it need not wait.

        Args:
            folder: an empty one, for the secret and the certificates.
            timeout: seconds that the endpoint is waited for.
            changes: `read_only`, or nothing.
        """
        ...


class OfExamples:
    """The base of the contract's classes: a class that derives from one of them names its `examples`."""

    examples: ClassVar[tuple[Example, ...]] = ()

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Have each test run with each example, or with each change of one."""
        if "example" in metafunc.fixturenames:
            metafunc.parametrize("example", [pytest.param(one, id=one.kind.value) for one in self.examples])
        if "case" in metafunc.fixturenames:
            cases = [pytest.param((one, change), id=f"{change.name}: {change.id}") for one in self.examples for change in one.changes]
            metafunc.parametrize("case", cases)
