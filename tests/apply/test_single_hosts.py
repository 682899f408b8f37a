"""Which changes of single hosts are left to a person, by answers typed by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from auditor.apply.single_hosts import without_unwritable
from auditor.endpoints.common.sessions import SessionBase, Sessions
from auditor.errors import EndpointUnreachableError
from auditor.model import Change, Endpoint, EndpointKind, Outcome, Receipt
from tests.apply.conftest import WHY_AND_DO, endpoint

Make = Callable[..., Change]
NO_ANSWER = EndpointUnreachableError("no answer", **WHY_AND_DO)
ALONE = SimpleNamespace(is_managed=False, managed_by=None)
FULL, FREE = ["esxEnterprisePlus"], ["esxBasic"]


@dataclass
class Answers:
    """What single hosts say, and how often they were asked."""

    standing: Any = field(default_factory=lambda: ALONE)
    editions: Any = field(default_factory=lambda: FULL)
    asked: list[tuple[str, bool]] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)


class Host(SessionBase):
    """A session with a single host."""

    def __init__(self, one: Endpoint, answers: Answers) -> None:
        super().__init__(one)
        self._answers = answers

    def standing(self, *, again: bool = False) -> Any:
        self._answers.asked.append((self.endpoint.name, again))
        if isinstance(self._answers.standing, Exception):
            raise self._answers.standing
        return self._answers.standing

    def editions(self) -> Any:
        if isinstance(self._answers.editions, Exception):
            raise self._answers.editions
        return self._answers.editions


@pytest.fixture
def answers() -> Answers:
    return Answers()


@pytest.fixture
def estate(answers: Answers) -> Iterator[Sessions]:
    @contextmanager
    def opened(one: Endpoint) -> Iterator[SessionBase]:
        if one.name == "dead":
            raise NO_ANSWER
        yield Host(one, answers)

    ends = {name: endpoint(name, EndpointKind.ESXI) for name in ("esx", "esx-2", "dead")} | {"vc": endpoint()}
    with Sessions(ends, {EndpointKind.ESXI: opened}) as held:
        yield held


@pytest.mark.parametrize(
    ("standing", "editions", "why"),
    [
        pytest.param(
            NO_ANSWER, FULL, "whether a vCenter manages esx could not be read (no answer), so nothing is written there", id="no answer"
        ),
        pytest.param(
            SimpleNamespace(is_managed=None, managed_by=None),
            FULL,
            "whether a vCenter manages esx may not be read by this account, so nothing is written there",
            id="not known",
        ),
        pytest.param(
            SimpleNamespace(is_managed=True, managed_by="192.0.2.7"),
            FULL,
            "esx is managed by the vCenter at 192.0.2.7, which may overwrite what is set behind its back: audit and fix it through that"
            " vCenter",
            id="a vCenter manages it",
        ),
        pytest.param(
            ALONE,
            FREE,
            "the licence of esx lets the API read alone (RestrictedVersion): make it by hand on the host",
            id="the free licence",
        ),
    ],
)
def test_a_single_host_on_which_nothing_is_written_keeps_its_changes(
    estate: Sessions, answers: Answers, change: Make, standing: Any, editions: Any, why: str
) -> None:
    answers.standing, answers.editions = standing, editions
    one, on_vcenter = change(where="esx"), change(where="vc")
    left, skipped = without_unwritable([one, on_vcenter], estate, answers.notices.append)
    assert (left, skipped, answers.notices) == ([on_vcenter], [Receipt(one, Outcome.PROPOSED, 32, why)], [])


def test_a_host_that_cannot_be_reached_keeps_its_changes(estate: Sessions, answers: Answers, change: Make) -> None:
    _, [receipt] = without_unwritable([change(where="dead")], estate, answers.notices.append)
    assert receipt.why == "whether a vCenter manages dead could not be read (no answer), so nothing is written there"


def test_a_host_that_no_vcenter_manages_is_written_to_and_asked_once(estate: Sessions, answers: Answers, change: Make) -> None:
    changes = [change("a", where="esx"), change("b", where="esx"), change("c", where="esx-2"), change("d", where="vc")]
    assert without_unwritable(changes, estate, answers.notices.append) == (changes, [])
    assert answers.asked == [("esx", True), ("esx-2", True)]


def test_a_licence_that_cannot_be_read_is_no_reason_and_is_noticed(estate: Sessions, answers: Answers, change: Make) -> None:
    answers.editions = NO_ANSWER
    one = change(where="esx")
    assert without_unwritable([one], estate, answers.notices.append) == ([one], [])
    assert answers.notices == ["esx: whether its licence allows writing could not be read (no answer); the host itself refuses it if not."]
