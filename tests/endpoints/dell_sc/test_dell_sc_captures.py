"""Recorded objects of real Storage Managers are understood."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.records import ParseErrors, Record
from auditor.endpoints.dell_sc import rows
from auditor.endpoints.dell_sc.answers import Attributes
from auditor.endpoints.dell_sc.qos import Limits
from tests.required import capture

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def captured(name: str) -> Any:
    return json.loads(capture(f"dell-sc-cinder/{name}.json").read_text(encoding="utf-8"))


def every_record() -> Iterator[Any]:
    for path in sorted(capture("dell-sc-cinder").glob("*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        yield from document if isinstance(document, list) else [document]


def test_every_recorded_object_parses_without_a_parse_error() -> None:
    parse_errors = ParseErrors("captures")
    profiles: dict[str, Limits] = {}
    tiering = {"64702.1": 3}
    parse: dict[str, Callable[[Record], Any]] = {
        "ScVolume": rows.volume_row,
        "ScVolumeConfiguration": lambda one: rows.configured(one, profiles, tiering, has_qos=False),
        "ScStorageProfile": rows.tiers,
        "ScPhysicalServer": lambda one: rows.host_row(one, None),
        "ScServerHba": lambda one: rows.initiator_row(one, "64702.1"),
        "ScMappingProfile": rows.luns,
        "ScController": rows.node_row,
    }
    parsed: dict[str, int] = defaultdict(int)
    for reported in every_record():
        kind = reported.get("objectType") if isinstance(reported, dict) else None
        if kind in parse:
            parse[kind](Record(Attributes(reported), f"{kind} {reported.get('instanceId')}", parse_errors))
            parsed[kind] += 1
    assert list(parse_errors.gaps("sc")) == []
    assert {kind: count > 0 for kind, count in parsed.items()} == dict.fromkeys(parse.keys() - {"ScController"}, True)


def test_the_device_name_of_recorded_volumes_is_made_of_serial_number_and_vpd_id() -> None:
    parse_errors, checked = ParseErrors("captures"), set()
    for reported in every_record():
        # 64702.3495 is a copy that a test's author edited: it has another's vpdId and serialNumber, and not its deviceId.
        if isinstance(reported, dict) and reported.get("objectType") == "ScVolume" and reported["instanceId"] != "64702.3495":
            row = rows.volume_row(Record(Attributes(reported), "volume", parse_errors))
            assert row["device"] == f"naa.6000d310{reported['scSerialNumber']:06x}0000000000{reported['vpdId']:08x}"
            assert row["serial"] == f"{reported['scSerialNumber']:08x}-{reported['vpdId']:08x}"
            assert row["size_bytes"] == int(float(reported["configuredSize"].split()[0]))
            checked.add(row["device"])
    assert len(checked) > 1


def test_what_a_recorded_configuration_tells_of_qos_and_tiers() -> None:
    reported = captured("test_scapi.DellSCSanAPITestCase.VOLUME_CONFIG")
    record = Record(Attributes(reported), "volume", ParseErrors("captures"))
    row = rows.configured(record, {}, {"64702.1": 3}, has_qos=False)
    assert (row["tiering"], row["tiers"], row["qos_policy"], row["qos_read"]) == ("Recommended", 3, None, True)
    assert rows.configured(record, {}, {"64702.1": 3}, has_qos=True)["qos_read"] is False, "a release that has QoS would have told"
