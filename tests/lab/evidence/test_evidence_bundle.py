"""A bundle of a simulated host has the members, names and oddities of those of vm-support."""

from __future__ import annotations

import json
import re
import tarfile
from typing import TYPE_CHECKING

import pytest

from auditor.cli import run
from auditor_lab.evidence.bundle import bundle_outputs, write_bundle
from auditor_lab.evidence.outputs import hosts_of
from auditor_lab.evidence.text import LOCALCLI, text_of
from auditor_lab.scenario import load_scenario

if TYPE_CHECKING:
    from pathlib import Path

    from auditor_lab.vcenter.state.hosts import HostState
    from auditor_lab.vcenter.state.vcenter import VCenterState


def described(scenario: str, name: str) -> tuple[VCenterState, HostState]:
    """A host and its vCenter."""
    return next(pair for pair in hosts_of(load_scenario(scenario)) if pair[1].description.name == f"{name}.lab.example")


def members(scenario: str, name: str, folder: Path) -> dict[str, str]:
    """The texts of a bundle by their names below its root."""
    path = write_bundle(*described(scenario, name), folder)
    root = path.name.removesuffix(".tgz")
    with tarfile.open(path) as archive:
        texts = {}
        for one in archive.getmembers():
            read = archive.extractfile(one)
            assert read is not None
            assert one.name.startswith(f"{root}/")
            texts[one.name.removeprefix(f"{root}/")] = read.read().decode()
    return texts


def test_the_archive_and_its_host_can_be_recognised(tmp_path: Path) -> None:
    texts = members("mixed-estate", "esx-mx-4", tmp_path)
    (archive,) = tmp_path.iterdir()
    assert re.fullmatch(r"esx-esx-mx-4\.lab\.example-\d{4}-\d\d-\d\d--\d\d\.\d\d-\d+\.tgz", archive.name)
    assert texts["commands/vmware_-vl.txt"] == "VMware ESXi 7.0.3 build-18644231\nVMware ESXi 7.0 Update 3\n"
    assert texts["commands/uname_-a.txt"].split()[:2] == ["VMkernel", "esx-mx-4.lab.example"]
    assert texts["README"].startswith("Captured on: ")
    assert texts["etc/vmware/esx.conf"].splitlines()[-1] == '/vmkernel/module/qlnativefc/options = "ql2xmaxqdepth=128"'


def test_options_pile_up_dashes_in_names(tmp_path: Path) -> None:
    texts = members("mixed-estate", "esx-mx-4", tmp_path)
    assert {
        "commands/localcli_storage-core-claimrule-list---claimrule-classall.txt",
        "commands/localcli_storage-core-device-list---pe-only.txt",
        "commands/localcli_storage-filesystem-list--i.txt",
        "commands/localcli_storage-vmfs-lockmode-list--i.txt",
        "commands/localcli_system-settings-advanced-list--d.txt",
    } <= set(texts)


def test_fragments_join_to_the_whole_output(tmp_path: Path) -> None:
    texts = members("mixed-estate", "esx-mx-4", tmp_path)
    name = "commands/localcli_storage-core-path-list.txt"
    parts = sorted(one for one in texts if one.startswith(name))
    assert parts == [f"{name}.FRAG-0000{number}" for number in range(3)]
    (whole,) = [one for one in bundle_outputs(*described("mixed-estate", "esx-mx-4")) if one.command == "storage core path list"]
    assert "".join(texts[part] for part in parts) == text_of(whole, LOCALCLI)


@pytest.mark.parametrize(
    ("host", "expected"), [pytest.param("esx-mx-3", False, id="6.7 has none"), pytest.param("esx-mx-4", True, id="7.0 has it")]
)
def test_json_lies_beside_the_text_from_7_0_on(host: str, expected: bool, tmp_path: Path) -> None:
    texts = members("mixed-estate", host, tmp_path)
    assert any(name.startswith("json/") for name in texts) is expected
    if expected:
        (first, *_) = json.loads(texts["json/localcli_storage-core-device-list.json"])
        assert (first["Device Type"], first["Vendor"], first["Is Offline"]) == ("Direct-Access ", "PURE    ", False)


def test_only_options_that_differ_from_their_defaults_are_listed(tmp_path: Path) -> None:
    # mixed-estate.yaml: esx-mx-7 has one option changed, odd-neighbours.yaml: esx-odd-3 one kernel option.
    changed = members("mixed-estate", "esx-mx-7", tmp_path / "one")["commands/localcli_system-settings-advanced-list--d.txt"]
    assert re.findall("   Path: (.*)", changed) == ["/VMFS3/HardwareAcceleratedLocking"]
    kernel = "commands/localcli_system-settings-kernel-list--d.txt"
    assert "isPerFileSchedModelActive  Bool  FALSE" in members("odd-neighbours", "esx-odd-3", tmp_path / "two")[kernel]
    assert members("odd-neighbours", "esx-odd-1", tmp_path / "three")[kernel] == ""


def test_the_command_writes_outputs_or_bundles(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["lab", "evidence", "--scenario", "solidfire-vvols", "--out"]
    assert run([*arguments, str(tmp_path / "text")]) == 0
    assert run([*arguments, str(tmp_path / "bundles"), "--bundle"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert min(one.name for one in (tmp_path / "text").iterdir()) == "esx-twin-1.lab.example"
    assert len(shown) == 2 * len(list((tmp_path / "bundles").iterdir()))
