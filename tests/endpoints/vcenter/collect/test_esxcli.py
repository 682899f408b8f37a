"""esxcli records that are not as promised: the field is NULL and reported, never a guess."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from auditor.endpoints.vcenter.collect.datastores import container_id
from auditor.endpoints.vcenter.collect.esxcli import Records, lockmodes, module_parameters, offload, scheduling
from auditor.endpoints.vcenter.collect.rows import Facts
from auditor.endpoints.vcenter.collect.storage import lower_hex_name, wwn
from auditor.endpoints.vcenter.esxcli_records import Row
from auditor.endpoints.vcenter.host_answers import option_text, wire_type
from auditor.facts.schema import Batch

WHERE = {"endpoint": "vc", "host_id": "host-11"}


def read(understood: Callable[[Records, dict[str, str]], Iterator[Facts]], *rows: Row) -> tuple[list[dict[str, Any]], list[str]]:
    records = Records(rows)
    found = []
    for batch in understood(records, WHERE):
        assert isinstance(batch, Batch)
        found += [dict(zip(batch.columns, values, strict=True)) for values in zip(*batch.columns.values(), strict=True)]
    return found, records.parse_errors


def device(**fields: str | list[str]) -> Row:
    return {"Device": "naa.1", "NoofoutstandingIOswithcompetingworlds": "32", "DeviceMaxQueueDepth": "64", **fields}


@pytest.mark.parametrize(
    ("fields", "dsnro"),
    [
        pytest.param({}, 32, id="as promised"),
        pytest.param({"NoofoutstandingIOswithcompetingworlds": " 32 "}, 32, id="padded"),
        pytest.param({"NoofoutstandingIOswithcompetingworlds": ""}, None, id="empty"),
        pytest.param({"NoofoutstandingIOswithcompetingworlds": "N/A"}, None, id="no number"),
        pytest.param({"NoofoutstandingIOswithcompetingworlds": "-1"}, None, id="negative"),
        pytest.param({"NoofoutstandingIOswithcompetingworlds": "9" * 30}, None, id="absurd"),
        pytest.param({"NoofoutstandingIOswithcompetingworlds": ["32", "64"]}, None, id="two values"),
    ],
)
def test_a_depth_that_is_no_number_is_null_and_a_hole(fields: dict[str, str | list[str]], dsnro: int | None) -> None:
    rows, parse_errors = read(scheduling, device(**fields))
    assert [row["dsnro"] for row in rows] == [dsnro]
    assert bool(parse_errors) == (dsnro is None)
    assert rows[0]["esxcli_queue_depth"] == 64


def test_a_record_without_the_depth_is_kept_and_told() -> None:
    rows, parse_errors = read(scheduling, {"Device": "naa.1"})
    assert rows[0]["dsnro"] is None
    assert parse_errors == ["noofoutstandingioswithcompetingworlds of naa.1 is missing"]


def test_a_namespace_may_lack_the_depth_without_a_hole() -> None:
    rows, parse_errors = read(scheduling, {"Device": "eui.1", "MultipathPlugin": "HPP"}, device())
    assert [row["dsnro"] for row in rows] == [None, 32]
    assert parse_errors == []


def test_fields_that_old_builds_lack_are_null_without_a_hole() -> None:
    # docs/domain/facts.md#1-11: the output of 5.5 has neither Is VVOL PE nor Device Max Queue Depth.
    rows, parse_errors = read(scheduling, {"Device": "naa.1", "NoofoutstandingIOswithcompetingworlds": "32"})
    assert (rows[0]["is_vvol_pe"], rows[0]["esxcli_queue_depth"], parse_errors) == (None, None, [])


def test_fields_are_found_whatever_their_capitals() -> None:
    rows, _ = read(scheduling, device(IsVVolPE="true", VAAIStatus="supported", Device="NAA.6F47ACC2"))
    assert (rows[0]["is_vvol_pe"], rows[0]["vaai_status"], rows[0]["device"]) == (True, "supported", "naa.6f47acc2")


def test_a_word_that_is_neither_true_nor_false_is_null_and_a_hole() -> None:
    rows, parse_errors = read(scheduling, device(IsVVOLPE="maybe"))
    assert rows[0]["is_vvol_pe"] is None
    assert len(parse_errors) == 1


def test_a_record_of_no_device_is_dropped_and_told() -> None:
    rows, parse_errors = read(scheduling, {"NoofoutstandingIOswithcompetingworlds": "32"}, device())
    assert [row["device"] for row in rows] == ["naa.1"]
    assert len(parse_errors) == 1


def test_a_device_listed_twice_is_a_hole_and_not_two_rows() -> None:
    rows, parse_errors = read(scheduling, device(), device(NoofoutstandingIOswithcompetingworlds="256"))
    assert len(rows) == 1
    assert parse_errors == ["naa.1 is listed twice"]


def test_offload_and_lock_modes_miss_nothing_silently() -> None:
    rows, parse_errors = read(offload, {"Device": "naa.1", "ATSStatus": "supported"})
    assert (rows[0]["ats_status"], rows[0]["zero_status"], len(parse_errors)) == ("supported", None, 4)
    rows, parse_errors = read(lockmodes, {"VolumeName": "ds", "UUID": "u"})
    assert (rows[0]["locking_mode"], len(parse_errors)) == (None, 1)


def test_an_unset_parameter_has_no_value() -> None:
    rows, parse_errors = read(
        lambda records, where: module_parameters(records, {**where, "module": "iscsi_vmk"}),
        {"Name": "iscsivmk_LunQDepth", "Type": "int", "Value": "", "Description": "Maximum Outstanding Commands Per LUN"},
    )
    assert (rows[0]["value"], rows[0]["module"], parse_errors) == (None, "iscsi_vmk", [])


def test_many_parse_errors_are_told_in_one_line() -> None:
    records = Records([{"Device": f"naa.{number}"} for number in range(50)])
    list(scheduling(records, WHERE))
    assert records.summary().count("naa.") == 3
    assert records.summary().endswith("and 47 more")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        pytest.param("5C9ECFD3-6F66-53CA-A5F0-5277C645A00A", "5c9ecfd3-6f66-53ca-a5f0-5277c645a00a", id="as an array writes it"),
        pytest.param("vvol:5c9ecfd36f6653ca-a5f05277c645a00a", "5c9ecfd3-6f66-53ca-a5f0-5277c645a00a", id="as a datastore URL writes it"),
        pytest.param("something-else", "something-else", id="no UUID"),
    ],
)
def test_a_container_has_one_name_however_it_is_written(text: str, kept: str) -> None:
    assert container_id(text) == kept


def test_names_and_numbers_are_written_one_way() -> None:
    assert lower_hex_name("NAA.6F47ACC2") == "naa.6f47acc2"
    assert lower_hex_name("t10.ATA_____Samsung") == "t10.ATA_____Samsung"
    assert wwn(-1) == "f" * 16  # the API carries a world wide name as a signed long
    assert wwn(None) is None
    assert (option_text(value=True), wire_type(value=True), wire_type("x"), wire_type(1)) == ("true", "boolean", "string", "int")
