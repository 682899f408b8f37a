"""A volume's ceilings stand at several levels of a FlashArray; one that was not read leaves its QoS unknown."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.flasharray.client import open_flasharray
from auditor.endpoints.flasharray.collect import collect_flasharray
from auditor.facts.volume_states import SERVES
from auditor.model import EndpointKind
from auditor_lab.arrays.flasharray.description import FlashArrayDescription
from auditor_lab.arrays.flasharray.parts import HostDescription, PodDescription, QosDescription, VolumeDescription, VolumeGroupDescription
from auditor_lab.wire import Fault
from tests.endpoints.arrays import Collected, serving_array

if TYPE_CHECKING:
    from pathlib import Path

CAP = QosDescription(5000)
FREE = FlashArrayDescription(
    name="fa",
    id="6c1b16ce-1c03-4d1c-b974-33405cf8d565",
    api_versions=("2.2", "2.50"),
    host_groups=("blue",),
    hosts=(HostDescription("esx-1", "blue", wwns=("2100F4C7AA002706",)), HostDescription("esx-2", wwns=("2100F4C7AA002707",))),
    pods=(PodDescription("tenant::pod"),),
    volume_groups=(VolumeGroupDescription("batch", QosDescription(15_000)),),
    volumes=(
        VolumeDescription("of-group", host_groups=("blue",)),
        VolumeDescription("of-host", hosts=("esx-2",)),
        VolumeDescription("tenant::pod::of-realm"),
        VolumeDescription("batch/both", hosts=("esx-2",)),
    ),
)
NAMES = ["of-group", "of-host", "tenant::pod::of-realm", "batch/both"]


def changed(**fields: Any) -> FlashArrayDescription:
    return dataclasses.replace(FREE, **fields)


def read(folder: Path, description: FlashArrayDescription, *faults: Fault, **alterations: Any) -> Collected:
    with serving_array(EndpointKind.FLASHARRAY, description, folder) as (server, endpoint):
        server.faults.active.extend(faults)
        server.alterations.update({f"GET {name.replace('_', '-')}": change for name, change in alterations.items()})
        with open_flasharray(endpoint) as array:
            return Collected(collect_flasharray(array, endpoint))


def ceilings(found: Collected) -> dict[str, tuple[str | None, int | None, bool]]:
    return {row["name"]: (row["qos_group"], row["qos_group_max_iops"], row["qos_read"]) for row in found.tables["array_volume"]}


NONE = dict.fromkeys(NAMES[:3], (None, None, True)) | {"batch/both": ("batch", 15_000, True)}
GROUPS = {"host_group_limits": {"blue": CAP}}
HOSTS = {"hosts": (FREE.hosts[0], dataclasses.replace(FREE.hosts[1], qos=CAP))}
REALMS = {"realms": {"tenant": CAP}}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        pytest.param({}, {}, id="no ceiling at any level"),
        pytest.param(GROUPS, {"of-group": ("host group blue", 5000, True)}, id="of a host group"),
        # Two ceilings over one volume: a row has room for one, and says that it is not all.
        pytest.param(HOSTS, {"of-host": ("host esx-2", 5000, True), "batch/both": ("batch", 15_000, False)}, id="of a host"),
        pytest.param(REALMS, {"tenant::pod::of-realm": ("realm tenant", 5000, True)}, id="of a realm"),
    ],
)
def test_the_ceiling_of_each_level_holds_for_the_volumes_below_it(tmp_path: Path, fields: dict[str, Any], expected: dict[str, Any]) -> None:
    found = read(tmp_path, changed(**fields))
    assert found.gaps == []
    assert ceilings(found) == NONE | expected


def without_qos(answer: dict[str, Any]) -> dict[str, Any]:
    return answer | {"items": [{name: value for name, value in each.items() if name != "qos"} for each in answer["items"]]}


@pytest.mark.parametrize(
    ("faults", "alterations", "unread"),
    [
        pytest.param([Fault("drop", "GET host-groups")], {}, NAMES, id="host groups not asked"),
        pytest.param([Fault("drop", "GET realms")], {}, NAMES, id="realms not asked"),
        pytest.param([Fault("drop", "GET hosts")], {}, NAMES, id="hosts not asked"),
        pytest.param([], {"hosts": without_qos}, ["of-group", "of-host", "batch/both"], id="hosts without the field"),
        pytest.param([], {"host_groups": without_qos}, ["of-group"], id="host groups without the field"),
    ],
)
def test_a_level_that_was_not_read_leaves_the_qos_below_it_unread(
    tmp_path: Path, faults: list[Fault], alterations: Any, unread: list[str]
) -> None:
    found = read(tmp_path, FREE, *faults, **alterations)
    assert [name for name, (_, _, is_read) in ceilings(found).items() if not is_read] == unread


def test_connections_that_were_not_read_leave_it_open_which_host_s_ceiling_holds(tmp_path: Path) -> None:
    found = read(tmp_path, changed(**HOSTS), Fault("drop", "GET connections"))
    assert {is_read for _, _, is_read in ceilings(found).values()} == {False}


def test_a_release_without_these_levels_is_not_asked_for_them(tmp_path: Path) -> None:
    with serving_array(EndpointKind.FLASHARRAY, changed(api_versions=("2.2", "2.35"), **HOSTS), tmp_path) as (server, endpoint):
        with open_flasharray(endpoint) as array:
            found = Collected(collect_flasharray(array, endpoint))
        assert not {"GET host-groups", "GET realms"} & set(server.requests)
    assert ceilings(found) == NONE


def with_realm(**fields: Any) -> Any:
    return lambda answer: answer | {"items": [each | fields for each in answer["items"]]}


# Source: OpenAPI definitions FA2.55, Realm.data_availability_status.
@pytest.mark.parametrize(
    ("word", "state", "serves"),
    [("sealed", "realm sealed", False), ("unsealed", "active", True), (None, "active", True), ("odd", None, None)],
)
def test_the_volumes_of_a_sealed_realm_serve_nobody(tmp_path: Path, word: str | None, state: str | None, serves: bool | None) -> None:
    found = read(tmp_path, changed(**REALMS), realms=with_realm(data_availability_status=word))
    states = {row["name"]: row["status"] for row in found.tables["array_volume"]}
    assert states == dict.fromkeys(NAMES, "active") | {"tenant::pod::of-realm": state}
    assert (state and SERVES["flasharray"][state]) == serves
    assert (found.gaps == []) is (state is not None)


def test_realms_that_were_not_read_leave_the_states_of_what_may_be_in_one_open(tmp_path: Path) -> None:
    pods = changed(pods=(*FREE.pods, PodDescription("alone")), volumes=(*FREE.volumes, VolumeDescription("alone::of-pod")))
    found = read(tmp_path, pods, Fault("drop", "GET realms"))
    states = {row["name"]: row["status"] for row in found.tables["array_volume"]}
    assert states == dict.fromkeys([*NAMES, "alone::of-pod"], "active") | {"tenant::pod::of-realm": None}


def test_a_realm_and_a_group_of_hosts_that_were_destroyed_limit_nothing(tmp_path: Path) -> None:
    gone = with_realm(destroyed=True)
    found = read(tmp_path, changed(**REALMS, **GROUPS), realms=gone, host_groups=gone)
    assert (found.gaps, ceilings(found)) == ([], NONE)
