"""The lab's FlashArray is read as the REST reference says, by a plain HTTP client and not by ours."""

from __future__ import annotations

import dataclasses
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from auditor_lab.arrays.flasharray.description import FlashArrayDescription
from auditor_lab.arrays.flasharray.parts import (
    LoadDescription,
    MachineDescription,
    PodDescription,
    RemoteArrayDescription,
    VolumeDescription,
)
from tests.waiting import SPEED_CHECKS

_ONE_SERVER_FOR_ALL = settings(
    max_examples=25,
    suppress_health_check=[*SPEED_CHECKS, HealthCheck.function_scoped_fixture],  # reading changes nothing
)


def test_a_description_is_plain_data(described: FlashArrayDescription) -> None:
    assert msgspec.convert(msgspec.to_builtins(described), FlashArrayDescription) == described


@pytest.mark.parametrize(
    ("change", "said"),
    [
        pytest.param({"id": "6c1b16ce1c034d1cb97433405cf8d565"}, "UUID", id="an id that is no UUID"),
        pytest.param({"host_groups": ("blue",)}, "host group", id="a connection to a host group that is not there"),
        pytest.param({"hosts": (), "machines": ()}, "no host named", id="a connection to a host that is not there"),
        pytest.param({"pods": ()}, "no pod", id="a volume in a pod that is not there"),
        pytest.param({"volume_groups": ()}, "no volume group", id="a volume in a group that is not there"),
        pytest.param({"machines": (MachineDescription("web", bound_by=("windows",)),)}, "protocol endpoint", id="no endpoint"),
        pytest.param({"volumes": (VolumeDescription("a"), VolumeDescription("a")), "machines": ()}, "twice", id="one name for two volumes"),
        pytest.param({"volumes": (VolumeDescription("a", serial="6C1B"),), "machines": ()}, "24 hex", id="a serial too short"),
    ],
)
def test_a_description_that_contradicts_itself_is_refused(described: Any, change: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        dataclasses.replace(described, **change)


def pages(client: Any, what: str, **query: Any) -> list[list[Any]]:
    """Every page, following the token alone."""
    found, token = [], None
    for _ in range(100):
        answer = client.get(what, **query, **({"continuation_token": token} if token else {}))
        assert answer.status_code == 200, answer.text
        body = answer.json()
        found.append(body["items"])
        token = body["continuation_token"]
        assert body["more_items_remaining"] is (token is not None)
        assert answer.headers.get("x-next-token") == token
        if token is None:
            return found
    raise AssertionError("the pages never end")


@given(
    limit=st.integers(1, 9),
    what=st.sampled_from(["volumes", "connections", "hosts", "ports", "volumes/performance"]),
    sort=st.sampled_from([None, "name", "name-"]),
)
@_ONE_SERVER_FOR_ALL
def test_paging_loses_nothing_and_doubles_nothing(served: Any, limit: int, what: str, sort: str | None) -> None:
    query = {"sort": sort} if sort and what != "connections" else {}
    whole = served.items(what, **query)
    parts = pages(served, what, limit=limit, **query)
    assert [one for part in parts for one in part] == whole
    assert all(len(part) == limit for part in parts[:-1])
    assert 0 < len(parts[-1]) <= limit


@pytest.fixture
def served(serve: Any, described: Any) -> Any:
    return serve(described)[0]


def test_an_array_never_answers_more_than_its_own_limit(serve: Any, described: Any) -> None:
    client, _ = serve(dataclasses.replace(described, page_limit=3))
    assert [len(part) for part in pages(client, "volumes")] == [3, 3, 3, 1]
    assert [len(part) for part in pages(client, "volumes", limit=500)] == [3, 3, 3, 1]


def test_a_count_is_told_only_when_it_is_asked_for(served: Any) -> None:
    assert served.get("volumes").json()["total_item_count"] is None
    assert served.get("volumes", total_item_count="true", limit=2).json()["total_item_count"] == 10
    counted = served.get("volumes", limit=0).json()
    assert (counted["total_item_count"], counted["items"], counted["more_items_remaining"]) == (10, [], False)


def test_an_offset_skips_what_comes_before(served: Any) -> None:
    assert served.names("volumes", offset=4, limit=1) == ["both::ds"]
    assert served.names("volumes", offset=99) == []


@pytest.mark.parametrize(
    ("query", "context"),
    [
        pytest.param({"continuation_token": "bm9uc2Vuc2U="}, "continuation_token", id="a token that is none"),
        pytest.param({"limit": "-1"}, "limit", id="a negative limit"),
        pytest.param({"limit": "many"}, "limit", id="a limit in words"),
        pytest.param({"colour": "red"}, "colour", id="a parameter that is not there"),
        pytest.param({"names": "ds-1,ds-9"}, "ds-9", id="a name that is not there"),
        pytest.param({"ids": "0"}, "0", id="an id that is not there"),
        pytest.param({"sort": "weight"}, "weight", id="sorting by a field that is not there"),
        pytest.param({"total_item_count": "perhaps"}, "total_item_count", id="a flag that is neither true nor false"),
    ],
)
def test_what_is_not_understood_is_refused(served: Any, query: dict[str, str], context: str) -> None:
    assert served.refused(served.get("volumes", **query)) == (400, context)


def test_a_token_belongs_to_its_question(served: Any) -> None:
    token = served.get("volumes", limit=2).json()["continuation_token"]
    assert served.names("volumes", limit=2, continuation_token=token) == ["ds-2", "apps/log"]
    assert served.names("volumes", limit=1, continuation_token=f"'{token}'") == ["ds-2"], "the vendor's client sends it in quotes"
    assert served.get("volumes", limit=2, continuation_token=token, filter="provisioned=0").status_code == 400
    assert served.get("hosts", limit=2, continuation_token=token).status_code == 400


def test_things_are_chosen_by_name_or_by_id(served: Any) -> None:
    assert served.names("volumes", names="ds-2,ds-1") == ["ds-1", "ds-2"]
    (volume,) = served.items("volumes", names="both::ds")
    assert served.names("volumes", ids=volume["id"]) == ["both::ds"]
    assert served.get("volumes", names="ds-1", ids=volume["id"]).status_code == 400
    assert served.names("volumes", destroyed="true") == []


@pytest.mark.parametrize(
    ("what", "text", "expected"),
    [
        pytest.param("volumes", "name='ds-1'", ["ds-1"], id="equal"),
        pytest.param("volumes", 'name="ds-1"', ["ds-1"], id="double quotes"),
        pytest.param("volumes", "name='ds-*'", ["ds-1", "ds-2"], id="a star"),
        pytest.param("volumes", "contains(name,'log')", ["apps/log"], id="contains"),
        pytest.param("volumes", "subtype!='regular'", ["pe"], id="not equal"),
        pytest.param("volumes", "provisioned>1099511627776", ["ds-2"], id="greater"),
        pytest.param("volumes", "provisioned>=1099511627776 and name='ds*'", ["ds-1", "ds-2"], id="at least, and"),
        pytest.param("volumes", "qos.iops_limit<=1000", ["ds-2"], id="null is not below anything"),
        pytest.param("volumes", "pod.name='both' or volume_group.name='apps'", ["apps/log", "both::ds"], id="or, nested fields"),
        pytest.param("volumes", "name='pe' or name='ds-1' and provisioned=0", ["pe"], id="and before or"),
        pytest.param("volumes", "name='ds-1' and name='ds-2' or name='pe'", ["pe"], id="and before a later or"),
        pytest.param("volumes", "contains(pod.name,'o')", ["both::ds"], id="null holds no letters"),
        pytest.param("volumes", "(name='pe' or name='ds-1') and provisioned=0", ["pe"], id="parentheses"),
        pytest.param("volumes", "not(contains(name,'s')) and destroyed=false", ["pe"], id="not, a boolean"),
        pytest.param("volumes", "space.data_reduction>0.5 and provisioned<1 and priority=0", ["pe"], id="fractions"),
        pytest.param("hosts", "personality='esxi'", ["esx-1", "esx-2"], id="personality"),
        pytest.param("hosts", "wwns='2100F4C7AA0025FC'", ["esx-2"], id="one of a list"),
        pytest.param("hosts", "port_connectivity.details!='Redundant'", ["esx-2"], id="connectivity"),
    ],
)
def test_a_filter_leaves_what_it_says(served: Any, what: str, text: str, expected: list[str]) -> None:
    found = served.names(what, filter=text)
    assert [name for name in found if not name.startswith("vvol-")] == expected


@pytest.mark.parametrize(
    "text",
    [
        "name=",
        "name",
        "name='a' and",
        "(name='a'",
        "name='a')",
        "name~'a'",
        "name=bare",
        "name)'a'",
        "contains(name)",
        "contains(name,5)",
        "contains(and,'a')",
        "provisioned=and",
        "nothing='a'",
        "name='a' or nothing=1",
        "",
    ],
)
def test_a_filter_that_is_none_is_refused(served: Any, text: str) -> None:
    assert served.refused(served.get("volumes", filter=text))[0] == 400


@given(st.lists(st.sampled_from(["name", "name-", "provisioned", "provisioned-", "qos.iops_limit", "pod.name-"]), min_size=1, max_size=3))
@_ONE_SERVER_FOR_ALL
def test_sorting_keeps_everything_and_obeys_the_first_field(served: Any, keys: list[str]) -> None:
    whole = served.items("volumes")
    found = served.items("volumes", sort=",".join(keys))
    assert sorted(one["id"] for one in found) == sorted(one["id"] for one in whole)
    if keys[0].startswith(("name", "provisioned")):
        field = keys[0].rstrip("-")
        pairs = pairwise([one[field] for one in found])
        assert all(before >= after if keys[0].endswith("-") else before <= after for before, after in pairs)


def test_hosts_are_sorted_by_a_list_as_well(served: Any) -> None:
    assert served.names("hosts", sort="wwns,name-") == ["esx-2", "esx-1", "windows"]
    assert served.names("hosts", sort="host_group.name-") == ["windows", "esx-1", "esx-2"]


def test_totals_add_up_amounts_and_leave_the_rest_out(served: Any) -> None:
    answer = served.get("volumes", total_only="true").json()
    (total,) = answer["total"]
    # A protocol endpoint has no size; two machines have a config vVol of 4 GiB and a data vVol of 40, one has a swap vVol of 128 MiB.
    assert total["provisioned"] == 3 * (1 << 40) + 2 * (1 << 30) + 2 * (44 << 30) + (128 << 20)
    assert (answer["items"], total["name"], total["serial"], total["qos"]) == (
        [],
        None,
        None,
        {"bandwidth_limit": None, "iops_limit": None},
    )
    assert served.get("connections", total_only="true").status_code == 400


def test_a_group_s_volume_is_connected_to_every_host_of_it_under_one_lun(served: Any) -> None:
    found = served.items("connections", volume_names="ds-2")
    assert [(one["host_group"]["name"], one["host"]["name"], one["lun"]) for one in found] == [
        ("blue", "esx-1", 252),
        ("blue", "esx-2", 252),
        ("empty", None, 254),
    ]
    (private,) = served.items("connections", host_names="windows")
    assert (private["volume"]["name"], private["host_group"]["name"], private["lun"]) == ("apps/log", None, 1)
    counts = {volume["name"]: volume["connection_count"] for volume in served.items("volumes")}
    assert (counts["ds-1"], counts["ds-2"], counts["apps/log"]) == (1, 2, 1)
    assert {group["name"]: (group["host_count"], group["connection_count"]) for group in served.items("host-groups")} == {
        "blue": (2, 4),
        "empty": (0, 1),
    }
    assert served.refused(served.get("connections", host_names="nobody")) == (400, "nobody")


def test_a_machine_on_vvols_is_a_volume_group_and_is_bound_through_the_endpoint(served: Any) -> None:
    web, off = served.items("volume-groups", filter="name='vvol-*'")
    assert web["name"].startswith("vvol-web-")
    assert web["name"].endswith("-vg")
    inside = served.items("volumes", filter=f"volume_group.name='{web['name']}'")
    assert [one["name"].removeprefix(f"{web['name']}/").partition("-")[0] for one in inside] == ["Config", "Data", "Swap"]
    assert {one["volume_group"]["id"] for one in inside} == {web["id"]}
    bound = served.items("connections", protocol_endpoint_names="pe")
    assert [one["volume"]["name"] for one in bound] == [one["name"] for one in inside]
    assert {(one["host"]["name"], one["host_group"]["name"]) for one in bound} == {("esx-1", None)}
    assert (web["volume_count"], off["volume_count"]) == (3, 2)
    counts = [one["connection_count"] for one in served.items("volumes", filter=f"volume_group.name='{off['name']}'")]
    assert counts == [0, 0], "nobody has it open"


def test_two_arrays_of_a_stretched_pod_present_one_serial(serve: Any, described: Any) -> None:
    remote = described.pods[0].stretched_to[0]
    second = FlashArrayDescription(
        name=remote.name,
        id=remote.id,
        pods=(PodDescription("both", (RemoteArrayDescription(described.name, described.id),)),),
        volumes=(VolumeDescription("both::ds", 1 << 30, serial="704FA624CF6E4196000217F9"), VolumeDescription("own")),
    )
    (one, _), (two, _) = serve(described), serve(second)
    (here,), (there,) = one.items("volumes", names="both::ds"), two.items("volumes", names="both::ds")
    assert here["serial"] == there["serial"] == "704FA624CF6E4196000217F9"
    assert described.naa("both::ds") == second.naa("both::ds") == "naa.624a9370704fa624cf6e4196000217f9".removeprefix("naa.")
    assert two.items("volumes", names="own")[0]["serial"][:16] == "704FA624CF6E4196"
    members = [{member["name"] for member in client.items("pods")[0]["arrays"]} for client in (one, two)]
    assert members == [{"fa-1", "fa-2"}, {"fa-1", "fa-2"}]


def test_serials_are_those_of_the_array_and_never_the_same(served: Any, described: Any) -> None:
    volumes = served.items("volumes")
    serials = {volume["serial"] for volume in volumes}
    assert len(serials) == len(volumes)
    assert {serial[:16] for serial in serials} == {"6C1B16CE1C034D1C", "704FA624CF6E4196"}
    assert {f"624a9370{volume['serial'].lower()}" for volume in volumes} == {described.naa(volume["name"]) for volume in volumes}


def test_names_are_given_for_scenarios_to_point_at(described: Any) -> None:
    assert [volume.name for volume in described.protocol_endpoints] == ["pe"]
    assert described.naa(described.vvol_name(described.machines[0], 1)) in described.naas().values()
    with pytest.raises(ValueError, match="no volume named 'ds-9'"):
        described.naa("ds-9")


def test_the_array_measures_what_its_volumes_do(serve: Any, described: Any) -> None:
    busy = VolumeDescription("busy", host_groups=("blue",), load=LoadDescription(300, 50, 8192, 4096, 600, 100))
    client, _ = serve(dataclasses.replace(described, volumes=(*described.volumes, busy)))
    (volume,) = client.items("volumes/performance", names="ds-1")
    assert (volume["usec_per_read_op"], volume["qos_rate_limit_usec_per_read_op"], volume["read_bytes_per_sec"]) == (200, 7, 409600)
    (array,) = client.items("arrays/performance")
    # 100 reads of 4 KiB at 200 us with 300 of 8 KiB at 600 us; 50 writes of 8 KiB at 300 us with 50 of 4 KiB at 100 us.
    assert (array["reads_per_sec"], array["usec_per_read_op"], array["bytes_per_read"]) == (400, 500, 7168)
    assert (array["writes_per_sec"], array["usec_per_write_op"], array["bytes_per_write"]) == (100, 200, 6144)
    (host,) = client.items("hosts/performance", names="esx-1")
    assert (host["reads_per_sec"], host["usec_per_write_op"]) == (96, 153)
    assert client.items("pods/performance")[0]["reads_per_sec"] == 0
    assert client.items("volume-groups/performance", names="apps")[0]["reads_per_sec"] == 0
    (seen,) = client.items("hosts", names="esx-1")
    assert (seen["connection_count"], seen["space"]["total_provisioned"]) == (8, (4 << 40) + (1 << 30) + (44 << 30) + (128 << 20))
