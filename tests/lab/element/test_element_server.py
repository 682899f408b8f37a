"""The lab's Element cluster behaves as the API reference says, asked by a plain HTTP client and not by ours."""

from __future__ import annotations

import dataclasses
import ssl
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import httpx
import msgspec
import pytest

from auditor_lab.arrays.element.description import (
    AccessGroupDescription,
    ContainerDescription,
    ElementDescription,
    NodeDescription,
    QosDescription,
    QosPolicyDescription,
    VolumeDescription,
    VvolDescription,
)
from auditor_lab.arrays.element.server import ElementServer
from auditor_lab.authority import Authority

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

DESCRIPTION = ElementDescription(
    name="tiers",
    unique_id="dg0j",
    nodes=(NodeDescription(1, "n1"), NodeDescription(3, "n3"), NodeDescription(4, "n4", state="pending")),
    qos_policies=(QosPolicyDescription("Bronze", 25, 1000, 2000), QosPolicyDescription("Gold", 100, 3000, 6000)),
    volumes=(
        VolumeDescription("one", policy="Bronze"),
        VolumeDescription("two", policy="Bronze"),
        VolumeDescription("own", qos=QosDescription(60, 700, 800)),
        VolumeDescription("plain"),
    ),
    containers=(ContainerDescription("vvols"),),
    vvols=(
        VvolDescription("a", "vvols", policy="Gold", vm_uuid="502e0676-e510-ccdd-394c-667f6867fcdf", bound_by=("esx-1", "esx-2")),
        VvolDescription("b", "vvols", kind="Config", node=1),
    ),
)


@pytest.fixture
def serve(tmp_path: Path) -> Callable[[ElementDescription], Any]:
    authority = Authority()
    authority.write(tmp_path / "ca.pem")

    @contextmanager
    def serving(description: ElementDescription, auth: tuple[str, str] = ("audit", "right")) -> Iterator[tuple[Any, ElementServer]]:
        server = ElementServer(description, authority.server_context("127.0.0.1"), "audit", "right")
        context = ssl.create_default_context(cafile=str(tmp_path / "ca.pem"))
        with httpx.Client(verify=context, auth=auth, base_url=f"https://127.0.0.1:{server.port}") as session:
            yield session, server
        server.stop()

    return serving


def result(session: httpx.Client, method: str, **params: Any) -> Any:
    return post(session, method, **params)["result"]


def error(session: httpx.Client, method: str, **params: Any) -> Any:
    return post(session, method, **params)["error"]["name"]


def post(session: httpx.Client, method: str, **params: Any) -> Any:
    return session.post("/json-rpc/12.3", json={"method": method, "params": params, "id": 7}).json()


def limits(volume: dict[str, Any]) -> tuple[int, int, int]:
    return (volume["qos"]["minIOPS"], volume["qos"]["maxIOPS"], volume["qos"]["burstIOPS"])


def test_a_description_is_plain_data() -> None:
    plain = msgspec.to_builtins(DESCRIPTION)
    assert msgspec.convert(plain, ElementDescription) == DESCRIPTION


@pytest.mark.parametrize(
    ("change", "said"),
    [
        pytest.param({"unique_id": "toolong"}, "4 ASCII", id="a unique id of the wrong length"),
        pytest.param({"qos_policies": ()}, "QoS policy", id="a volume with a policy that is not there"),
        pytest.param({"containers": ()}, "storage container", id="a vVol in a container that is not there"),
    ],
)
def test_a_description_that_contradicts_itself_is_refused(change: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        dataclasses.replace(DESCRIPTION, **change)


def test_a_changed_policy_changes_every_volume_that_uses_it_and_no_other(serve: Any) -> None:
    with serve(DESCRIPTION) as (session, _):
        answer = result(session, "ModifyQoSPolicy", qosPolicyID=1, qos={"minIOPS": 50})
        assert limits(answer["qosPolicy"]) == (50, 1000, 2000), "values left out must stay"
        volumes = {volume["name"]: limits(volume) for volume in result(session, "ListVolumes")["volumes"]}
    assert volumes == {
        "one": (50, 1000, 2000),
        "two": (50, 1000, 2000),
        "own": (60, 700, 800),
        "plain": (50, 15000, 15000),
        "a": (100, 3000, 6000),
        "b": (50, 15000, 15000),
    }


@pytest.mark.parametrize(
    ("params", "name"),
    [
        pytest.param({"qosPolicyID": 1, "qos": {"minIOPS": 49}}, "xInvalidParameter", id="below what GetLimits allows"),
        pytest.param({"qosPolicyID": 1, "qos": {"burstIOPS": 200001}}, "xInvalidParameter", id="above what GetLimits allows"),
        pytest.param({"qosPolicyID": 1, "qos": {"minIOPS": "60"}}, "xInvalidParameter", id="a string for a number"),
        pytest.param({"qosPolicyID": 1, "qos": {"maxIOPS": 2500}}, "xInvalidParameter", id="a ceiling above the burst"),
        pytest.param({"qosPolicyID": 99, "qos": {"minIOPS": 60}}, "xQoSPolicyDoesNotExist", id="no such policy"),
    ],
)
def test_a_policy_keeps_its_limits_when_a_change_is_refused(serve: Any, params: dict[str, Any], name: str) -> None:
    with serve(DESCRIPTION) as (session, _):
        assert error(session, "ModifyQoSPolicy", **params) == name
        assert [limits(policy) for policy in result(session, "ListQoSPolicies")["qosPolicies"]] == [(25, 1000, 2000), (100, 3000, 6000)]


@pytest.mark.parametrize(
    ("params", "policy", "expected"),
    [
        pytest.param({"qosPolicyID": 2, "associateWithQoSPolicy": True}, 2, (100, 3000, 6000), id="another policy"),
        pytest.param({"associateWithQoSPolicy": False}, None, (25, 1000, 2000), id="no policy any more"),
        pytest.param({"qos": {"minIOPS": 50, "maxIOPS": 900}}, None, (50, 900, 2000), id="limits of its own"),
    ],
)
def test_a_volume_takes_the_policy_or_the_limits_it_is_given(
    serve: Any, params: dict[str, Any], policy: int | None, expected: tuple[int, int, int]
) -> None:
    with serve(DESCRIPTION) as (session, _):
        changed = result(session, "ModifyVolume", volumeID=1, **params)["volume"]
        assert (changed["qosPolicyID"], limits(changed)) == (policy, expected)
        assert limits(result(session, "ListVolumes", volumeIDs=[1])["volumes"][0]) == expected
        assert limits(result(session, "ListVolumes", volumeIDs=[2])["volumes"][0]) == (25, 1000, 2000)


def test_a_policy_below_todays_limits_can_be_mended_field_by_field(serve: Any) -> None:
    with serve(DESCRIPTION) as (session, _):
        assert limits(result(session, "ModifyQoSPolicy", qosPolicyID=1, qos={"burstIOPS": 3000})["qosPolicy"]) == (25, 1000, 3000)


def test_limits_and_a_policy_at_once_are_refused(serve: Any) -> None:
    with serve(DESCRIPTION) as (session, _):
        assert error(session, "ModifyVolume", volumeID=1, qosPolicyID=2, qos={"maxIOPS": 900}) == "xInvalidParameter"
        assert error(session, "ModifyVolume", volumeID=99, qosPolicyID=2) == "xVolumeIDDoesNotExist"
        assert error(session, "ModifyVolume", volumeID=1, access="locked") == "xInvalidParameter"


def test_every_active_node_has_one_protocol_endpoint_named_after_it(serve: Any) -> None:
    with serve(DESCRIPTION) as (session, _):
        answer = result(session, "ListProtocolEndpoints")["protocolEndpoints"]
        nodes = result(session, "ListAllNodes")
        assert [node["name"] for node in result(session, "ListActiveNodes")["nodes"]] == ["n1", "n3"]
    # The second name was recorded on a cluster whose unique id is dg0j.
    assert [each["scsiNAADeviceID"] for each in answer] == ["6f47acc2000000016467306a00000000", "6f47acc2000000036467306a00000000"]
    assert [node["nodeID"] for node in nodes["nodes"]] == [1, 3]
    assert [node["pendingNodeID"] for node in nodes["pendingNodes"]] == [4]


def test_a_vvol_is_bound_once_for_each_host_through_the_protocol_endpoint_of_its_node(serve: Any) -> None:
    with serve(DESCRIPTION) as (session, _):
        bindings = result(session, "ListVirtualVolumeBindings")["bindings"]
        vvols = {each["metadata"]["VMW_VVolName"]: each for each in result(session, "ListVirtualVolumes")["virtualVolumes"]}
        detailed = result(session, "ListVirtualVolumes", details=True)["virtualVolumes"]
        containers = result(session, "ListStorageContainers")["storageContainers"]
    assert [(each["virtualVolumeBindingID"], each["virtualVolumeHostID"]) for each in bindings] == [(1, "esx-1"), (2, "esx-2")]
    assert {each["protocolEndpointInBandID"] for each in bindings} == {"naa.6f47acc2000000016467306a00000000"}
    assert {each["virtualVolumeID"] for each in bindings} == {vvols["a"]["virtualVolumeID"]}
    assert (vvols["a"]["bindings"], vvols["b"]["bindings"]) == ([1, 2], [])
    assert vvols["a"]["metadata"]["VMW_VmID"] == "502e0676-e510-ccdd-394c-667f6867fcdf"
    assert vvols["a"]["volumeInfo"] is None
    assert all(each["volumeInfo"]["virtualVolumeID"] == each["virtualVolumeID"] for each in detailed)
    assert sorted(containers[0]["virtualVolumes"]) == sorted(each["virtualVolumeID"] for each in vvols.values())


def test_a_large_cluster_is_cut_at_the_page_limit_without_a_word(serve: Any) -> None:
    many = dataclasses.replace(DESCRIPTION, page_limit=2)
    with serve(many) as (session, _):
        first = result(session, "ListVolumes")["volumes"]
        rest = result(session, "ListVolumes", startVolumeID=3, limit=10000)["volumes"]
        pages = result(session, "ListVirtualVolumes", limit=1)
        last = result(session, "ListVirtualVolumes", limit=1, startVirtualVolumeID=pages["nextVirtualVolumeID"])
    assert [volume["volumeID"] for volume in first] == [1, 2]
    assert [volume["volumeID"] for volume in rest] == [3, 4]
    assert len(pages["virtualVolumes"]) == len(last["virtualVolumes"]) == 1
    assert last["nextVirtualVolumeID"] == "00000000-0000-0000-0000-000000000000"


def test_virtual_volumes_can_be_left_out_of_the_volumes(serve: Any) -> None:
    with serve(DESCRIPTION) as (session, _):
        names = [volume["name"] for volume in result(session, "ListVolumes", includeVirtualVolumes=False)["volumes"]]
    assert names == ["one", "two", "own", "plain"]


@pytest.mark.parametrize(
    "auth",
    [
        pytest.param(("audit", "wrong"), id="wrong password"),
        pytest.param(("somebody", "right"), id="wrong user"),
        pytest.param(("audit", "päss:wörd"), id="letters beyond ASCII"),
    ],
)
def test_wrong_credentials_get_a_page_and_not_json(serve: Any, auth: tuple[str, str]) -> None:
    with serve(DESCRIPTION, auth) as (session, _):
        answer = session.post("/json-rpc/12.3", json={"method": "GetClusterInfo", "params": {}, "id": 1})
    assert (answer.status_code, answer.headers["Content-Type"]) == (401, "text/html")
    assert "401 Unauthorized" in answer.text


def test_an_account_that_may_only_read_cannot_write(serve: Any) -> None:
    with serve(dataclasses.replace(DESCRIPTION, permissions=frozenset({"read"}))) as (session, _):
        assert error(session, "ModifyQoSPolicy", qosPolicyID=1, qos={"minIOPS": 50}) == "xPermissionDenied"
        assert limits(result(session, "ListQoSPolicies")["qosPolicies"][0]) == (25, 1000, 2000)


def test_what_is_not_a_call_is_answered_with_an_error(serve: Any) -> None:
    with serve(DESCRIPTION) as (session, server):
        assert error(session, "ListUnicorns") == "xUnknownAPIMethod"
        assert session.post("/json-rpc/99.0", json={"method": "ListVolumes"}).json()["error"]["name"] == "xUnknownAPIVersion"
        assert session.post("/json-rpc/12.3", content=b"[").json()["error"]["code"] == 500
        assert session.get("/json-rpc/12.3").status_code == 404
        assert session.post("/elsewhere", json={}).status_code == 404
        assert server.requests[:2] == ["ListUnicorns", "ListVolumes"]


def test_chap_secrets_are_answered_in_clear_as_a_real_cluster_does(serve: Any) -> None:
    with serve(DESCRIPTION) as (session, _):
        for method, under in (("ListAccounts", "accounts"), ("ListStorageContainers", "storageContainers")):
            assert all(each["initiatorSecret"] and each["targetSecret"] for each in result(session, method)[under])


def test_the_remaining_lists_answer(serve: Any) -> None:
    with serve(DESCRIPTION) as (session, _):
        assert result(session, "GetClusterInfo")["clusterInfo"]["uniqueID"] == "dg0j"
        assert result(session, "GetClusterVersionInfo")["clusterVersion"] == "12.3.0.958"
        assert result(session, "GetLimits")["volumeMinIOPSMin"] == 50
        assert result(session, "GetDefaultQoS")["curve"]["262144"] == 3900
        assert "ListVolumes" in result(session, "GetAPI")["12.3"]
        assert (result(session, "ListInitiators"), result(session, "ListISCSISessions")) == ({"initiators": []}, {"sessions": []})


GROUPS = dataclasses.replace(
    DESCRIPTION,
    volumes=(VolumeDescription("one", access_groups=("esx", "bare")), VolumeDescription("two", access_groups=("esx",))),
    access_groups=(
        AccessGroupDescription("esx", ("iqn.1998-01.com.vmware:esx-1", "21:00:00:0e:1e:14:af:40")),
        AccessGroupDescription("chap", ("iqn.1998-01.com.vmware:esx-2",), require_chap=True),
    ),
)


def test_access_groups_tell_their_initiators_and_volumes(serve: Any) -> None:
    with serve(GROUPS) as (session, _):
        groups = result(session, "ListVolumeAccessGroups")["volumeAccessGroups"]
        second = result(session, "ListVolumeAccessGroups", startVolumeAccessGroupID=2, limit=1)["volumeAccessGroups"]
        chosen = result(session, "ListVolumeAccessGroups", volumeAccessGroups=[3])["volumeAccessGroups"]
        luns = result(session, "GetVolumeAccessGroupLunAssignments", volumeAccessGroupID=1)["volumeAccessGroupLunAssignments"]
        assert error(session, "GetVolumeAccessGroupLunAssignments", volumeAccessGroupID=9) == "xVolumeAccessGroupIdDoesNotExist"
        volumes = {each["name"]: each["volumeAccessGroups"] for each in result(session, "ListVolumes")["volumes"]}
    reported = [(group["volumeAccessGroupID"], group["name"], group["initiatorIDs"], group["volumes"]) for group in groups]
    assert reported == [(1, "esx", [1, 2], [1, 2]), (2, "chap", [3], []), (3, "bare", [], [1])]
    assert groups[0]["initiators"] == ["iqn.1998-01.com.vmware:esx-1", "21:00:00:0e:1e:14:af:40"]
    assert [[group["name"] for group in some] for some in (second, chosen)] == [["chap"], ["bare"]]
    assert luns["lunAssignments"] == [{"lun": 0, "volumeID": 1}, {"lun": 1, "volumeID": 2}]
    assert (volumes["one"], volumes["two"]) == ([1, 3], [1])


def test_only_initiators_that_need_chap_tell_their_secrets(serve: Any) -> None:
    with serve(GROUPS) as (session, _):
        every = result(session, "ListInitiators")["initiators"]
        later = result(session, "ListInitiators", startInitiatorID=2, limit=1)["initiators"]
        chosen = result(session, "ListInitiators", initiators=[3])["initiators"]
        assert error(session, "ListInitiators", initiators=[3], startInitiatorID=1) == "xInvalidParameter"
    assert [(each["initiatorID"], each["volumeAccessGroups"], "initiatorSecret" in each) for each in every] == [
        (1, [1], False),
        (2, [1], False),
        (3, [2], True),
    ]
    assert (later, chosen) == (every[1:2], every[2:])


def test_an_initiator_has_a_session_with_each_volume_or_with_each_node(serve: Any) -> None:
    with serve(GROUPS) as (session, _):
        iscsi = result(session, "ListISCSISessions")["sessions"]
        channel = result(session, "ListFibreChannelSessions")["sessions"]
    assert [(each["initiatorName"], each["volumeID"], each["nodeID"]) for each in iscsi] == [
        ("iqn.1998-01.com.vmware:esx-1", 1, 1),
        ("iqn.1998-01.com.vmware:esx-1", 2, 3),
    ]
    assert [(each["initiatorWWPN"], each["nodeID"], each["volumeAccessGroupID"]) for each in channel] == [
        ("21:00:00:0e:1e:14:af:40", 1, 1),
        ("21:00:00:0e:1e:14:af:40", 3, 1),
    ]


def test_many_volumes_are_changed_together_or_not_at_all(serve: Any) -> None:
    with serve(DESCRIPTION) as (session, _):
        changed = result(session, "ModifyVolumes", volumeIDs=[1, 3], qosPolicyID=2, associateWithQoSPolicy=True)["volumes"]
        assert [(volume["volumeID"], volume["qosPolicyID"], limits(volume)) for volume in changed] == [
            (1, 2, (100, 3000, 6000)),
            (3, 2, (100, 3000, 6000)),
        ]
        before = result(session, "ListVolumes")
        assert error(session, "ModifyVolumes", volumeIDs=[2, 99], qosPolicyID=2) == "xVolumeIDDoesNotExist"
        assert error(session, "ModifyVolumes", volumeIDs=list(range(501)), qosPolicyID=2) == "xInvalidParameter"
        assert result(session, "ListVolumes") == before


@pytest.mark.parametrize(
    ("keeps", "policy"), [pytest.param(True, 1, id="it stays in its policy"), pytest.param(False, None, id="it leaves its policy")]
)
def test_a_volume_given_limits_of_its_own_has_them_in_its_policy_or_out_of_it(serve: Any, keeps: bool, policy: int | None) -> None:
    with serve(dataclasses.replace(DESCRIPTION, custom_qos_keeps_policy=keeps)) as (session, _):
        changed = result(session, "ModifyVolume", volumeID=1, qos={"minIOPS": 60, "maxIOPS": 700, "burstIOPS": 800})["volume"]
        assert (changed["qosPolicyID"], limits(changed)) == (policy, (60, 700, 800))
        again = result(session, "ModifyVolume", volumeID=1, associateWithQoSPolicy=True, qosPolicyID=1)["volume"]
        assert (again["qosPolicyID"], limits(again)) == (1, (25, 1000, 2000))


def test_a_volume_can_be_in_a_policy_and_have_limits_of_its_own_from_the_start(serve: Any) -> None:
    both = VolumeDescription("both", policy="Gold", qos=QosDescription(60, 700, 800))
    with serve(dataclasses.replace(DESCRIPTION, volumes=(both,))) as (session, _):
        (volume,) = result(session, "ListVolumes", includeVirtualVolumes=False)["volumes"]
        assert (volume["qosPolicyID"], limits(volume)) == (2, (60, 700, 800))


def test_accounts_and_what_they_may_do_are_told(serve: Any) -> None:
    with serve(DESCRIPTION) as (session, _):
        own = result(session, "GetCurrentClusterAdmin")["clusterAdmin"]
        every = result(session, "ListClusterAdmins")["clusterAdmins"]
    assert (own["username"], own["access"]) == ("audit", ["read", "write"])
    assert [each["username"] for each in every] == ["admin", "audit"]


def test_histograms_are_of_the_volumes_asked_for(serve: Any) -> None:
    with serve(DESCRIPTION) as (session, _):
        answer = result(session, "ListVolumeQoSHistograms", volumeIDs=[2, 4])["qosHistograms"]
        assert len(result(session, "ListVolumeQoSHistograms")["qosHistograms"]) == 6
        assert error(session, "ListVolumeQoSHistograms", volumeIDs=[99]) == "xVolumeIDDoesNotExist"
    assert [each["volumeID"] for each in answer] == [2, 4]
