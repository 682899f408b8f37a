"""A volume of a Storage Center gets another QoS profile, and nothing else of it changes."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.common.remediator import Reading, Remediator
from auditor.endpoints.dell_sc.client import open_dell_sc
from auditor.endpoints.dell_sc.settings.volume_qos_profile import DellScVolumeQosProfile
from auditor.errors import (
    EndpointError,
    EndpointUnreachableError,
    MalformedAnswerError,
    NotThereError,
    PermissionMissingError,
    RefusedError,
)
from auditor.model import Change, FixClass, Outcome, Receipt, Resource, Target
from auditor_lab.wire import Fault
from tests.applying import applied, put_back
from tests.endpoints.dell_sc.dell_sc_serving import S1, serving
from tests.waiting import NEVER_SECONDS, SHORT_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from auditor.endpoints.dell_sc.client import StorageManager
    from auditor.model import Endpoint, Scalar
    from auditor_lab.arrays.dell_sc.server import DellScServer

PROFILE: Remediator[StorageManager] = DellScVolumeQosProfile()
PUT = "PUT ScVolumeConfiguration"
CAPPED, FREE = "64702.1", "64702.2"  # with the profile Prod, and with Default
FIRST, SECOND = "20181104T120000Z-0001", "20181104T130000Z-0002"


@dataclass
class Peer:
    """The lab's manager, a session with it, and what its volumes have."""

    server: DellScServer
    endpoint: Endpoint
    manager: StorageManager
    journals: Path

    def profiles(self) -> list[str]:
        center = self.server.center
        return [center.qos_profiles[volume.volume_qos].name for volume in center.volumes.values()]

    def writes(self) -> int:
        return self.server.requests.count(PUT)

    def make(self, before: Scalar, after: Scalar) -> Receipt:
        resource = Resource("array_volume", CAPPED, "capped", "sc-east", None, None)
        change = Change("dell_sc.volume_qos_profile", FixClass.ARRAY, target(), before, after, ("qos/rule",), resource, "reason")
        return applied(change, self.endpoint, self.journals, FIRST)

    def take_back(self) -> list[Receipt]:
        return put_back(FIRST, self.endpoint, self.journals, SECOND)


def target(volume_id: str = CAPPED) -> Target:
    return Target("sc-east", (("volume_id", volume_id),))


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Peer]]:
    from contextlib import ExitStack

    with ExitStack() as stack:

        def start(timeout: float = 30.0, **changes: Any) -> Peer:
            server, endpoint = stack.enter_context(serving(tmp_path, dataclasses.replace(S1, **changes), timeout=timeout))
            server.task_seconds = 0.02
            return Peer(server, endpoint, stack.enter_context(open_dell_sc(endpoint)), tmp_path / "journal")

        yield start


@pytest.mark.parametrize(("volume", "value"), [pytest.param(CAPPED, "Prod", id="a profile"), pytest.param(FREE, None, id="nobody's")])
def test_a_profile_is_read_by_its_name_and_default_as_none(serve: Any, volume: str, value: str | None) -> None:
    assert PROFILE.read(serve().manager, target(volume)) == Reading(value)


@pytest.mark.parametrize(
    ("volume", "value", "profiles"),
    [
        pytest.param(CAPPED, None, ["Default", "Default"], id="taken away"),
        pytest.param(FREE, "Prod", ["Prod", "Prod"], id="given"),
        pytest.param(CAPPED, "Prod", ["Prod", "Default"], id="given again"),
    ],
)
def test_a_write_changes_that_volumes_own_profile_and_nothing_else(serve: Any, volume: str, value: str | None, profiles: list[str]) -> None:
    peer = serve()
    before = {index: dataclasses.replace(held) for index, held in peer.server.center.volumes.items()}
    PROFILE.write(peer.manager, target(volume), value)
    assert PROFILE.read(peer.manager, target(volume)) == Reading(value)
    assert peer.profiles() == profiles
    for index, held in peer.server.center.volumes.items():
        assert dataclasses.replace(held, volume_qos=0, modified=held.modified) == dataclasses.replace(
            before[index], volume_qos=0, modified=held.modified
        )
    assert peer.writes() == 1


@pytest.mark.parametrize("value", [True, 2, 1.0, "", "Default"])
def test_what_is_no_profiles_name_is_not_even_sent(serve: Any, value: Scalar) -> None:
    peer = serve()
    with pytest.raises(RefusedError, match="cannot be set to"):
        PROFILE.write(peer.manager, target(), value)
    assert peer.writes() == 0


@pytest.mark.parametrize(
    ("changes", "where", "value", "error", "words"),
    [
        pytest.param({}, target(), "Gold", RefusedError, "no QoS profile for volumes named 'Gold'", id="a profile that is not there"),
        pytest.param({}, target(), "Tenant", RefusedError, "no QoS profile for volumes named 'Tenant'", id="a group's profile"),
        pytest.param({}, target("64702.9"), None, EndpointUnreachableError, "ScVolume 64702.9 was not found", id="a volume that is gone"),
        pytest.param({}, target("../x"), None, NotThereError, "is no id of a volume", id="an id that is none"),
        pytest.param({"allow_qos_profile_selection": False}, target(), None, PermissionMissingError, "may not choose QoS profiles",
                     id="profiles may not be chosen"),
        pytest.param({"permissions": frozenset({"read"})}, target(), None, PermissionMissingError, "privilege to write",
                     id="an account that may only read"),
    ],
)  # fmt: skip
def test_a_write_that_must_not_be_changes_nothing(
    serve: Any, changes: Any, where: Target, value: Any, error: type[EndpointError], words: str
) -> None:
    peer = serve(**changes)
    with pytest.raises(error, match=re.escape(words)):
        PROFILE.write(peer.manager, where, value)
    assert peer.profiles() == ["Prod", "Default"]


def test_profiles_that_share_a_name_are_not_chosen_between(serve: Any) -> None:
    peer = serve()
    peer.server.alterations["ScQosProfile/GetList"] = lambda answer: [*answer, {**answer[1], "instanceId": "64702.9"}]
    with pytest.raises(RefusedError, match="several QoS profiles for volumes named 'Prod'"):
        PROFILE.write(peer.manager, target(FREE), "Prod")
    assert peer.writes() == 0


@pytest.mark.parametrize(
    ("reported", "error"),
    [
        pytest.param({"volumeQosProfile": None}, MalformedAnswerError, id="null"),
        pytest.param({}, MalformedAnswerError, id="not told"),
        pytest.param({"volumeQosProfile": "Prod"}, MalformedAnswerError, id="no object"),
        pytest.param({"volumeQosProfile": {"instanceId": "64702.2"}}, MalformedAnswerError, id="no name"),
        pytest.param([], MalformedAnswerError, id="no configuration"),
    ],
)
def test_a_profile_that_cannot_be_read_is_never_guessed(serve: Any, reported: Any, error: type[EndpointError]) -> None:
    peer = serve()
    peer.server.alterations["ScVolume/VolumeConfiguration"] = lambda _: reported
    with pytest.raises(error):
        PROFILE.read(peer.manager, target())


def test_a_volume_that_is_gone_is_not_there(serve: Any) -> None:
    with pytest.raises(NotThereError, match=re.escape("ScVolume 64702.9 was not found")):
        PROFILE.read(serve().manager, target("64702.9"))


def test_a_change_to_a_profile_that_is_not_there_is_refused_and_not_sent(serve: Any) -> None:
    peer = serve()
    assert peer.make("Prod", "Gold").outcome is Outcome.REFUSED
    assert (peer.writes(), peer.profiles()) == (0, ["Prod", "Default"])


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        pytest.param({"permissions": frozenset({"read"})}, "privilege to write", id="an account that may only read"),
        pytest.param({"allow_qos_profile_selection": False}, "may not choose QoS profiles", id="profiles may not be chosen"),
    ],
)
def test_a_change_that_the_account_may_not_make_is_refused_in_words(serve: Any, changes: Any, reason: str) -> None:
    peer = serve(**changes)
    receipt = peer.make("Prod", None)
    assert receipt.outcome is Outcome.REFUSED
    assert reason in receipt.why


@pytest.mark.parametrize(
    ("fault", "applied"),
    [
        pytest.param(Fault("drop", "AsyncTask"), True, id="nobody tells of its task"),
        pytest.param(Fault("status", PUT, status=503), False, id="the manager is busy"),
    ],
)
def test_a_write_that_is_not_confirmed_is_judged_by_what_is_read_back(serve: Any, fault: Fault, applied: bool) -> None:
    peer = serve()
    peer.server.task_seconds = 0.0
    peer.server.faults.active.append(fault)
    receipt = peer.make("Prod", None)
    assert receipt.outcome is (Outcome.APPLIED if applied else Outcome.UNVERIFIED)
    assert "not confirmed" in receipt.why
    assert (peer.writes(), peer.profiles()[0]) == (1, "Default" if applied else "Prod")


def test_a_write_that_times_out_after_it_was_applied_is_found_applied(serve: Any) -> None:
    peer = serve(timeout=SHORT_SECONDS)
    peer.server.task_seconds = 0.0
    answer = peer.server.answer

    def slow(request: Any) -> Any:
        reply = answer(request)
        if request.method == "PUT":
            peer.server.stopping.wait(NEVER_SECONDS)
        return reply

    peer.server.answer = slow
    receipt = peer.make("Prod", None)
    assert (receipt.outcome, receipt.found) == (Outcome.APPLIED, None)
    assert "no answer within 1 s" in receipt.why


def test_a_task_that_never_ends_is_unverified(serve: Any) -> None:
    peer = serve(timeout=SHORT_SECONDS / 2)
    peer.server.task_seconds = None
    receipt = peer.make("Prod", None)
    assert (receipt.outcome, receipt.found, peer.writes()) == (Outcome.UNVERIFIED, "Prod", 1)
    assert "had not ended" in receipt.why
