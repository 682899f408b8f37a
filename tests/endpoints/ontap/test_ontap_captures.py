"""What the vendor prints, and what a real cluster's command line said, goes through our rows; identities are checked against them."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from auditor.endpoints.common.records import ParseErrors, Record
from auditor.endpoints.ontap import counters, rows
from auditor.endpoints.ontap.background_rows import efficiency_policy, efficiency_row
from auditor.endpoints.ontap.qos import NO_POLICY, reference_of
from auditor.endpoints.ontap.schedules import timetable
from auditor.facts.schema import TABLES
from tests.required import capture

if TYPE_CHECKING:
    from collections.abc import Callable


def examples(name: str, kind: str) -> list[dict[str, Any]]:
    printed = json.loads(capture(f"ontap-netapp_ontap-docs/{name}.json").read_text(encoding="utf-8"))
    return [each["record"] for each in printed if each["resource"] == kind]


def record(value: dict[str, Any]) -> Record:
    return Record(value, "a record", ParseErrors("GET x"))


def volume(found: Record) -> Any:
    container = rows.container_of(found)
    return rows.share_row(found, container, NO_POLICY, {}, ()) or {}


ROWS: list[tuple[str, str, str, Callable[[Record], Any]]] = [
    ("node", "Node", "array_node", rows.node_row),
    ("ip_interface", "IpInterface", "array_address", rows.address_row),
    ("aggregate", "Aggregate", "array_pool", lambda found: rows.pool_row(found, {}, {})),
    ("volume", "Volume", "array_volume", volume),
    ("volume", "Volume", "array_efficiency", lambda found: efficiency_row(found, {})),
    ("lun", "Lun", "array_volume", lambda found: rows.lun_row(found, {}, {}, {})),
    ("lun", "Lun", "array_protocol_endpoint", rows.protocol_endpoint_row),
    ("lun", "Lun", "array_volume_load", lambda found: rows.load_row(found, None)),
    ("volume", "Volume", "array_volume_load", lambda found: rows.load_row(found, None)),
    ("igroup", "Igroup", "array_host", lambda found: rows.host_rows(found)[0]),
    ("lun_map", "LunMap", "array_connection", rows.connection_row),
    ("vvol_binding", "VvolBinding", "vvol_binding", lambda found: rows.binding_row(found, {})),
    ("volume_efficiency_policy", "VolumeEfficiencyPolicy", "array_efficiency", lambda found: efficiency_policy(found, {})),
]


@pytest.mark.parametrize(("name", "kind", "table", "row"), ROWS, ids=[f"{name} as {table}" for name, _, table, _ in ROWS])
def test_every_record_the_vendor_prints_is_a_row_or_says_what_it_lacks(name: str, kind: str, table: str, row: Any) -> None:
    found = [row(record(each)) for each in examples(name, kind)]
    assert found
    assert {column for each in found for column in each} <= set(TABLES[table].names)


def test_every_schedule_the_vendor_prints_is_understood() -> None:
    found = {each["name"]: record(each) for each in examples("schedule", "Schedule")}
    read = {name: timetable(each) for name, each in found.items()}
    assert [gap for each in found.values() for gap in each.parse_errors.gaps("na")] == []
    assert (read["monthly"].start_minutes, read["Application Templates ASUP Dump"].interval_seconds) == ((20,), 86400)


def test_the_vendors_whole_lun_is_read_whole() -> None:
    whole = next(each for each in examples("lun", "Lun") if each.get("class") == "vvol")
    found = record(whole)
    home = rows.Container(whole["location"]["volume"]["uuid"], "svm1", "vol1", "aggr", NO_POLICY)
    row = rows.lun_row(found, {home.uuid: home}, {"svm1": NO_POLICY}, {})
    assert list(found.parse_errors.gaps("na")) == []
    assert (row["kind"], row["size_bytes"], row["svm"], row["pool_id"], row["qos_read"]) == ("vvol", 322163441664, "svm1", "aggr", True)
    regular = record(whole | {"class": "regular"})
    # The bytes of wf0Iq+N4uck3.
    assert rows.lun_row(regular, {home.uuid: home}, {"svm1": NO_POLICY}, {})["device"] == "naa.600a098077663049712b4e3475636b33"


def test_the_vendors_volume_under_a_policy_names_it() -> None:
    found = next(record(each) for each in examples("volume", "Volume") if "qos" in each)
    container = rows.container_of(found)
    assert (container.path, container.pool_id) == ("vsdata:datavol", "aa742322-36bc-4d98-bbc4-0a827534c035")
    assert (container.qos.policy_id, container.qos.name) == ("228454af-5a8b-11e9-bd5b-005056ac6f1f", "pg1")
    assert reference_of(record({"qos": {"policy": {"name": "none"}}}).inner("qos"), "policy") == NO_POLICY


def test_the_vendors_volume_with_a_schedule_of_its_own_starts_at_midnight() -> None:
    found = next(record(each) for each in examples("volume", "Volume") if "schedule" in each.get("efficiency", {}))
    row = efficiency_row(found, {})
    assert (row["state"], row["policy"], row["schedule"], row["start_minutes"]) == ("enabled", None, "sun-sat@0", "[0]")


def test_the_vendors_initiators_are_known_as_hosts_tell_them() -> None:
    found = [rows.host_rows(record(each)) for each in examples("igroup", "Igroup")]
    assert {(row["initiator"], row["kind"]) for _, initiators in found for row in initiators} == {
        ("2001005056bb7072", "fc"),
        ("iqn.1991-05.com.ms:host1", "iscsi"),
    }
    assert {host["host_type"] for host, _ in found} >= {"linux", "windows"}


def test_the_vendors_counter_rows_are_read_as_far_as_they_go() -> None:
    found = [counters.counter_row(record(each)) for each in examples("counter_table", "CounterRow")]
    assert [dict(row.values) for row in found] == [{}, {}, {"memory_used": 541, "memory_free": 786}]
    assert found[1].properties["svm.uuid"] == "4774d11c-a606-11ec-856f-005056bb7b59"


def test_the_serial_number_of_a_real_lun_makes_the_device_that_its_command_line_tells() -> None:
    text = capture("ontap-cli-delfin/LUN_INFO.txt").read_text(encoding="utf-8")
    pairs = re.findall(r"Serial Number: (\S+)\n\s+Serial Number \(Hex\): (\S+)", text)
    assert pairs
    for serial, hexadecimal in pairs:
        assert rows.device_of(record({"serial_number": serial})) == f"naa.600a0980{hexadecimal}"
