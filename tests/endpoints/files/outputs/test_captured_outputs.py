"""Outputs of real hosts. What is expected was typed from the texts."""

import pytest

from auditor.endpoints.files.outputs import Output, outputs_in
from auditor.endpoints.vcenter.esxcli_records import plain_name
from tests.required import capture


def _output(path: str) -> Output:
    file = capture(f"esxi/{path}")
    (output,) = outputs_in(file.read_bytes(), file.name)
    return output


@pytest.mark.parametrize(
    ("path", "number", "field", "expected"),
    [
        ("e03-clariion-fc/esxcli_nmp-device-list.txt", 0, "device", "naa.600601604670290026cca5f7836fe111"),
        ("e03-clariion-fc/esxcli_nmp-path-list.txt", 1, "groupstate", "active unoptimized"),
        ("e06-eql-routed/esxcli_nmp-device-list.txt", 0, "pathselectionpolicy", "VMW_PSP_FIXED"),
        ("e07-hs22-raid/esxcli_storage-core-device-list.txt", 0, "device", "naa.600508e000000000e51b24d0a7fad20e"),
        ("e07-hs22-raid/esxcli_storage-core-device-list.txt", 0, "status", "degraded"),
        ("e08-nested-openindiana/esxcli_storage-nfs-list.txt", 0, "hardwareacceleration", "Not Supported"),
        ("e08-nested-openindiana/esxcli_iscsi-adapter-param-get.txt", 7, "current", "128"),
        ("e08-nested-openindiana/esxcli_iscsi-networkportal-list.txt", 0, "pathstatus", "active"),
        ("e09-megaraid-8704/esxcli_storage-core-device-list.txt", 0, "model", "MegaRAID 8704ELP"),
        ("e11-macmini-60/esxcli_storage-nmp-device-list.txt", 0, "workingpaths", "vmhba37:C1:T0:L4, vmhba37:C0:T0:L4"),
        ("e12-macmini-65/esxcli_storage-core-device-list.txt", 0, "devicemaxqueuedepth", "31"),
        ("e12-macmini-65/esxcli_storage-core-device-vaai-status-get.txt", 1, "device", "naa.600144f070cc44000"),
        ("e13-hp-nfs41/esxcli_storage-nfs41-list.txt", 0, "share", "/backups/isos"),
        ("j01-freenas-iscsi-70/esxcli_formatter-csv_fields_storage-core-device-list.csv", 2, "device", "mpx.vmhba32:C0:T0:L0"),
        ("j01-freenas-iscsi-70/esxcli_formatter-json_storage-core-device-list.json", 0, "devicemaxqueuedepth", "128"),
        ("j02-r730-nvmeof-70/esxcli_storage-core-claimrule-list.txt", 1, "configstring", "pss=FIXED"),
        ("j02-r730-nvmeof-70/esxcli_storage-hpp-device-list.txt", 0, "pathselectionschemeconfig", "{preferred=none;}"),
        ("j04-tcmu-55/esxcli_storage-core-device-vaai-status-get.txt", 0, "deletestatus", "supported"),
        ("j07-ucs-c260-55u3/esxcli_storage-vmfs-extent-list.txt", 1, "partition", "3"),
        ("j07-ucs-c260-55u3/esxcli_storage-filesystem-list.txt", 0, "free", "338536955904"),
        ("j08-formatters-55u1/esxcli_formatter-json_system-version-get.json", 0, "update", "1"),
        ("j12-ucs-nfnic/esxcli_system-module-parameters-list_nfnic.txt", 0, "value", "254"),
        ("j13-formatters-80/esxcli_formatter-xml_network-nic-list.xml", 3, "mtu", "9000"),
        ("n02-ontap-fc-7x/esxcli_storage-nmp-satp-rule-list_alua.txt", 0, "defaultpsp", "VMW_PSP_RR"),
        ("n04-ontap-nvmeof-7x/esxcli_storage-core-adapter-list_qlnativefc.txt", 0, "hbaname", "vmhba3"),
        ("n04-ontap-nvmeof-7x/esxcli_storage-core-adapter-list_qlnativefc.txt", 2, "capabilities", ""),
        ("n05-ontap-nvmetcp-7x/esxcli_nvme-controller-list.txt", 1, "adapter", "vmhba65"),
        ("x02-nested-80u3/esxcli_storage-filesystem-list.txt", 0, "volumename", ""),
        ("x03-nvmetcp-70u3/esxcli_storage-core-device-list.txt", 0, "devicemaxqueuedepth", "126"),
        ("x05-homelab-80/esxcli_storage-core-device-list.txt", 1, "noofoutstandingioswithcompetingworlds", "31"),
        ("x11-netapp-cdot/esxcli_storage-core-device-vaai-status-get.txt", 0, "deletestatus", "unsupported"),
        ("x15-fujitsu-sas/esxcli_storage-core-path-list.txt", 0, "maximumiosize", "4194304"),
        ("x17-blockbridge/esxcli_storage-core-device-list.txt", 0, "devicemaxqueuedepth", "192"),
        ("x18-nested-900b/esxcli_storage-core-device-list.txt", 0, "vendor", "VMware"),
        ("x18-nested-900b/esxcli_system-version-get.txt", 0, "build", "Releasebuild-24755229"),
    ],
)
def test_a_value_of_a_real_host_is_as_it_stands_in_its_text(path: str, number: int, field: str, expected: str) -> None:
    table = _output(path).table
    places = {plain_name(name): place for place, name in enumerate(table.names)}
    assert table.records[number][places[field]] == expected


def test_every_captured_output_is_read_without_an_exception() -> None:
    for file in sorted(capture("esxi").rglob("esxcli*")):
        assert outputs_in(file.read_bytes(), file.name), file.name


def test_an_error_in_place_of_data_is_a_problem_and_no_record() -> None:
    (output,) = outputs_in(b"Error: Unknown command or namespace storage hpp device list\n", "localcli_storage-hpp-device-list.txt")
    assert (output.command, output.whole, output.table.records) == ("storage hpp device list", False, [])
    assert "Unknown command" in output.problems[0]


def test_xml_with_a_document_type_is_not_read() -> None:
    (output,) = outputs_in(b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><output><root/></output>\n', "esxcli_storage-nfs-list.xml")
    assert not output.whole
    assert not output.table.records


def test_json_that_is_nested_deeply_is_a_problem() -> None:
    (output,) = outputs_in(b"[" * 200_000, "localcli_storage-nfs-list.json")
    assert not output.whole
