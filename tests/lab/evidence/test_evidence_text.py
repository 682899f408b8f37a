"""What is written of a simulated host is what its description says, in the form of recorded outputs of its release."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from functools import cache
from typing import TYPE_CHECKING

import pytest

from auditor_lab.evidence.formatters import csv_of, json_of, keyvalue_of, xml_of
from auditor_lab.evidence.forms import Output, plain
from auditor_lab.evidence.outputs import all_outputs, hosts_of, outputs_of, write_outputs
from auditor_lab.evidence.text import text_of
from auditor_lab.scenario import load_scenario
from tests.required import capture

if TYPE_CHECKING:
    from pathlib import Path

DEVICES = "storage core device list"


@cache
def printed(scenario: str, name: str) -> dict[str, Output]:
    """The outputs of one host by the command's line."""
    state, host = next(pair for pair in hosts_of(load_scenario(scenario)) if pair[1].description.name == f"{name}.lab.example")
    return {output.line: output for output in all_outputs(state, host)}


def titles(text: str) -> list[str]:
    """The titles of the first record of a text, in their order."""
    first = re.split(r"\n\s*\n", text.strip("\n"))[0]
    return [line.strip().partition(":")[0] for line in first.splitlines()[1:]]


def test_a_host_on_7_0_update_3_prints_its_local_volume_and_its_nfs_mounts() -> None:
    # mixed-estate.yaml: esx-mx-8 on its own disks, and NFS of one vendor.
    outputs = printed("mixed-estate", "esx-mx-8")
    extents = (
        "Volume Name  VMFS UUID                            Extent Number  Device Name                           Partition\n"
        "-----------  -----------------------------------  -------------  ------------------------------------  ---------\n"
        "mx-local-8   UUID              0  naa.6d0946606d3a1c0023d5f8a91b7c5f19          1\n"
    )
    uuid = re.compile(r"[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{12}")
    assert uuid.sub("UUID", text_of(outputs["storage vmfs extent list"])) == extents
    assert text_of(outputs["storage nfs list"]) == (
        "Volume Name  Host            Share        Accessible  Mounted  Read-Only   isPE  Hardware Acceleration\n"
        "-----------  --------------  -----------  ----------  -------  ---------  -----  ---------------------\n"
        "mx-nfs       198.51.100.150  /vol/export        true     true      false  false  Not Supported\n"
    )
    assert text_of(outputs["storage core adapter list"]) == (
        "HBA Name  Driver   Link State  UID          Capabilities  Description\n"
        "--------  -------  ----------  -----------  ------------  -----------\n"
        "vmhba1    lsi_mr3  link-n/a    sata.vmhba1                (0000:00:00.0) PERC H730P Mini\n"
    )
    assert text_of(outputs["system version get"]) == (
        "   Product: VMware ESXi\n   Version: 7.0.3\n   Build: Releasebuild-21424296\n   Update: 3\n   Patch: 0\n"
    )


def test_a_host_on_fibre_channel_prints_its_paths_policies_and_module() -> None:
    # mixed-estate.yaml: esx-mx-4, ql2xmaxqdepth=128 configured and not in effect, round robin by latency.
    outputs = printed("mixed-estate", "esx-mx-4")
    assert text_of(outputs["system module parameters list --module=qlnativefc"]).splitlines()[:3] == [
        "Name                 Type  Value  Description",
        "-------------------  ----  -----  -----------",
        "ql2xmaxqdepth        int   128    Maximum queue depth to report for target devices.",
    ]
    nmp = text_of(outputs["storage nmp device list"]).split("\n\n")[0].splitlines()
    assert nmp[0] == "naa.624a9370a94c0d276e1b453800011010"
    assert "   Path Selection Policy: VMW_PSP_RR" in nmp
    assert any(
        line.startswith("   Path Selection Policy Device Config: {policy=latency,latencyEvalTime=180000,samplingCycles=16,") for line in nmp
    )
    assert "   Path Selection Policy Device Custom Config: " in nmp
    path = text_of(outputs["storage core path list"]).splitlines()
    assert path[0].startswith("fc.3100f4e9d6000401:2100f4e9d6000401-fc.")
    assert path[0] == path[1].removeprefix("   UID: ")
    assert "   Runtime Name: vmhba2:C0:T0:L0" in path
    assert "   State: active" in path
    assert "   Adapter Transport Details: WWNN: 31:00:f4:e9:d6:00:04:01 WWPN: 21:00:f4:e9:d6:00:04:01" in path
    namespace = next(one for one in outputs[DEVICES].records if str(one["Device"]).startswith("eui."))
    assert (namespace["Multipath Plugin"], namespace["Device Max Queue Depth"]) == ("HPP", 2048)
    assert not any(one["Device"] == namespace["Device"] for one in outputs["storage nmp device list"].records)


def test_a_host_on_iscsi_prints_its_parameters_binding_and_options() -> None:
    # odd-neighbours.yaml: esx-odd-1, three time-outs of 30, two bound adapters of MTU 9000, one option that few builds list.
    outputs = printed("odd-neighbours", "esx-odd-1")
    lines = text_of(outputs["iscsi adapter param get --adapter=vmhba64"]).splitlines()
    assert lines[:2] == [
        "Name                  Current     Default     Min  Max       Settable  Inherit",
        "--------------------  ----------  ----------  ---  --------  --------  -------",
    ]
    assert "LoginTimeout          30          5           1    60            true    false" in lines
    assert "DelayedAck            true        true        na   na            true    false" in lines
    target = "iscsi adapter discovery sendtarget param get --adapter=vmhba64 --address=198.51.100.70:3260"
    assert "LoginTimeout          30          5           1    60            true     true" in text_of(outputs[target])
    assert text_of(outputs["iscsi adapter discovery sendtarget list"]) == (
        "Adapter  Sendtarget\n-------  ----------\nvmhba64  198.51.100.70:3260\n"
    )
    assert [(one["Vmknic"], one["MTU"], one["PortGroup"]) for one in outputs["iscsi networkportal list"].records] == [
        ("vmk1", 9000, "iscsi-1"),
        ("vmk2", 9000, "iscsi-2"),
    ]
    assert text_of(outputs["iscsi software get"]) == "true\n"
    assert [one["Name"] for one in outputs["system settings kernel list"].records] == ["isPerFileSchedModelActive"]
    assert (
        "   Path: /Disk/QFullSampleSize\n   Type: integer\n   Int Value: 0\n   Default Int Value: 0\n   Min Value: 0\n   Max Value: 64\n"
        "   String Value: \n   Default String Value: \n   Valid Characters: \n   Description: I/O samples"
    ) in text_of(outputs["system settings advanced list"])


def test_a_description_s_setting_is_what_the_text_shows() -> None:
    # odd-neighbours.yaml: dsnro of lan-rented-right on esx-odd-1 is 24; others have 32 as installed.
    numbers = {one["No of outstanding IOs with competing worlds"] for one in printed("odd-neighbours", "esx-odd-1")[DEVICES].records}
    assert {24, 32} <= numbers


def test_localcli_ends_headings_with_a_colon_and_heads_nameless_records_with_their_kind() -> None:
    outputs = printed("odd-neighbours", "esx-odd-1")
    heading = text_of(outputs[DEVICES], "localcli").splitlines()[0]
    assert heading == text_of(outputs[DEVICES]).splitlines()[0] + ":"
    assert text_of(outputs["storage san iscsi list"], "localcli").startswith("iScsiDevice:\n   Adapter: vmhba64\n   UID: iqn.1998-01.")
    assert text_of(outputs["storage san iscsi list"]).startswith("   Adapter: vmhba64\n")


def test_a_list_without_records_prints_nothing() -> None:
    assert text_of(printed("odd-neighbours", "esx-odd-1")["storage nfs41 list"]) == ""


@pytest.mark.parametrize(
    ("command", "host", "recorded"),
    [
        pytest.param(DEVICES, "esx-mx-10", "x18-nested-900b/esxcli_storage-core-device-list.txt", id="devices of 9.0"),
        pytest.param(DEVICES, "esx-mx-4", "x03-nvmetcp-70u3/esxcli_storage-core-device-list.txt", id="devices of 7.0 Update 3"),
        pytest.param(DEVICES, "esx-mx-3", "e12-macmini-65/esxcli_storage-core-device-list.txt", id="devices of 6.x"),
        pytest.param("storage nmp device list", "esx-mx-4", "j02-r730-nvmeof-70/esxcli_storage-nmp-device-list.txt", id="NMP"),
        pytest.param("storage core path list", "esx-mx-4", "x15-fujitsu-sas/esxcli_storage-core-path-list.txt", id="paths"),
    ],
)
def test_records_have_the_titles_of_recorded_outputs_in_their_order(command: str, host: str, recorded: str) -> None:
    assert titles(text_of(printed("mixed-estate", host)[command])) == titles(capture(f"esxi/{recorded}").read_text())


@pytest.mark.parametrize(
    ("command", "host", "recorded"),
    [
        pytest.param("storage filesystem list", "esx-mx-10", "x18-nested-900b/esxcli_storage-filesystem-list.txt", id="file systems"),
        pytest.param("storage vmfs extent list", "esx-mx-10", "x18-nested-900b/esxcli_storage-vmfs-extent-list.txt", id="extents"),
        pytest.param("storage core adapter list", "esx-mx-10", "x18-nested-900b/esxcli_storage-core-adapter-list.txt", id="adapters"),
        pytest.param("storage nfs list", "esx-mx-8", "x05-homelab-80/esxcli_storage-nfs-list.txt", id="NFS"),
        pytest.param("storage nfs41 list", "esx-mx-8", "e13-hp-nfs41/esxcli_storage-nfs41-list.txt", id="NFS 4.1"),
        pytest.param(
            "storage core claimrule list --claimrule-class=all",
            "esx-mx-4",
            "j02-r730-nvmeof-70/esxcli_storage-core-claimrule-list.txt",
            id="claim rules",
        ),
    ],
)
def test_tables_have_the_titles_of_recorded_outputs_in_their_order(command: str, host: str, recorded: str) -> None:
    mine, theirs = text_of(printed("mixed-estate", host)[command]), capture(f"esxi/{recorded}").read_text()
    assert re.split(r" {2,}", mine.splitlines()[0]) == re.split(r" {2,}", theirs.splitlines()[0])
    assert set(mine.splitlines()[1]) == {"-", " "}


def test_a_table_is_laid_out_as_a_recorded_one() -> None:
    recorded = capture("esxi/j02-r730-nvmeof-70/esxcli_storage-core-claimrule-list.txt").read_text().splitlines()
    mine = text_of(printed("mixed-estate", "esx-mx-4")["storage core claimrule list --claimrule-class=all"]).splitlines()
    row = next(line for line in recorded if "transport=sata" in line and "runtime" in line)
    ours = next(line for line in mine if "transport=sata" in line and "runtime" in line)
    assert ours.split() == row.split()
    assert (mine[0][:25], mine[1][:25], ours[:25]) == (recorded[0][:25], recorded[1][:25], row[:25])


def test_padding_and_empty_values_are_as_recorded() -> None:
    mine = text_of(printed("mixed-estate", "esx-mx-10")[DEVICES]).splitlines()
    recorded = capture("esxi/x18-nested-900b/esxcli_storage-core-device-list.txt").read_text().splitlines()
    for title in ("Device Type", "Attached Filters", "Is SSD"):
        shown = [next(line for line in lines if line.startswith(f"   {title}:")) for lines in (mine, recorded)]
        assert len(shown[0]) - len(shown[0].rstrip()) == len(shown[1]) - len(shown[1].rstrip())
    assert "   Vendor: PURE    " in mine
    assert "   Model: FlashArray      " in mine


def test_json_has_the_names_and_the_types_of_a_recorded_one() -> None:
    recorded = json.loads(capture("esxi/j01-freenas-iscsi-70/esxcli_formatter-json_storage-core-device-list.json").read_text())[0]
    mine = json.loads(json_of(printed("mixed-estate", "esx-mx-3")[DEVICES]))[0]
    assert list(mine)[: len(recorded)] == list(recorded)  # the last four fields of the recorded one are lost
    assert {name: type(value) for name, value in recorded.items()} == {name: type(mine[name]) for name in recorded}


def test_csv_ends_its_lines_with_a_comma_as_a_recorded_one() -> None:
    recorded = capture("esxi/j01-freenas-iscsi-70/esxcli_formatter-csv_fields_storage-core-device-list.csv").read_text()
    mine = csv_of(printed("mixed-estate", "esx-mx-3")[DEVICES])
    assert all(line.endswith(",") for text in (recorded, mine) for line in text.splitlines())
    header = mine.splitlines()[0].split(",")[:-1]
    assert header == sorted(header)
    assert {"DevfsPath", "Vendor", "Model"} <= set(header)
    assert "Device" not in header


def test_keyvalue_has_lines_of_the_recorded_form() -> None:
    form = re.compile(r"structure\[\d+\]\.(\w+)\.(\w+)\.(string|integer|boolean)(\[\d+\])?=.*")
    recorded = capture("esxi/j13-formatters-80/esxcli_formatter-keyvalue_network-nic-list.txt").read_text().splitlines()
    mine = keyvalue_of(printed("mixed-estate", "esx-mx-4")[DEVICES]).splitlines()
    for lines in (recorded, mine):
        assert all(form.fullmatch(line) for line in lines)
    assert mine[0].startswith("structure[0].ScsiDevice.DIXEnabled.boolean=")


def test_xml_has_the_elements_of_a_recorded_one() -> None:
    def skeleton(text: str) -> list[str]:
        root = ET.fromstring(text)
        first = next(root.iter("{http://www.vmware.com/Products/ESX/5.0/esxcli}structure"))
        leaves = {"string", "integer", "boolean", "list"}
        assert all(child.tag.rpartition("}")[2] in leaves for one in first for child in one)
        names = [one.attrib["name"] for one in first]
        assert names == sorted(names)
        return [root.tag, root[0].tag, root[0][0].tag, root[0][0].attrib["type"], first.tag, first[0].tag, *sorted(first.attrib)]

    recorded = capture("esxi/j13-formatters-80/esxcli_formatter-xml_network-nic-list.xml").read_text()
    mine = xml_of(printed("mixed-estate", "esx-mx-4")[DEVICES])
    assert skeleton(mine) == skeleton(recorded)
    assert mine.splitlines()[:3] == recorded.splitlines()[:3]


@pytest.mark.parametrize("formatter", ["text", "xml", "json", "csv", "keyvalue"])
def test_every_host_has_a_folder_and_every_command_a_file(formatter: str, tmp_path: Path) -> None:
    fleet = load_scenario("solidfire-vvols")
    folders = write_outputs(fleet, tmp_path, formatter=formatter)
    for folder, (state, host) in zip(folders, hosts_of(fleet), strict=True):
        assert folder.name == host.description.name
        assert len(list(folder.iterdir())) == len(outputs_of(state, host)) + len(host.modules)  # esxcfg-module -g of each


def test_files_are_named_as_recorded_ones(tmp_path: Path) -> None:
    (folder, *_) = write_outputs(load_scenario("solidfire-vvols"), tmp_path / "text")
    assert (folder / "esxcli_storage-core-device-list.txt").exists()
    assert (folder / "esxcli_system-module-parameters-list---module=iscsi_vmk.txt").exists()
    (folder, *_) = write_outputs(load_scenario("solidfire-vvols"), tmp_path / "csv", formatter="csv")
    assert (folder / "esxcli_formatter-csv_storage-core-device-list.csv").exists()


def test_plain_names_are_those_of_the_answers_of_vcenter() -> None:
    assert plain("Emulated DIX/DIF Enabled") == "EmulatedDIXDIFEnabled"
    assert plain("No of outstanding IOs with competing worlds") == "NoofoutstandingIOswithcompetingworlds"
