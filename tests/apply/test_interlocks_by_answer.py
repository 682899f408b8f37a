"""What interlocks make of each answer of a host, typed by hand: whatever is not known to be safe forbids the write."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from auditor.apply.interlocks import interlock
from auditor.errors import EndpointUnreachableError
from auditor.model import Change, FixClass, Resource, Scalar, Target
from tests.apply.conftest import WHY_AND_DO

LOCKING = "VMFS3.HardwareAcceleratedLocking"
VSAN, MOUNTS = "config.vsanHostConfig.enabled", "config.fileSystemVolume.mountInfo"
DISK, OTHER_DISK = "naa.600A", "naa.600b"
OUTAGE = "HardwareAcceleratedLocking stays 1, since {}; without ATS there would be no locking left, which is an outage"


def vmfs(name: str, *disks: str) -> Any:
    from pyVmomi import vim

    extent = [vim.host.ScsiDisk.Partition(diskName=disk, partition=1) for disk in disks]
    return SimpleNamespace(volume=vim.host.VmfsVolume(name=name, uuid=f"uuid-{name}", extent=extent))


def share(name: str) -> Any:
    from pyVmomi import vim

    return SimpleNamespace(volume=vim.host.NasVolume(name=name))


class Host:
    """Answers of one host, host-1; None: it reports nothing. What cannot be read is in `unreadable`."""

    def __init__(self, values: dict[str, Any] | None, modes: Sequence[dict[str, str]] = (), unreadable: str = "") -> None:
        self.values, self.modes, self.unreadable = values, modes, unreadable
        self.asked: list[Any] = []

    def object(self, kind: Any, key: str) -> Any:
        return (kind.__name__, key)

    def read(self, kind: Any, names: Sequence[str], objects: Sequence[Any]) -> list[Any]:
        self.asked.append((kind.__name__, names, objects))
        if self.unreadable == "properties":
            raise EndpointUnreachableError("no answer", **WHY_AND_DO)
        return [] if self.values is None else [SimpleNamespace(values=self.values)]

    def esxcli(self, host_id: str) -> Any:
        return SimpleNamespace(run=lambda command: self.run(host_id, command))

    def run(self, host_id: str, command: str) -> Sequence[dict[str, str]]:
        self.asked.append((host_id, command))
        if self.unreadable == "modes":
            raise EndpointUnreachableError("no answer", **WHY_AND_DO)
        return self.modes


def mode(name: str, locking: str) -> dict[str, str]:
    return {"UUID": f"uuid-{name}", "LockingMode": locking}


def change(remediator: str, after: Scalar, **keys: str) -> Change:
    target = Target("vc", tuple(sorted({"host_id": "host-1", **keys}.items())))
    return Change(remediator, FixClass.ONLINE, target, None, after, ("a/rule",), Resource("host", "h", "h", "vc", "gold", "h"), "reason")


def switched_off(option: str = LOCKING, after: Scalar = 0) -> Change:
    return change("host.option", after, option=option)


MOUNTED: dict[str, Any] = {VSAN: False, MOUNTS: [share("nfs"), vmfs("one", DISK), vmfs("two", OTHER_DISK)]}
NOT_REPORTED = "the host does not report whether it is in vSAN"


@pytest.mark.parametrize(
    ("host", "danger"),
    [
        pytest.param(Host(MOUNTED, [mode("one", "ATS+SCSI"), mode("two", "SCSI")]), None, id="both have another lock"),
        pytest.param(Host({VSAN: False, MOUNTS: [share("nfs")]}), None, id="no VMFS volume"),
        pytest.param(Host(None), NOT_REPORTED, id="the host is not reported"),
        pytest.param(Host({MOUNTS: []}), NOT_REPORTED, id="vSAN is not reported"),
        pytest.param(Host({VSAN: None, MOUNTS: []}), NOT_REPORTED, id="vSAN is reported as nothing"),
        pytest.param(Host({VSAN: True, MOUNTS: []}), "the host is in vSAN", id="vSAN"),
        pytest.param(Host({VSAN: False}), "the host does not report which volumes it has mounted", id="its volumes are not reported"),
        pytest.param(
            Host(MOUNTED, [mode("one", "ATS"), mode("two", "ATS-only"), mode("three", "SCSI")]),
            "2 VMFS volumes of the host lock by ATS only",
            id="two of three by ATS only",
        ),
        pytest.param(
            Host(MOUNTED, [mode("one", "ATS+SCSI"), mode("two", "ATS"), mode("three", "odd")]),
            "1 VMFS volumes of the host lock by ATS only",
            id="one by ATS only, and an odd one",
        ),
        pytest.param(
            Host(MOUNTED, [mode("two", "odd"), mode("one", "strange")]),
            "the locking mode of VMFS volume uuid-one is strange",
            id="modes that nobody knows",
        ),
        pytest.param(
            Host(MOUNTED, [mode("one", "SCSI")]),
            "the locking mode of VMFS volume uuid-two is not reported",
            id="a volume that is not listed",
        ),
        pytest.param(
            Host(MOUNTED, unreadable="properties"),
            "it could not be read whether a volume of this host depends on it: no answer",
            id="the host does not answer",
        ),
        pytest.param(
            Host(MOUNTED, unreadable="modes"),
            "it could not be read whether a volume of this host depends on it: no answer",
            id="the modes are not answered",
        ),
    ],
)
def test_locking_is_switched_off_only_where_every_volume_is_known_to_have_another_lock(host: Host, danger: str | None) -> None:
    assert interlock(switched_off(), host) == (None if danger is None else OUTAGE.format(danger))
    assert host.asked[0] == ("vim.HostSystem", (VSAN, MOUNTS), [("vim.HostSystem", "host-1")])
    assert host.asked[1:] in ([], [("host-1", "storage vmfs lockmode list")])


@pytest.mark.parametrize("option", [LOCKING, "/VMFS3/HardwareAcceleratedLocking", "vmfs3/hardwareacceleratedlocking/"])
@pytest.mark.parametrize("after", [0, 2, None, True, "1", 1.0], ids=repr)
def test_every_spelling_of_the_option_and_every_other_value_is_looked_at(option: str, after: Scalar) -> None:
    assert interlock(switched_off(option, after), Host({VSAN: True})) == OUTAGE.format("the host is in vSAN")


HEARTBEAT = "VMFS3.UseATSForHBOnVMFS5"


@pytest.mark.parametrize(
    ("host", "danger"),
    [
        pytest.param(Host({VSAN: False}), None, id="in no vSAN"),
        pytest.param(Host({VSAN: True}), "the host is in vSAN", id="vSAN"),
        pytest.param(Host({}), NOT_REPORTED, id="vSAN is not reported"),
        pytest.param(Host(None), NOT_REPORTED, id="the host is not reported"),
        pytest.param(
            Host({}, unreadable="properties"), "it could not be read whether the host is in vSAN: no answer", id="the host does not answer"
        ),
    ],
)
def test_a_host_in_vsan_keeps_up_its_heartbeat_with_ats(host: Host, danger: str | None) -> None:
    why = None if danger is None else f"UseATSForHBOnVMFS5 stays 1, since {danger}; a host in vSAN must have it"
    assert interlock(switched_off(HEARTBEAT), host) == why
    assert host.asked == [("vim.HostSystem", (VSAN,), [("vim.HostSystem", "host-1")])]


@pytest.mark.parametrize(
    "one",
    [
        pytest.param(switched_off(after=1), id="switched on"),
        pytest.param(switched_off(HEARTBEAT, after=1), id="the heartbeat switched on"),
        pytest.param(switched_off("DataMover.HardwareAcceleratedInit"), id="another option"),
        pytest.param(change("host.module_option", 0), id="no option"),
        pytest.param(change("device.perennially_reserved", after=False, device=DISK), id="the mark taken away"),
        pytest.param(change("device.dsnro", 64, device=DISK), id="another setting of a device"),
    ],
)
def test_the_host_is_asked_nothing_about_what_no_interlock_is_about(one: Change) -> None:
    host = Host({VSAN: True, MOUNTS: [vmfs("one", DISK)]})
    assert (interlock(one, host), host.asked) == (None, [])


@pytest.mark.parametrize(
    ("host", "why"),
    [
        pytest.param(Host({MOUNTS: [share("nfs"), vmfs("other", OTHER_DISK)]}), None, id="a volume on another device"),
        pytest.param(
            Host({MOUNTS: [vmfs("other", OTHER_DISK), vmfs("one", OTHER_DISK, "NAA.600a"), vmfs("two", DISK)]}),
            "naa.600A holds the VMFS volume one, which a host that takes the device for reserved would pass over",
            id="the second extent of a volume, in another case",
        ),
        pytest.param(
            Host({}), "naa.600A is not marked, since the host does not report which volumes it has", id="volumes are not reported"
        ),
        pytest.param(Host(None), "naa.600A is not marked, since the host does not report which volumes it has", id="no such host"),
        pytest.param(
            Host({MOUNTS: []}, unreadable="properties"),
            "naa.600A is not marked, since it could not be read whether it holds a VMFS volume: no answer",
            id="the host does not answer",
        ),
    ],
)
@pytest.mark.parametrize("after", [True, None], ids=["marked", "as it comes"])
def test_a_device_is_marked_as_reserved_only_where_it_is_known_to_hold_no_volume(host: Host, why: str | None, after: Scalar) -> None:
    assert interlock(change("device.perennially_reserved", after, device=DISK), host) == why
    assert host.asked[-1] == ("vim.HostSystem", (MOUNTS,), [("vim.HostSystem", "host-1")])
