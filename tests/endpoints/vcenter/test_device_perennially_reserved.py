"""The mark of a perennially reserved device on its whole way: written, read back, undone, and kept from devices with VMFS."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from pyVmomi import vim

from auditor.apply.interlocks import interlock
from auditor.endpoints.settings import remediator_for
from auditor.endpoints.vcenter.session import open_vcenter
from auditor.errors import ConfigurationError, MalformedAnswerError, RefusedError
from auditor.journal import open_intents
from auditor.model import Change, Endpoint, FixClass, Outcome, Receipt, Resource, Target
from auditor_lab.vcenter import server as serving
from auditor_lab.vcenter.esxcli import commands
from auditor_lab.vcenter.esxcli.command import Command
from auditor_lab.vcenter.esxcli.executer import Scalar as BareWord
from auditor_lab.vcenter.server import VCenterServer
from auditor_lab.wire import Fault
from tests.applying import applied, put_back

Serve = Callable[..., tuple[VCenterServer, Endpoint]]

NAME, COMMAND = "device.perennially_reserved", "storage.core.device.setconfig"
MAPPED, WITH_VMFS = "naa.624a9370bbbb", "naa.624a9370aaaa"
FIRST, SECOND, THIRD = "20181104T120000Z-0001", "20181104T130000Z-0002", "20181104T140000Z-0003"


def target(device: str = MAPPED) -> Target:
    return Target("vc-test", (("device", device), ("host_id", "host-11")))


def marking(device: str = MAPPED) -> Change:
    resource = Resource("mapped_device", f"host-11/{device}", device, "vc-test", "one", "esx-1")
    return Change(NAME, FixClass.ONLINE, target(device), before=False, after=True, rules=("site/mark",), resource=resource, reason="reason")


@dataclass
class Lab:
    server: VCenterServer
    endpoint: Endpoint
    journals: Path

    def run(self, run: str, change: Change) -> Receipt:
        return applied(change, self.endpoint, self.journals, run)

    def undo(self, undone: str, run: str) -> list[Receipt]:
        return put_back(undone, self.endpoint, self.journals, run)

    def somebody_sets(self, *, mark: bool) -> None:
        with self.server.state.lock:
            self.server.state.hosts["host-11"].device_settings.setdefault(MAPPED, {})["perennially_reserved"] = mark
            self.server.state.changed()

    def marks(self) -> dict[str, list[str]]:
        """The marked devices of each host, as the VIM API reports them, from which the fact is read."""
        with open_vcenter(self.endpoint) as session:
            hosts = session.read(vim.HostSystem, ("config.storageDevice.scsiLun",))
            luns = {host.id: host.values["config.storageDevice.scsiLun"] for host in hosts}
        return {host: [lun.canonicalName for lun in of_host if lun.perenniallyReserved] for host, of_host in luns.items()}

    def becomes_a_datastore(self, extent: str) -> None:
        store = self.server.state.datastores["datastore-101"]
        object.__setattr__(store.description, "extents", (extent,))
        self.server.state.changed()

    @property
    def writes(self) -> int:
        return self.server.requests.count(COMMAND)


@pytest.fixture
def lab(serve_vcenter: Serve, tmp_path: Path) -> Lab:
    return Lab(*serve_vcenter(), tmp_path / "journals")


def test_it_is_written_once_on_that_host_alone(lab: Lab) -> None:
    assert lab.run(FIRST, marking()).outcome is Outcome.APPLIED
    assert lab.marks() == {"host-11": [MAPPED], "host-12": [], "host-13": []}
    assert lab.run(SECOND, marking()).outcome is Outcome.ALREADY
    assert lab.writes == 1


def test_a_mark_that_somebody_set_since_the_plan_is_not_written_and_not_undone(lab: Lab) -> None:
    lab.somebody_sets(mark=True)
    assert (lab.run(FIRST, marking()).outcome, lab.writes) == (Outcome.ALREADY, 0)
    with pytest.raises(ConfigurationError, match="no journal"):
        lab.undo(FIRST, SECOND)
    assert lab.marks()["host-11"] == [MAPPED]


def test_undo_finds_a_mark_that_somebody_took_away_before(lab: Lab) -> None:
    lab.run(FIRST, marking())
    lab.somebody_sets(mark=False)
    assert [receipt.outcome for receipt in lab.undo(FIRST, SECOND)] == [Outcome.ALREADY]
    assert lab.writes == 1


@pytest.mark.parametrize(
    ("kind", "outcome", "marked"),
    [
        pytest.param("lose", Outcome.APPLIED, [MAPPED], id="the answer is lost after the write"),
        pytest.param("drop", Outcome.UNVERIFIED, [], id="the connection drops before the write"),
        pytest.param("garbage", Outcome.UNVERIFIED, [], id="nonsense instead of the write"),
    ],
)
def test_what_is_read_back_decides(lab: Lab, kind: str, outcome: Outcome, marked: list[str]) -> None:
    lab.server.faults.active.append(Fault(kind, COMMAND))
    assert lab.run(FIRST, marking()).outcome is outcome
    assert (lab.marks()["host-11"], lab.writes) == (marked, 1)
    assert len(open_intents(lab.journals)) == (outcome is Outcome.UNVERIFIED)


def test_undo_takes_the_mark_away_once(lab: Lab) -> None:
    lab.run(FIRST, marking())
    assert [receipt.outcome for receipt in lab.undo(FIRST, SECOND)] == [Outcome.APPLIED]
    assert lab.marks()["host-11"] == []
    assert lab.writes == 2


def test_undo_takes_it_away_even_where_the_device_has_become_a_datastore(lab: Lab) -> None:
    lab.run(FIRST, marking())
    lab.becomes_a_datastore(MAPPED)
    assert [receipt.outcome for receipt in lab.undo(FIRST, SECOND)] == [Outcome.APPLIED]
    assert lab.marks()["host-11"] == []
    assert lab.run(THIRD, marking()).outcome is Outcome.REFUSED


@pytest.mark.parametrize("extent", [MAPPED, MAPPED.upper()])
def test_a_device_with_a_vmfs_volume_is_never_marked_whatever_the_plan(lab: Lab, extent: str) -> None:
    lab.becomes_a_datastore(extent)
    receipt = lab.run(FIRST, marking())
    assert (receipt.outcome, lab.writes, lab.marks()["host-11"]) == (Outcome.REFUSED, 0, [])
    assert f"{MAPPED} holds the VMFS volume fast" in receipt.why


@pytest.mark.parametrize("after", [True, "false", 0, None], ids=repr)
def test_no_value_but_false_gets_round_it(lab: Lab, after: Any) -> None:
    with open_vcenter(lab.endpoint) as session:
        assert interlock(replace(marking(WITH_VMFS), after=after), session) is not None
        assert interlock(replace(marking(WITH_VMFS), after=False), session) is None


def test_what_volumes_the_host_has_is_not_guessed_where_it_cannot_be_read(lab: Lab) -> None:
    with open_vcenter(lab.endpoint) as session:
        assert interlock(marking(), session) is None
        lab.server.faults.active.append(Fault("garbage", "RetrievePropertiesEx"))
        assert "could not be read" in (interlock(marking(), session) or "")
        lab.server.faults.active.clear()
        lab.server.privileges -= {"System.Read"}
        assert interlock(marking(), session) is not None


@pytest.mark.parametrize("text", ["", "unknown", "0", "1"])
def test_a_mark_that_is_neither_true_nor_false_is_not_read(lab: Lab, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    reported(monkeypatch, IsPerenniallyReserved=text)
    with open_vcenter(lab.endpoint) as session, pytest.raises(MalformedAnswerError):
        remediator_for(NAME).read(session, target())


def test_a_mark_that_the_host_does_not_report_is_not_taken_for_false(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    reported(monkeypatch)
    with open_vcenter(lab.endpoint) as session, pytest.raises(MalformedAnswerError):
        remediator_for(NAME).read(session, target())
    assert lab.run(FIRST, marking()).outcome is not Outcome.APPLIED
    assert lab.writes == 0


def reported(monkeypatch: pytest.MonkeyPatch, **instead: str) -> None:
    """Have hosts report this in place of the mark."""
    whole = commands._device

    def in_part(*arguments: Any) -> dict[str, object]:
        return {name: value for name, value in whole(*arguments).items() if name != "IsPerenniallyReserved"} | instead

    monkeypatch.setattr(commands, "_device", in_part)


def test_a_host_that_says_no_without_a_reason_has_refused(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    says_no = Command(lambda *_: BareWord(value=False), commands.COMMANDS[COMMAND].parameters, writes=True)
    monkeypatch.setattr(serving, "COMMANDS", {**commands.COMMANDS, COMMAND: says_no})
    with open_vcenter(lab.endpoint) as session, pytest.raises(RefusedError, match="without a reason"):
        remediator_for(NAME).write(session, target(), value=True)
