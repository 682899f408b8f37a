"""Records of esxcli into rows, with no host: what is missing, doubled or odd is NULL and named, and the rest counts."""

from __future__ import annotations

from typing import Any

import pytest

from auditor.endpoints.vcenter.collect.esxcli import (
    Column,
    Layout,
    Record,
    Records,
    by_device,
    lockmodes,
    module_parameters,
    offload,
    scheduling,
)
from auditor.endpoints.vcenter.collect.multipath import device_policies, iscsi_portals, satp_rules
from auditor.endpoints.vcenter.esxcli_records import Row

from .test_multipath import read

DEVICE = {"Device": "NAA.600A"}


def record(**fields: str | list[str]) -> tuple[Record, list[str]]:
    records = Records([fields])
    [one] = records
    one.name = "naa.1"
    return one, records.parse_errors


@pytest.mark.parametrize(
    ("method", "value", "expected", "error"),
    [
        pytest.param("text", " fast ", "fast", None, id="a text"),
        pytest.param("text", "", "", None, id="an empty text"),
        pytest.param("text", None, None, "x of naa.1 is missing", id="no text"),
        pytest.param("text", ["a", "b"], None, "x of naa.1 is more than one", id="two texts for one"),
        pytest.param("filled", " ", None, None, id="an empty text that is to be filled"),
        pytest.param("filled", " a ", "a", None, id="a filled one"),
        pytest.param("filled", None, None, "x of naa.1 is missing", id="no text to be filled"),
        pytest.param("texts", " a ", [" a "], None, id="one of several"),
        pytest.param("texts", ["a", "b"], ["a", "b"], None, id="several"),
        pytest.param("texts", None, None, "x of naa.1 is missing", id="none of several"),
        pytest.param("number", " 32 ", 32, None, id="a number"),
        pytest.param("number", "0", 0, None, id="zero"),
        pytest.param("number", "9" * 18, int("9" * 18), None, id="the longest number"),
        pytest.param("number", "9" * 19, None, f"x of naa.1 is '{'9' * 19}', not a number", id="a number too long"),
        pytest.param("number", "-1", None, "x of naa.1 is '-1', not a number", id="below zero"),
        pytest.param("number", "n" * 41, None, f"x of naa.1 is '{'n' * 40}', not a number", id="a long word"),
        pytest.param("number", None, None, "x of naa.1 is missing", id="no number"),
        pytest.param("truth", "True", True, None, id="true"),
        pytest.param("truth", " false ", False, None, id="false"),
        pytest.param("truth", "m" * 41, None, f"x of naa.1 is '{'m' * 40}', neither true nor false", id="neither"),
        pytest.param("truth", None, None, "x of naa.1 is missing", id="no truth"),
    ],
)
def test_a_field_is_read_or_named(method: str, value: str | list[str] | None, expected: Any, error: str | None) -> None:
    one, errors = record() if value is None else record(X=value)
    assert getattr(one, method)("x") == expected
    assert errors == ([] if error is None else [error])


@pytest.mark.parametrize("method", ["text", "texts", "filled", "number", "truth", "of_native_plugin"])
def test_a_field_that_is_not_needed_may_be_missing_without_a_word(method: str) -> None:
    one, errors = record()
    assert getattr(one, method)("x", needed=False) is None
    assert errors == []
    assert getattr(one, method)("x") is None
    assert errors == ["x of naa.1 is missing"]


def test_a_field_that_is_not_needed_and_comes_twice_is_named() -> None:
    one, errors = record(X=["a", "b"])
    assert one.text("x", needed=False) is None
    assert errors == ["x of naa.1 is more than one"]


def test_a_word_without_a_meaning_is_named_and_no_word_is_not() -> None:
    one, errors = record()
    assert one.understood("x", "w" * 41, None) is None
    assert one.understood("x", None, None) is None
    assert one.understood("x", "0", 0) == 0
    assert errors == [f"x of naa.1 says '{'w' * 40}', which is not understood"]


def test_a_record_that_says_nothing_of_itself_has_a_name_all_the_same() -> None:
    records = Records([{}])
    [one] = records
    assert (one.device(), one.text("x")) == (None, None)
    assert records.parse_errors == ["device of a record without a name is missing", "x of a record without a name is missing"]


@pytest.mark.parametrize(
    ("errors", "summary"),
    [
        pytest.param([], "", id="none"),
        pytest.param(["a", "b", "c"], "a; b; c", id="three"),
        pytest.param(["a", "b", "c", "d", "e"], "a; b; c; and 2 more", id="five"),
    ],
)
def test_three_parse_errors_are_shown_and_others_counted(errors: list[str], summary: str) -> None:
    records = Records([])
    records.parse_errors += errors
    assert records.summary() == summary


def test_scheduling_of_devices() -> None:
    whole = {
        "No of outstanding IOs with competing worlds": "32",
        "Device Max Queue Depth": "64",
        "Is VVOL PE": "true",
        "Multipath Plugin": "NMP",
        "Queue Full Sample Size": "32",
        "Queue Full Threshold": "4",
        "VAAI Status": "supported",
    }
    twice: Row = {"Device": "naa.600a"}
    bare: Row = {"Device": "t10.Disk"}
    namespace: Row = {"Device": "eui.1", "Multipath Plugin": "hpp"}
    found, errors = read(scheduling, {**DEVICE, **whole}, twice, {"Device": ""}, bare, namespace)
    columns = ("dsnro", "esxcli_queue_depth", "is_vvol_pe", "multipath_plugin", "queue_full_sample_size", "queue_full_threshold")
    assert [(row["device"], *(row[name] for name in columns), row["vaai_status"]) for row in found] == [
        ("naa.600a", 32, 64, True, "NMP", 32, 4, "supported"),
        ("t10.Disk", *(None,) * 7),
        ("eui.1", None, None, None, "hpp", None, None, None),
    ]
    assert errors == ["naa.600a is listed twice", "noofoutstandingioswithcompetingworlds of t10.Disk is missing"]
    assert {(row["endpoint"], row["host_id"]) for row in found} == {("vc", "host-11")}


@pytest.mark.parametrize(
    ("layout", "name", "fields", "row"),
    [
        pytest.param(
            offload,
            ("device", "Device", "naa.1"),
            {"VAAI Plugin Name": "VMW_VAAIP", "ATS Status": "supported", "Clone Status": "unsupported"}
            | {"Zero Status": "supported", "Delete Status": "unsupported"},
            {
                "vaai_plugin": "VMW_VAAIP",
                "ats_status": "supported",
                "clone_status": "unsupported",
                "zero_status": "supported",
                "delete_status": "unsupported",
            },
            id="offload",
        ),
        pytest.param(
            lockmodes,
            ("volume_name", "Volume Name", "fast"),
            {"UUID": "5f-1", "Locking Mode": "ATS"},
            {"vmfs_uuid": "5f-1", "locking_mode": "ATS"},
            id="locking",
        ),
        pytest.param(
            module_parameters,
            ("name", "Name", "ql2xmaxqdepth"),
            {"Type": "int", "Value": "64", "Description": "depth"},
            {"type": "int", "value": "64", "description": "depth"},
            id="module parameters",
        ),
        pytest.param(
            device_policies,
            ("device", "Device", "naa.1"),
            {"Storage Array Type": "S", "Path Selection Policy": "P", "Path Selection Policy Device Config": "{}", "Working Paths": "a"},
            {"satp": "S", "psp": "P", "psp_config": "{}", "working_paths": 1, "rr_policy": None},
            id="path policies",
        ),
        pytest.param(
            satp_rules,
            ("satp", "Name", "VMW_SATP_ALUA"),
            {"Rule Group": "user", "Options": ["a ", " b"], "Claim Options": "tpgs_on", "Default PSP": "P", "Driver": "d", "Device": "x"}
            | {"Transport": "t", "Description": "why"},
            {"rule_group": "user", "options": "a b", "claim_options": "tpgs_on", "default_psp": "P", "driver": "d", "device": "x"}
            | {"transport": "t", "description": "why", "vendor": ""},
            id="claim rules",
        ),
    ],
)
def test_what_is_there_is_in_its_column(layout: Layout, name: tuple[str, str, str], fields: Row, row: dict[str, Any]) -> None:
    column, field, about = name
    [found], errors = read(layout, {field: about, **fields})
    assert found[column] == about
    assert {key: found[key] for key in row} == row
    assert errors == []


@pytest.mark.parametrize(
    ("layout", "fields", "errors"),
    [
        pytest.param(lockmodes, {"Volume Name": "fast", "UUID": "u"}, ["lockingmode of fast is missing"], id="a volume is named"),
        pytest.param(lockmodes, {"Volume Name": "", "UUID": "u"}, ["lockingmode of a record without a name is missing"], id="none"),
        pytest.param(module_parameters, {"Name": "a"}, ["type of a is missing"], id="a parameter is named"),
        pytest.param(module_parameters, {"Name": ""}, [], id="a parameter without a name is none"),
        pytest.param(satp_rules, {"Name": "S"}, ["rulegroup of a rule of S is missing"], id="a rule is named"),
        pytest.param(
            iscsi_portals,
            {"Vmknic": "vmk1", "Compliant Status": "compliant"},
            ["adapter of a portal on vmk1 is missing"],
            id="a portal is named",
        ),
        pytest.param(
            device_policies,
            {"Device": "naa.1", "Storage Array Type": "S", "Path Selection Policy": "VMW_PSP_RR"},
            ["pathselectionpolicydeviceconfig of naa.1 is missing"],
            id="a policy without settings is named once",
        ),
        pytest.param(
            device_policies,
            {"Device": "naa.1", "Storage Array Type": "S", "Path Selection Policy Device Config": "{policy=rr}"},
            ["pathselectionpolicy of naa.1 is missing"],
            id="settings without a policy",
        ),
        pytest.param(
            device_policies,
            {"Device": "naa.1", "Storage Array Type": "S", "Path Selection Policy": "VMW_PSP_RR"}
            | {"Path Selection Policy Device Config": "{policy=odd,iops=x,bytes=" + "9" * 19 + ",useANO=}"},
            [f"pathselectionpolicydeviceconfig of naa.1 says {word!r}, which is not understood" for word in ("odd", "x", "9" * 19, "")],
            id="words that are not understood",
        ),
    ],
)
def test_what_is_missing_is_named_after_what_it_is_about(layout: Layout, fields: Row, errors: list[str]) -> None:
    assert read(layout, fields)[1] == errors


@pytest.mark.parametrize(
    ("fields", "ip", "subnet", "error"),
    [
        pytest.param({"IPv4": "198.51.100.7", "IPv4 Subnet Mask": "255.255.255.0"}, "198.51.100.7", "198.51.100.0/24", "", id="both"),
        pytest.param({"IPv4": "0.0.0.0", "IPv4 Subnet Mask": "255.255.255.0"}, None, None, "", id="no address"),
        pytest.param({"IPv4": "198.51.100.7"}, "198.51.100.7", None, "", id="no mask"),
        pytest.param({"IPv4 Subnet Mask": "255.255.255.0"}, None, None, "", id="a mask alone"),
        pytest.param({}, None, None, "", id="neither"),
        pytest.param(
            {"IPv4": "198.51.100.7", "IPv4 Subnet Mask": "255.0.255.0"},
            "198.51.100.7",
            None,
            "ipv4subnetmask of a portal on vmk1 says '255.0.255.0', which is not understood",
            id="a mask that is none",
        ),
    ],
)
def test_the_subnet_of_a_portal_is_its_address_under_its_mask(fields: Row, ip: str | None, subnet: str | None, error: str) -> None:
    [row], errors = read(iscsi_portals, {"Vmknic": "vmk1", "Adapter": "vmhba64", "Compliant Status": "COMPLIANT", **fields})
    assert (row["ip"], row["subnet"], row["compliant"], row["compliant_status"]) == (ip, subnet, True, "COMPLIANT")
    assert errors == ([error] if error else [])


@pytest.mark.parametrize("word", ["unknown", "not supported", ""])
def test_an_offload_in_another_word_is_neither_there_nor_missing(word: str) -> None:
    whole = {f"{name} Status": "supported" for name in ("Clone", "Zero", "Delete")}
    [row], errors = read(offload, {"Device": "naa.1", "VAAI Plugin Name": "", "ATS Status": word, **whole})
    assert (row["ats_status"], row["clone_status"]) == (None, "supported")
    assert errors == [f"atsstatus of naa.1 says {word!r}, which is not understood"]


@pytest.mark.parametrize(
    ("word", "compliant"),
    [("compliant", True), ("not compliant", False), ("nonCompliant", False), ("checking", None)],
)
def test_a_portal_is_compliant_or_not_by_the_words_for_it_alone(word: str, compliant: bool | None) -> None:
    [row], errors = read(iscsi_portals, {"Vmknic": "vmk1", "Adapter": "vmhba64", "Compliant Status": word})
    assert (row["compliant"], row["compliant_status"], bool(errors)) == (compliant, word, compliant is None)


def test_working_paths_that_are_not_listed_are_not_counted() -> None:
    [row], errors = read(device_policies, {"Device": "naa.1", "Storage Array Type": "S", "Path Selection Policy": "P", "Path Selection Policy Device Config": ""})  # fmt: skip  # noqa: E501
    assert (row["working_paths"], errors) == (None, [])


def test_a_depth_that_one_device_need_not_have_is_missing_of_the_next() -> None:
    namespace: Row = {"Device": "eui.1", "Multipath Plugin": "HPP"}
    disk: Row = {"Device": "naa.1", "Multipath Plugin": "NMP"}
    named_so: Row = {"Device": "naa.2", "No of outstanding IOs with competing worlds": "HPP"}
    for order in ((namespace, disk), (disk, namespace)):
        _, errors = read(scheduling, *order)
        assert errors == ["noofoutstandingioswithcompetingworlds of naa.1 is missing"]
    assert read(scheduling, named_so)[1] == ["noofoutstandingioswithcompetingworlds of naa.2 is 'HPP', not a number"]


def test_a_column_that_looks_at_a_field_it_does_not_name_is_read_anew() -> None:
    def other(record: Record, field: str, *, needed: bool) -> str | None:
        return f"{record.text(field, needed=needed)} {record.text('other')}"

    layout = Layout("device_offload", (Column("ats_status", "atsstatus", other),), ("device", "device"), by_device)
    found, _ = read(layout, {"Device": "naa.1", "ATS Status": "a", "Other": "b"}, {"Device": "naa.2", "ATS Status": "a", "Other": "c"})
    assert [row["ats_status"] for row in found] == ["a b", "a c"]


def test_a_mistake_is_reported_of_every_record_that_has_it() -> None:
    odd: list[Row] = [{"Device": f"naa.{number}", "No of outstanding IOs with competing worlds": "many"} for number in range(2)]
    _, errors = read(scheduling, *odd, *odd[:1])
    text = "noofoutstandingioswithcompetingworlds of naa.{} is 'many', not a number"
    assert errors == [text.format(0), text.format(1), "naa.0 is listed twice"]


@pytest.mark.parametrize(
    ("errors", "line"),
    [
        pytest.param(["a", "b", "c"], "a; b; c", id="three"),
        pytest.param(["a", "b", "c", "d"], "a; b; c; and 1 more", id="one more"),
        pytest.param(["a", "b", "c", "d", "e"], "a; b; c; and 2 more", id="two more"),
    ],
)
def test_three_errors_are_named_and_the_others_counted(errors: list[str], line: str) -> None:
    records = Records([])
    records.parse_errors = errors
    assert records.summary() == line


def test_the_fields_that_are_selected_are_those_of_all_columns_and_the_one_that_names_a_record() -> None:
    layout = Layout(
        "device_offload", (Column("a_status", "astatus"), Column("b_status", "bstatus", also=("kind",))), ("device", "device"), by_device
    )
    assert layout.fields == {"astatus", "bstatus", "kind", "device"}
