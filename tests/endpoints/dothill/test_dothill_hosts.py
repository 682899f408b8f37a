"""Hosts of a Dot Hill array, their initiators and what they reach, from trees and maps that are typed by hand from public records."""

from __future__ import annotations

from typing import Any

import pytest

from auditor.endpoints.common.records import ParseErrors
from auditor.endpoints.dothill.hosts import connection_rows, known_hosts

# sodafoundation/delfin, LIST_HOST_GROUPS and the maps of the same MSA 2040; alexandergott-afk/jt-pve-storage-dellemc, t/fixtures/powervault
# (groups in "nickname" end with .*.*, and each volume has a row of "all other initiators" without access).
GROUPS = {
    "host-group": [
        {"durable-id": "HGU", "name": "-ungrouped-", "serial-number": "UNGROUPEDHOSTS",
         "host": [{"durable-id": "HU", "name": "-nohost-", "serial-number": "NOHOST", "host-group": "UNGROUPEDHOSTS"},
                  {"durable-id": "H7", "name": "alone", "serial-number": "00C0FF26C2360000AA399F6101010000"}]},
        {"durable-id": "HG0", "name": "HostGroup1", "serial-number": "00c0ff26c2360000223a9f6101010000",
         "host": [{"durable-id": "H1", "name": "Host1", "serial-number": "00c0ff26c2360000e2399f6101010000"}]},
        {"durable-id": "HG1", "name": 1, "serial-number": "00c0ff26c2360000223a9f61010100ff",
         "host": [{"name": "silent", "serial-number": "00c0ff26c4ea0000f77f245b0101ffff"}]},
        {"durable-id": "HG2", "name": "rac", "serial-number": "00c0ff26c4ea00008c81245b01010000",
         "host": [{"durable-id": "H4", "name": "rac01", "serial-number": "00c0ff26c4ea0000057f245b01010000"},
                  {"durable-id": "H3", "name": "rac02", "serial-number": "00c0ff26c4ea0000f77f245b01010000"}]},
    ],
    "host": [{"durable-id": "HU", "name": "-nohost-", "serial-number": "NOHOST"}],
}  # fmt: skip


def initiator(name: str, host: str, profile: str = "Standard", bus: str = "FC") -> dict[str, Any]:
    return {"id": name, "host-id": host, "profile": profile, "host-bus-type": bus, "nickname": "n"}


INITIATORS = {
    "initiator": [
        initiator("21000024ff3dfed1", "NOHOST", "HP-UX"),
        initiator("10000090fa13870e", "00c0ff26c2360000e2399f6101010000", "HP-UX"),
        initiator("500143801875548e", "00c0ff26c4ea0000057f245b01010000"),
        initiator("50:01:43:80:02:9C:EB:58", "00c0ff26c4ea0000f77f245b01010000"),
        initiator("iqn.1998-01.com.vmware:ESX-1", "NOHOST", bus="iSCSI"),
        initiator("0x500605b00d2fe7a0", "00c0ff26c2360000aa399f6101010000", bus="SAS"),
        {**initiator("500605b00d2fe7a1", "00c0ff26c2360000AA399F6101010000", "Other", bus="SAS"), "nickname": ""},
        initiator("eui.02004567A425678D", "00c0ff26000000000000000001010000", bus="iSCSI"),
        {**initiator("naa.52004567BA64678D", "NOHOST", bus="iSCSI"), "nickname": "", "profile": None},
    ]
}


SILENT = "00c0ff26c4ea0000f77f245b0101ffff"
"""A host no initiator of which was seen, of a group whose name is none."""


def test_hosts_are_those_of_the_tree_and_initiators_without_one() -> None:
    parse_errors = ParseErrors("show x")
    known = known_hosts(GROUPS, INITIATORS, parse_errors)
    assert [tuple(row.values()) for row in known.hosts.values()] == [
        ("00c0ff26c2360000aa399f6101010000", "alone", None, "Standard"),
        ("00c0ff26c2360000e2399f6101010000", "Host1", "HostGroup1", "HP-UX"),
        (SILENT, "silent", None, None),
        ("00c0ff26c4ea0000057f245b01010000", "rac01", "rac", "Standard"),
        ("00c0ff26c4ea0000f77f245b01010000", "rac02", "rac", "Standard"),
        ("21000024ff3dfed1", "n", None, "HP-UX"),
        ("iqn.1998-01.com.vmware:esx-1", "n", None, "Standard"),
        ("00c0ff26000000000000000001010000", None, None, "Standard"),
        ("naa.52004567ba64678d", None, None, None),
    ]
    assert [(row["initiator"], row["kind"]) for row in known.initiators] == [
        ("21000024ff3dfed1", "fc"),
        ("10000090fa13870e", "fc"),
        ("500143801875548e", "fc"),
        ("50014380029ceb58", "fc"),
        ("iqn.1998-01.com.vmware:esx-1", "iscsi"),
        ("500605b00d2fe7a0", "sas"),
        ("500605b00d2fe7a1", "sas"),
        ("eui.02004567a425678d", "iscsi"),
        ("naa.52004567ba64678d", "iscsi"),
    ]
    assert not parse_errors.any


def test_a_host_without_a_serial_number_is_left_out_and_named() -> None:
    parse_errors = ParseErrors("show x")
    known = known_hosts({"host-group": [], "host": [{"durable-id": "H9", "name": "odd"}]}, {}, parse_errors)
    assert known.hosts == {}
    assert [(gap.what, gap.why) for gap in parse_errors.gaps("msa")] == [
        ("show x: serial-number of host odd", "is missing where an id was expected")
    ]


@pytest.mark.parametrize(
    ("value", "why"),
    [
        pytest.param(initiator("no", "NOHOST"), "is no initiator's name", id="no name"),
        pytest.param(initiator("iqn.x", "NOHOST"), "is no initiator's name", id="an IQN on Fibre Channel"),
        pytest.param(initiator("500143801875548e", "NOHOST", bus="odd"), "is 'odd', which is not known", id="another bus"),
        pytest.param({"id": "500143801875548e", "nickname": "n"}, "is missing where a string was expected", id="no bus"),
        pytest.param({"host-bus-type": "FC", "nickname": "n"}, "is no initiator's name", id="nothing"),
    ],
)
def test_an_initiator_that_is_odd_is_left_out_and_named(value: dict[str, Any], why: str) -> None:
    parse_errors = ParseErrors("show x")
    known = known_hosts({}, {"initiator": [value]}, parse_errors)
    assert known.initiators == []
    assert any(gap.why == why and " of initiator n" in gap.what for gap in parse_errors.gaps("msa"))


def view(*mappings: dict[str, Any], serial: Any = "00c0ff26c4ea00000A81546101000000") -> dict[str, Any]:
    return {"volume-serial": serial, "volume-name": "Vol0002", "volume-view-mappings": list(mappings)}


def mapping(identifier: Any, access: str = "read-write", lun: Any = "2") -> dict[str, Any]:
    return {"identifier": identifier, "access": access, "lun": lun}


VOL, HOST1 = "00c0ff26c4ea00000a81546101000000", "00c0ff26c2360000e2399f6101010000"


RAC01, RAC02 = "00c0ff26c4ea0000057f245b01010000", "00c0ff26c4ea0000f77f245b01010000"


OF_GROUP = {
    "volume-group-view": [
        {
            "group-name": "VGroup1",
            "volume-group-view-mappings": [
                {
                    "initiator-id": "50014380029ceb58",
                    "access": "read-write",
                    "volume-group-view-mappings-luns": [
                        {"volume-serial": "00c0ff26c4ea000082537a6101000000", "lun": "0"},
                        {"volume-serial": "00c0ff26c4ea000085537a6101000000", "lun": 2},
                    ],
                }
            ],
        }
    ]
}


@pytest.mark.parametrize(
    ("maps", "expected", "error"),
    [
        pytest.param({"volume-view": [view(mapping("10000090fa13870e"))]}, [(VOL, HOST1, 2)], [], id="an initiator of a host"),
        pytest.param({"volume-view": [view(mapping(RAC01.upper(), lun=0))]}, [(VOL, RAC01, 0)], [], id="a host"),
        pytest.param({"volume-view": [view(mapping("50:01:43:80:18:75:54:8e", lun=""))]}, [(VOL, RAC01, None)], [], id="with colons"),
        pytest.param(
            {"volume-view": [view(mapping("00c0ff26c4ea00008c81245b01010000"))]},
            [(VOL, RAC01, 2), (VOL, RAC02, 2)],
            [],
            id="a group of hosts",
        ),
        pytest.param(
            {"volume-view": [view(mapping("all other initiators", "not-mapped", ""), mapping(RAC01, "no-access"))]}, [], [], id="no access"
        ),
        pytest.param(
            OF_GROUP,
            [("00c0ff26c4ea000082537a6101000000", RAC02, 0), ("00c0ff26c4ea000085537a6101000000", RAC02, 2)],
            [],
            id="a group of volumes",
        ),
        pytest.param(
            {"volume-group-view": [{"group-name": "VGroup1", "volume-view": [view(mapping("10000090fa13870e", lun="0"))]}]},
            [(VOL, HOST1, 0)],
            [],
            id="a volume within its group, as the MSA 2040 has it",
        ),
        pytest.param(
            {"volume-view": [view(mapping("00c0ff26c4ea00008c81245b01010000", lun="1"), mapping(RAC01, lun="1"))]},
            [(VOL, RAC01, 1), (VOL, RAC02, 1)],
            [],
            id="a host and its group",
        ),
        pytest.param(
            {"volume-view": [view(mapping("all other initiators"))]},
            [],
            ["gives access to every initiator that no other map names"],
            id="all",
        ),
        pytest.param(
            {"volume-view": [view(mapping("50014380ffffffff"))]},
            [],
            ["names neither a host nor a group of hosts nor an initiator that was listed"],
            id="nobody",
        ),
        pytest.param({"volume-view": [view(mapping(RAC01, "odd"))]}, [], ["is 'odd', which is not known"], id="another access"),
        pytest.param({"volume-view": [view(mapping(RAC01), serial=None)]}, [], ["is missing"], id="no volume"),
        pytest.param({"volume-view": [view(mapping(RAC01), serial="")]}, [], ["is missing"], id="a volume without a number"),
        pytest.param({"volume-view": [view(mapping(SILENT))]}, [(VOL, SILENT, 2)], [], id="a host that was not seen yet"),
        pytest.param(
            {"volume-view": [view(mapping("eui.02004567a425678d"))]},
            [(VOL, "00c0ff26000000000000000001010000", 2)],
            [],
            id="an initiator of a host that the tree does not have",
        ),
        pytest.param(
            {"volume-view": [view({"identifier": RAC01, "lun": 1})]},
            [],
            ["is missing where a string was expected"],
            id="whether it gives access is not reported",
        ),
        pytest.param({"volume-view": "odd", "volume-group-view": ["odd"]}, [], [], id="no list, and no object"),
        pytest.param({}, [], [], id="no maps"),
    ],
)
def test_what_a_volume_is_mapped_to(maps: dict[str, Any], expected: list[tuple[Any, ...]], error: list[str]) -> None:
    parse_errors = ParseErrors("show maps")
    known = known_hosts(GROUPS, INITIATORS, parse_errors)
    assert [tuple(row.values()) for row in connection_rows(maps, known, parse_errors)] == expected
    found = list(parse_errors.gaps("msa"))
    assert [gap.why for gap in found] == error
    assert all(" of map of volume Vol0002" in gap.what for gap in found)


def test_of_a_group_of_volumes_what_has_no_number_or_is_mapped_to_nobody_is_named() -> None:
    parse_errors = ParseErrors("show maps")
    luns = [{"lun": "0"}, {"volume-serial": VOL, "lun": "1"}]
    maps = [{"initiator-id": one, "access": "read-only", "volume-group-view-mappings-luns": luns} for one in (RAC01, "nobody")]
    views = {"volume-group-view": [{"group-name": "VGroup1", "volume-group-view-mappings": maps}]}
    found = list(connection_rows(views, known_hosts(GROUPS, INITIATORS, parse_errors), parse_errors))
    assert [tuple(row.values()) for row in found] == [(VOL, RAC01, 1)]
    assert [gap.what for gap in parse_errors.gaps("msa")] == [
        f"show maps: {field} of map of volume group VGroup1" for field in ("volume-serial", "identifier")
    ]
