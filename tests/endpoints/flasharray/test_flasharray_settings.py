"""A ceiling or a personality on a FlashArray is read as it is, written once, read back, and put back as it was."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.common.remediator import Reading, Remediator
from auditor.endpoints.flasharray.client import FlashArray, open_flasharray
from auditor.endpoints.flasharray.settings.host_personality import FlashArrayHostPersonality
from auditor.endpoints.flasharray.settings.volume_group_limit import FlashArrayVolumeGroupLimit
from auditor.endpoints.flasharray.settings.volume_limit import FlashArrayVolumeLimit
from auditor.errors import AuditorError, MalformedAnswerError, NotThereError, RefusedError
from auditor.model import Change, Endpoint, EndpointKind, FixClass, Limits, Outcome, Resource, Target
from auditor_lab.arrays.flasharray.description import FlashArrayDescription
from auditor_lab.arrays.flasharray.parts import (
    HostDescription,
    LimitsDescription,
    QosDescription,
    VolumeDescription,
    VolumeGroupDescription,
)
from auditor_lab.arrays.flasharray.server import FlashArrayServer
from auditor_lab.wire import Fault
from tests.applying import applied, put_back
from tests.endpoints.arrays import serving_array
from tests.waiting import NEVER_SECONDS, SHORT_SECONDS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from auditor.model import Receipt, Scalar

MIB = 1 << 20
DESCRIPTION = FlashArrayDescription(
    name="fa",
    id="6c1b16ce-1c03-4d1c-b974-33405cf8d565",
    hosts=(HostDescription("esx-1"), HostDescription("esx-2", personality=None)),
    volume_groups=(VolumeGroupDescription("batch", QosDescription(15_000)),),
    volumes=(VolumeDescription("free"), VolumeDescription("batch/log", qos=QosDescription(1000, 400 * MIB))),
)
VOLUME: Remediator[FlashArray] = FlashArrayVolumeLimit()
GROUP: Remediator[FlashArray] = FlashArrayVolumeGroupLimit()
HOST: Remediator[FlashArray] = FlashArrayHostPersonality()


@dataclass
class Peer:
    """A served array and how to reach it."""

    server: FlashArrayServer
    endpoint: Endpoint
    folder: Path

    def qos(self) -> dict[str, tuple[int | None, int | None]]:
        held: list[Any] = [*self.server.array.volumes.values(), *self.server.array.groups.values()]
        return {one.name: (one.qos.iops_limit, one.qos.bandwidth_limit) for one in held}

    def personalities(self) -> list[str | None]:
        return [host.personality for host in self.server.array.hosts.values()]

    def writes(self) -> int:
        return sum(request.startswith("PATCH") for request in self.server.requests)

    def run(self, run: str, change: Change) -> Receipt:
        return applied(change, self.endpoint, self.folder / "journal", run)

    def undone(self, run: str) -> Receipt:
        (receipt,) = put_back(run, self.endpoint, self.folder / "journal", SECOND)
        return receipt


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[Peer]:
    with serving_array(EndpointKind.FLASHARRAY, DESCRIPTION, tmp_path) as (server, endpoint):
        yield Peer(server, endpoint, tmp_path)


@pytest.fixture
def array(peer: Peer) -> Iterator[FlashArray]:
    with open_flasharray(peer.endpoint) as opened:
        yield opened


def target(name: str, field: str | None = "iops_limit") -> Target:
    return Target("fa-east", (*((("field", field),) if field else ()), ("name", name)))


FIRST, SECOND = "20181104T120000Z-0001", "20181104T130000Z-0002"


def change(remediator: str, where: Target, before: Scalar, after: Scalar) -> Change:
    resource = Resource("array_volume", where["name"], where["name"], "fa-east", None, None)
    return Change(remediator, FixClass.ARRAY, where, before, after, ("site/rule",), resource, "reason")


@pytest.mark.parametrize(
    ("remediator", "name", "field", "value"),
    [
        pytest.param(VOLUME, "batch/log", "iops_limit", 1000, id="a volume's operations"),
        pytest.param(VOLUME, "batch/log", "bandwidth_limit", 400 * MIB, id="a volume's bandwidth"),
        pytest.param(VOLUME, "free", "iops_limit", None, id="none"),
        pytest.param(GROUP, "batch", "iops_limit", 15_000, id="a group's operations"),
        pytest.param(GROUP, "batch", "bandwidth_limit", None, id="a group without a bandwidth's ceiling"),
        pytest.param(HOST, "esx-1", None, "esxi", id="a personality"),
        pytest.param(HOST, "esx-2", None, "", id="no personality"),
    ],
)
def test_a_setting_is_read_as_it_is(
    array: FlashArray, remediator: Remediator[FlashArray], name: str, field: str | None, value: Scalar
) -> None:
    assert remediator.read(array, target(name, field)) == Reading(value)


CHANGES = [
    pytest.param("flasharray.volume_limit", target("batch/log"), 1000, 5000, id="a ceiling that is raised"),
    pytest.param("flasharray.volume_limit", target("batch/log"), 1000, None, id="a ceiling that is lifted"),
    pytest.param("flasharray.volume_limit", target("free", "bandwidth_limit"), None, 50 * MIB, id="a ceiling where there was none"),
    pytest.param("flasharray.volume_group_limit", target("batch"), 15_000, None, id="a group's ceiling that is lifted"),
    pytest.param("flasharray.host_personality", target("esx-2", None), "", "esxi", id="a personality that was forgotten"),
    pytest.param("flasharray.host_personality", target("esx-1", None), "esxi", "", id="a personality that is taken away"),
]


@pytest.mark.parametrize(("remediator", "where", "before", "after"), CHANGES)
def test_a_change_is_made_read_back_and_taken_back_where_an_empty_ceiling_is_refused(
    peer: Peer, remediator: str, where: Target, before: Scalar, after: Scalar
) -> None:
    described = dataclasses.replace(DESCRIPTION, limits=LimitsDescription(unset=False))
    peer.server.array.description = described
    whole = peer.qos(), peer.personalities()
    receipt = peer.run(FIRST, change(remediator, where, before, after))
    assert (receipt.outcome, receipt.found) == (Outcome.APPLIED, after)
    assert sum(one != two for one, two in zip(whole, (peer.qos(), peer.personalities()), strict=True)) == 1
    back = peer.undone(FIRST)
    assert (back.outcome, back.found) == (Outcome.APPLIED, before)
    if "personality" in remediator or None not in (before, after):
        assert (peer.qos(), peer.personalities()) == whole
        assert peer.writes() == 2


def test_an_array_that_lifts_no_ceiling_gets_the_highest_and_nothing_else_changes(peer: Peer, array: FlashArray) -> None:
    peer.server.array.description = dataclasses.replace(DESCRIPTION, limits=LimitsDescription(unset=False))
    VOLUME.write(array, target("batch/log"), None)
    VOLUME.write(array, target("batch/log", "bandwidth_limit"), None)
    assert peer.qos() == {"free": (None, None), "batch/log": (100_000_000, 512 << 30), "batch": (15_000, None)}
    assert VOLUME.read(array, target("batch/log")) == VOLUME.read(array, target("batch/log", "bandwidth_limit")) == Reading(None)


@pytest.mark.parametrize(
    ("fault", "outcome", "iops"),
    [
        pytest.param(Fault("lose", "PATCH volumes"), Outcome.APPLIED, 5000, id="the answer is lost after the write"),
        pytest.param(Fault("truncate", "PATCH volumes"), Outcome.APPLIED, 5000, id="the answer is cut short after the write"),
        pytest.param(Fault("drop", "PATCH volumes"), Outcome.UNVERIFIED, 1000, id="the connection drops before the write"),
        pytest.param(Fault("status", "PATCH volumes", status=503), Outcome.UNVERIFIED, 1000, id="the array is busy"),
    ],
)
def test_what_is_read_back_decides_and_a_write_is_never_sent_twice(peer: Peer, fault: Fault, outcome: Outcome, iops: int) -> None:
    peer.server.faults.active.append(fault)
    receipt = peer.run(FIRST, change("flasharray.volume_limit", target("batch/log"), 1000, 5000))
    assert (receipt.outcome, receipt.found, peer.qos()["batch/log"][0], peer.writes()) == (outcome, iops, iops, 1)


def test_a_write_that_times_out_after_it_was_done_is_found_done(peer: Peer) -> None:
    peer.endpoint = dataclasses.replace(peer.endpoint, limits=Limits(timeout_seconds=SHORT_SECONDS))
    whole = peer.server.answer

    def late(request: Any) -> Any:
        answer = whole(request)
        if request.method == "PATCH":
            peer.server.stopping.wait(NEVER_SECONDS)  # the array has done it, and does not come to say so
        return answer

    peer.server.answer = late
    receipt = peer.run(FIRST, change("flasharray.volume_limit", target("batch/log"), 1000, 5000))
    assert (receipt.outcome, receipt.found, peer.writes()) == (Outcome.APPLIED, 5000, 1)
    assert "not confirmed" in receipt.why


def test_lifting_a_ceiling_is_tried_once_when_the_outcome_is_not_known(peer: Peer, array: FlashArray) -> None:
    """The highest value is a second way of writing it, for an array that said no; not for one that said nothing."""
    peer.server.faults.active.append(Fault("drop", "PATCH volumes"))
    with pytest.raises(AuditorError, match="did not answer"):
        VOLUME.write(array, target("batch/log"), None)
    assert peer.writes() == 1


def test_a_value_the_array_refuses_changes_nothing(peer: Peer) -> None:
    receipt = peer.run(FIRST, change("flasharray.host_personality", target("esx-2", None), "", "ESXi"))
    assert (receipt.outcome, receipt.found, peer.writes()) == (Outcome.REFUSED, "", 1)
    assert "Invalid personality" in receipt.why


@pytest.mark.parametrize(
    ("remediator", "where", "value"),
    [
        pytest.param(VOLUME, target("free"), 99, id="fewer operations than there are"),
        pytest.param(VOLUME, target("free"), 100_000_000, id="the highest, which is none"),
        pytest.param(VOLUME, target("free", "bandwidth_limit"), MIB - 1, id="less bandwidth than there is"),
        pytest.param(GROUP, target("batch", "bandwidth_limit"), 512 << 30, id="the highest bandwidth, which is none"),
        pytest.param(VOLUME, target("free"), "500", id="a string"),
        pytest.param(VOLUME, target("free"), "", id="the word for none"),
        pytest.param(VOLUME, target("free"), True, id="a truth value"),
        pytest.param(VOLUME, target("free"), 500.0, id="a float"),
        pytest.param(VOLUME, target("free", "qos"), 500, id="a field that is no ceiling"),
        pytest.param(HOST, target("esx-1", None), None, id="no personality, said otherwise than it is read"),
        pytest.param(HOST, target("esx-1", None), 7, id="a personality that is a number"),
    ],
)
def test_what_cannot_be_is_not_even_sent(
    peer: Peer, array: FlashArray, remediator: Remediator[FlashArray], where: Target, value: Scalar
) -> None:
    with pytest.raises(RefusedError, match=r"cannot be set|no ceiling"):
        remediator.write(array, where, value)
    assert peer.writes() == 0


@pytest.mark.parametrize(
    ("remediator", "where"),
    [
        pytest.param(VOLUME, target("gone"), id="a volume"),
        pytest.param(GROUP, target("gone"), id="a group"),
        pytest.param(HOST, target("gone", None), id="a host"),
        pytest.param(VOLUME, target("batch"), id="a group taken for a volume"),
    ],
)
def test_what_is_not_there_is_neither_read_nor_written(array: FlashArray, remediator: Remediator[FlashArray], where: Target) -> None:
    with pytest.raises(NotThereError):
        remediator.read(array, where)
    with pytest.raises(NotThereError):
        remediator.write(array, where, "esxi" if remediator is HOST else 500)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        pytest.param({"qos": None}, MalformedAnswerError, id="no QoS"),
        pytest.param({"qos": {"iops_limit": "many"}}, MalformedAnswerError, id="a word"),
        pytest.param({"qos": {"iops_limit": True}}, MalformedAnswerError, id="a truth value"),
        pytest.param({"qos": {"iops_limit": 0}}, MalformedAnswerError, id="less than there is"),
        pytest.param({"qos": {"iops_limit": {"value": 500}}}, MalformedAnswerError, id="an object"),
        pytest.param({"destroyed": True}, NotThereError, id="a volume that awaits its end"),
        pytest.param({"name": "other"}, NotThereError, id="another volume than was asked for"),
    ],
)
def test_a_ceiling_that_cannot_be_read_is_never_guessed(
    peer: Peer, array: FlashArray, change: dict[str, Any], error: type[AuditorError]
) -> None:
    peer.server.alterations["GET volumes"] = lambda answer: {**answer, "items": [{**answer["items"][0], **change}]}
    with pytest.raises(error):
        VOLUME.read(array, target("free"))


def test_a_host_of_a_peer_array_is_neither_read_nor_written(peer: Peer, array: FlashArray) -> None:
    peer.server.alterations["GET hosts"] = lambda answer: {**answer, "items": [{**answer["items"][0], "is_local": False}]}
    with pytest.raises(NotThereError, match="belongs to another array"):
        HOST.read(array, target("esx-1", None))
    with pytest.raises(NotThereError, match="belongs to another array"):
        HOST.write(array, target("fa-2:esx-1", None), "esxi")
    assert peer.writes() == 0


def test_a_personality_that_is_no_text_is_never_guessed(peer: Peer, array: FlashArray) -> None:
    peer.server.alterations["GET hosts"] = lambda answer: {**answer, "items": [{**answer["items"][0], "personality": 7}]}
    with pytest.raises(MalformedAnswerError):
        HOST.read(array, target("esx-1", None))


@pytest.mark.parametrize(
    ("qos", "value"),
    [
        pytest.param({"iops_limit": "5000"}, 5000, id="a number as a string"),
        pytest.param({"iops_limit": 100_000_000}, None, id="the highest is none"),
        pytest.param({}, None, id="left out is none"),
    ],
)
def test_a_ceiling_told_otherwise_is_the_same_ceiling(peer: Peer, array: FlashArray, qos: dict[str, Any], value: int | None) -> None:
    peer.server.alterations["GET volumes"] = lambda answer: {**answer, "items": [{**answer["items"][0], "qos": qos}]}
    assert VOLUME.read(array, target("free")) == Reading(value)
