"""S4 read back over SSH and the vSphere API: which array bears offload, what three zeros do, and what only one of them breaks."""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from pyVmomi import VmomiSupport, vim

from auditor.endpoints.vcenter.session import open_vcenter
from auditor.fleet.loading import load_fleet
from auditor_lab.description import LabFleet
from auditor_lab.scenario import load_scenario, parse_scenario
from auditor_lab.serving import ARRAY_USER, Lab, serve
from tests.lab.conftest import Client, pyvmomi_client
from tests.lab.eternus.conftest import Console

MOVE, INIT, LOCKING = "DataMover.HardwareAcceleratedMove", "DataMover.HardwareAcceleratedInit", "VMFS3.HardwareAcceleratedLocking"
ATS_DEVICE, OTHER_RAID_GROUP = "naa.600000e00d1000000010660000010000", "naa.600000e00d1000000010660000020000"
FIBRECAT, UNDECLARED = "naa.600c0ff000d5000100000000a0010000", "naa.600000e00d2a0000002a770000010000"
OLD_DX80, MENDED = "naa.600000e00d0f00000008660000010000", "naa.600000e00d1000000010680000010000"
SICK = ("esx-dx-1", "esx-dx-2", "esx-dx-3")
BLOCK_BYTES = 512
TREMBLE = 0.06  # of a value: samples tremble by 4 %, and are whole numbers


@contextmanager
def opened(folder: Path, fleet: LabFleet | None = None) -> Iterator[tuple[Lab, Client]]:
    with serve(fleet or load_scenario("eternus-vaai")) as lab:
        lab.write_fleet(folder / "fleet.yaml")
        trusted = ssl.create_default_context(cafile=str(folder / "fleet-ca.pem"))
        server = lab.vcenters["vc-eternus"]
        with pyvmomi_client(server.host, server.port, trusted, password=lab.password) as client:
            yield lab, client


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Lab, Client, Path]]:
    """The scenario for tests that only read, and where its fleet file is."""
    folder = tmp_path_factory.mktemp("s4")
    with opened(folder) as (lab, client):
        yield lab, client, folder


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Client]:
    """A lab of its own for tests that write."""
    with opened(tmp_path) as (_, client):
        yield client


def typed(lab: Lab, name: str, line: str, user: str = ARRAY_USER) -> list[str]:
    """The lines of an answer, between the echo and the prompt."""
    [answer] = Console(lab.eternus[name]).type(line, user=user, password=lab.password)
    return answer.partition(line)[2].split("\r\n")[1:-1]


def fields(lab: Lab, name: str, line: str) -> list[list[str]]:
    """The tab-separated fields of every line that the machine's account is shown, after the status."""
    done, *lines = typed(lab, name, line)
    assert done == "00"
    return [one.split("\t") for one in lines]


def volumes(lab: Lab, name: str) -> dict[str, int]:
    """Size in bytes by the name that hosts give the volume: UID is field 20, size in blocks field 7 (cinder's Fujitsu driver)."""
    return {f"naa.{one[20].lower()}": int(one[7], 16) * BLOCK_BYTES for one in fields(lab, name, "show volumes") if len(one) > 20}


def host(client: Client, name: str) -> Any:
    return client.hosts()[f"{name}.lab.example"]


def flags(of: Any) -> tuple[int, ...]:
    return tuple(of.configManager.advancedOption.QueryOptions(key)[0].value for key in (MOVE, INIT, LOCKING))


def put(of: Any, key: str, value: int) -> None:
    of.configManager.advancedOption.UpdateOptions([vim.option.OptionValue(key=key, value=VmomiSupport.long(value))])


def devices(of: Any) -> dict[str, Any]:
    return {lun.canonicalName: lun for lun in of.configManager.storageSystem.storageDeviceInfo.scsiLun}


def device_ms(client: Client, of: Any) -> dict[str, int]:
    """DAVG of every device of a host, newest sample."""
    manager = client.content.perfManager
    [key] = [one.key for one in manager.perfCounter if (one.groupInfo.key, one.nameInfo.key) == ("disk", "deviceLatency")]
    asked = vim.PerformanceManager.MetricId(counterId=key, instance="*")
    spec = vim.PerformanceManager.QuerySpec(entity=of, metricId=[asked], intervalId=20, maxSample=1)
    return {series.id.instance: series.value[-1] for metric in manager.QueryPerf([spec]) for series in metric.value}


def test_three_models_answer_with_the_firmware_that_stalls_and_with_the_one_that_does_not(served: tuple[Lab, Client, Path]) -> None:
    lab, _, _ = served
    reported = {}
    for name in lab.eternus:
        identity = fields(lab, name, "show enclosure-status")[0]
        reported[name] = (identity[0], identity[2], identity[11])
    assert reported == {
        f"dx{model}-l{level}": (f"dx{model}-l{level}", f"ETERNUS DX{model}", f"V10L{level}-0000")
        for model in (60, 80, 90)
        for level in (66, 68)
    }


@pytest.mark.parametrize("name", ["dx60-l66", "dx80-l66", "dx90-l66", "dx60-l68", "dx80-l68", "dx90-l68"])
def test_people_are_told_the_firmware_as_well(served: tuple[Lab, Client, Path], name: str) -> None:
    text = "\n".join(typed(served[0], name, "show enclosure-status", "watcher"))
    assert re.search(rf"Firmware Version +\[V10L{name[-2:]}-0000\]", text)


def test_every_volume_is_seen_by_hosts_under_the_uid_and_with_the_size_that_its_array_tells(served: tuple[Lab, Client, Path]) -> None:
    lab, client, _ = served
    reported: dict[str, int] = {}
    for name in lab.eternus:
        reported |= volumes(lab, name)
    seen = {
        name: lun.capacity.block * lun.capacity.blockSize
        for each in client.hosts().values()
        for name, lun in devices(each).items()
        if lun.vendor.strip() == "FUJITSU"
    }
    assert len(reported) == 7
    assert reported == {name: size for name, size in seen.items() if name != UNDECLARED}
    assert UNDECLARED in seen


def test_inquiry_strings_tell_neither_model_nor_firmware(served: tuple[Lab, Client, Path]) -> None:
    _, client, _ = served
    seen = [lun for each in client.hosts().values() for lun in devices(each).values() if lun.vendor.strip() == "FUJITSU"]
    assert {(lun.model.strip(), lun.revision.strip()) for lun in seen} == {("ETERNUS_DXM", "0000")}


def test_an_array_knows_the_very_ports_of_the_hosts_that_see_it(served: tuple[Lab, Client, Path]) -> None:
    lab, client, _ = served
    for name in lab.eternus:
        rows = [line.split() for line in typed(lab, name, "show host-wwn-names", "watcher")[3:]]
        known = {(row[1].partition("_")[0], row[2]) for row in rows}
        expected = set()
        for each in client.hosts().values():
            if devices(each).keys() & volumes(lab, name).keys():
                adapters = each.configManager.storageSystem.storageDeviceInfo.hostBusAdapter
                expected |= {(each.name.partition(".")[0], f"{one.portWorldWideName:016x}") for one in adapters}
        assert expected
        assert known == expected
        affinity = "\n".join(typed(lab, name, "show host-affinity", "watcher"))
        for _, port, *_ in rows:
            assert affinity.count(f" {port} ") + affinity.count(f" {port}\n") == 2  # one connection from each of the two controllers


def test_the_early_command_line_tells_people_no_uid_but_its_machine_account_does_get_them(served: tuple[Lab, Client, Path]) -> None:
    lab, _, _ = served
    assert "600000E0" not in "\n".join(typed(lab, "dx60-l66", "show volumes", "watcher"))
    assert typed(lab, "dx60-l66", "show volumes -mode uid", "watcher")[0].strip() == "^"
    assert list(volumes(lab, "dx60-l66")) == ["naa.600000e00d0e00000006660000010000"]
    assert "600000E00D1000000010660000010000" in "\n".join(typed(lab, "dx90-l66", "show volumes -mode uid", "watcher"))


def test_a_first_generation_array_has_no_qos(served: tuple[Lab, Client, Path]) -> None:
    lab, _, _ = served
    for line in ("show volume-qos", "show qos-bandwidth-limit", "set volume-qos -volume-number 1 -bandwidth-limit 1"):
        assert "Unknown" in typed(lab, "dx90-l66", line)[1]


def test_one_host_has_the_three_zeros_of_the_report_and_its_neighbours_none(served: tuple[Lab, Client, Path]) -> None:
    _, client, _ = served
    assert [flags(host(client, name)) for name in SICK] == [(1, 1, 1), (1, 1, 1), (0, 0, 0)]
    assert [flags(host(client, name)) for name in ("esx-dx-6", "esx-dx-7")] == [(0, 0, 1), (0, 0, 1)]


def test_the_same_hosts_have_a_volume_without_other_locks_and_a_fibrecat(served: tuple[Lab, Client, Path]) -> None:
    _, client, folder = served
    [endpoint] = [one for one in load_fleet(folder / "fleet.yaml").endpoints if one.name == "vc-eternus"]
    with open_vcenter(endpoint) as vcenter:
        for name in SICK:
            of = host(client, name)
            modes = {row["VolumeName"]: row["LockingMode"] for row in vcenter.esxcli(of._moId).run("storage vmfs lockmode list")}
            assert modes == {"dx90-ats": "ATS", "dx90-mixed": "ATS+SCSI", "dx80-old": "ATS+SCSI", "sx100-01": "ATS+SCSI"}
            assert devices(of)[FIBRECAT].model.strip() == "FibreCAT SX100"


def test_offload_stalls_unrelated_raid_groups_beyond_800_ms_and_leaves_the_fibrecat_alone(served: tuple[Lab, Client, Path]) -> None:
    _, client, _ = served
    for name in SICK:  # the host that offloads nothing waits for the array that others stall
        took = device_ms(client, host(client, name))
        assert min(took[ATS_DEVICE], took[OTHER_RAID_GROUP], took[OLD_DX80]) > 800
        assert took[FIBRECAT] == pytest.approx(8, abs=1)


def test_the_stall_ends_when_copies_and_zeroes_are_off_on_every_host_and_locking_stays_on(own: Client) -> None:
    first, second = host(own, "esx-dx-1"), host(own, "esx-dx-2")
    for key in (MOVE, INIT):
        put(first, key, 0)
    assert flags(first) == (0, 0, 1)
    assert device_ms(own, first)[ATS_DEVICE] > 800  # the other host is enough
    put(second, INIT, 0)
    assert device_ms(own, first)[ATS_DEVICE] > 800  # so is one of the two switches
    put(second, MOVE, 0)
    assert flags(second) == (0, 0, 1)
    for each in (first, second):
        took = device_ms(own, each)
        assert [took[name] for name in (ATS_DEVICE, OTHER_RAID_GROUP, OLD_DX80, FIBRECAT)] == pytest.approx([8] * 4, abs=1)
    put(second, MOVE, 1)
    assert device_ms(own, first)[ATS_DEVICE] == pytest.approx(850, rel=TREMBLE)


@pytest.mark.parametrize(("firmware", "took_ms"), [("V10L66-0000", 850), ("V10L67-0000", 850), ("V10L68-0000", 8), ("V10L69-0000", 8)])
def test_the_stall_hangs_on_the_firmware_and_the_flags_together(tmp_path: Path, firmware: str, took_ms: int) -> None:
    text = (resources.files("auditor_lab") / "scenarios" / "eternus-vaai.yaml").read_text(encoding="utf-8")
    upgraded = text.replace("- name: dx90-l66\n    firmware: V10L66-0000", f"- name: dx90-l66\n    firmware: {firmware}")
    with opened(tmp_path, parse_scenario(upgraded, "upgraded.yaml")) as (lab, client):
        assert firmware in " ".join(typed(lab, "dx90-l66", "show enclosure-status", user="watcher"))
        of = host(client, "esx-dx-1")
        assert flags(of)[:2] == (1, 1), "it offloads"
        assert device_ms(client, of)[ATS_DEVICE] == pytest.approx(took_ms, rel=TREMBLE, abs=1)
        for name in SICK:
            for key in (MOVE, INIT):
                put(host(client, name), key, 0)
        assert device_ms(client, of)[ATS_DEVICE] == pytest.approx(8, abs=1), "without offload there is nothing to cope with"


def test_the_third_zero_can_be_put_back(own: Client) -> None:
    zeroed = host(own, "esx-dx-3")
    put(zeroed, LOCKING, 1)
    assert flags(zeroed) == (0, 0, 1)


def test_the_workaround_that_was_left_behind_can_be_taken_back_and_nothing_stalls(own: Client) -> None:
    for name in ("esx-dx-6", "esx-dx-7"):
        for key in (MOVE, INIT):
            put(host(own, name), key, 1)
        assert flags(host(own, name)) == (1, 1, 1)
    assert all(value < 10 for value in device_ms(own, host(own, "esx-dx-6")).values())


def test_the_healthy_twin_offloads_everything_to_arrays_that_bear_it(served: tuple[Lab, Client, Path]) -> None:
    lab, client, _ = served
    for name in ("esx-dx-4", "esx-dx-5"):
        of = host(client, name)
        assert flags(of) == (1, 1, 1)
        assert set(devices(of)) == {*volumes(lab, "dx90-l68"), *volumes(lab, "dx60-l68")}
        assert device_ms(client, of)[MENDED] == pytest.approx(8, abs=1)


def test_the_workaround_done_right_keeps_locking_and_calms_an_array_that_waits_for_its_firmware(served: tuple[Lab, Client, Path]) -> None:
    lab, client, _ = served
    for name in ("esx-dx-9", "esx-dx-10"):
        of = host(client, name)
        assert flags(of) == (0, 0, 1)
        assert {key: device_ms(client, of)[key] for key in volumes(lab, "dx60-l66")} == pytest.approx(
            {"naa.600000e00d0e00000006660000010000": 8}, abs=1
        )
