"""The lab's FlashArray answers in the shapes that a real one was recorded with."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.required import capture

RECORDED = [
    ("arrays", "arrays"),
    ("arrays/performance", "arrays_performance"),
    ("connections", "connections"),
    ("controllers", "controllers"),
    ("hosts", "hosts"),
    ("hosts/performance", "hosts_performance"),
    ("network-interfaces", "network_interfaces"),
    ("pods", "pods"),
    ("pods/performance", "pods_performance"),
    ("ports", "ports"),
    ("volume-groups", "volume_groups"),
    ("volume-groups/performance", "volume_groups_performance"),
    ("volumes", "volumes"),
    ("volumes/performance", "volumes_performance"),
]


def captured(name: str) -> Any:
    return json.loads(capture(f"pure-fa-openmetrics-exporter/{name}.json").read_text(encoding="utf-8"))


def kinds(value: Any, where: str, into: dict[str, set[str]]) -> dict[str, set[str]]:
    """Every JSON type at every place of a value; numbers are one type, true and false are another."""
    if isinstance(value, dict):
        for name, inner in value.items():
            kinds(inner, f"{where}.{name}", into)
    elif isinstance(value, list):
        into.setdefault(where, set()).add("list")
        for inner in value:
            kinds(inner, f"{where}[]", into)
    elif isinstance(value, bool) or value is None:
        into.setdefault(where, set()).add("null" if value is None else "boolean")
    else:
        into.setdefault(where, set()).add("number" if isinstance(value, (int, float)) else "string")
    return into


@pytest.mark.parametrize(("what", "file"), RECORDED)
def test_every_field_of_a_recorded_object_is_in_the_labs_with_a_type_it_was_seen_with(
    serve: Any, described: Any, what: str, file: str
) -> None:
    recorded: dict[str, set[str]] = {}
    for one in captured(file)["items"]:
        kinds(one, "", recorded)
    items = serve(described)[0].items(what)
    assert items, "the lab answers no object to compare"
    for item in items:
        answered = kinds(item, "", {})
        lacking = {place for place in recorded if "[]" not in place} - set(answered)
        assert lacking == set()
        # null is what the array says of anything it does not have; some of the recorded fields were never anything else.
        strange = {place: seen for place, seen in answered.items() if place in recorded and seen - recorded[place] - {"null"}}
        assert {place for place in strange if recorded[place] != {"null"}} == set()


@pytest.mark.parametrize(("what", "file"), RECORDED)
def test_the_envelope_is_the_recorded_one(serve: Any, described: Any, what: str, file: str) -> None:
    recorded, answered = captured(file), serve(described)[0].get(what).json()
    assert set(recorded) == set(answered)
    assert kinds(recorded.get("total", []), "", {}).keys() <= kinds(answered.get("total", []), "", {}).keys()


def test_the_versions_are_told_before_anybody_logs_in_under_the_recorded_name(serve: Any, described: Any) -> None:
    answer = serve(described)[0].session.get("/api/api_version", headers={"x-auth-token": ""})
    assert answer.json() == {"version": list(described.api_versions)}
    assert set(captured("versions")) == {"version"}
    assert set(described.api_versions) <= set(captured("versions")["version"])


def split_luns(connections: list[dict[str, Any]]) -> dict[str, tuple[list[int], set[int]]]:
    """By host, the upper halves of its vVols' LUNs in order, and all their lower halves."""
    found: dict[str, tuple[list[int], set[int]]] = {}
    for one in connections:
        if one["protocol_endpoint"]["name"]:
            upper, lower = found.setdefault(one["host"]["name"], ([], set()))
            upper.append(one["lun"] >> 32)
            lower.add(one["lun"] & 0xFFFFFFFF)
    return {host: (sorted(upper), lower) for host, (upper, lower) in found.items()}


def test_a_bound_vvol_has_its_endpoints_lun_below_and_its_own_above(serve: Any, described: Any) -> None:
    recorded = captured("connections")["items"]
    of_endpoints = {one["host"]["name"]: one["lun"] for one in recorded if one["volume"]["name"] == "pure-protocol-endpoint"}
    assert all(lower == {of_endpoints[host]} and upper[0] >= 1 for host, (upper, lower) in split_luns(recorded).items())
    assert split_luns(recorded)["z-eg-esxi02"] == ([1, 2, 3, 4], {248})
    client, _ = serve(described)
    (own,) = client.items("connections", host_names="esx-1", volume_names="pe")
    assert split_luns(client.items("connections")) == {"esx-1": ([1, 2, 3], {own["lun"]})}


def test_every_recorded_volume_made_by_the_array_has_the_array_s_digits_in_front(described: Any) -> None:
    """What the lab makes of it: 624a9370 and the serial; the exceptions are volumes of a stretched pod."""
    array_id = captured("arrays")["items"][0]["id"]
    assert array_id == described.id
    digits = array_id.replace("-", "").upper()[:16]
    volumes = captured("volumes")["items"]
    foreign = [volume for volume in volumes if not volume["serial"].startswith(digits)]
    assert [volume["pod"]["name"] for volume in foreign] == ["z-ProdPod"]
    assert {len(volume["serial"]) for volume in volumes} == {24}
    assert described.naa("ds-1").startswith(f"624a9370{digits.lower()}")
    assert described.naa("both::ds") == f"624a9370{foreign[0]['serial'].lower()}"


def test_initiators_and_ports_are_written_as_recorded(serve: Any, described: Any) -> None:
    client, _ = serve(described)
    recorded = {port["name"]: port for port in captured("ports")["items"]}
    for port in client.items("ports"):
        like = recorded[port["name"]]
        assert (port["wwn"] is None) is (like["wwn"] is None)
        assert len(port["wwn"] or "") == len(like["wwn"] or "")
        assert (port["portal"] or ":3260").endswith(":3260")
        assert (port["iqn"] or "").rpartition(".")[0] == (like["iqn"] or "").rpartition(".")[0]
    assert len(client.items("ports")) == 10
    wwns = {wwn for host in captured("hosts")["items"] for wwn in host["wwns"]}
    assert {wwn for host in client.items("hosts") for wwn in host["wwns"]} <= wwns
