"""The same promises over real wire protocols, against the lab's vCenter; and a run that is killed for good."""

from __future__ import annotations

import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from auditor import audit
from auditor.apply import Fate, recover, undo
from auditor.apply.interrupted import recover_interrupted
from auditor.endpoints.common.sessions import Sessions
from auditor.errors import GuardError
from auditor.fleet.loading import Fleet
from auditor.journal import history, open_intents, open_journal
from auditor.model import Change, Endpoint, EndpointKind, FixClass, Limits, Outcome, Receipt, Resource, Scalar, Secret, Target, Tls
from auditor.pipeline.request import UndoRequest
from auditor_lab.arrays.element.description import ElementDescription, NodeDescription, QosPolicyDescription
from auditor_lab.description import LabFleet
from auditor_lab.serving import ARRAY_USER, VCENTER_USER, serve
from auditor_lab.vcenter.description.datastores import DatastoreDescription
from auditor_lab.vcenter.description.devices import DeviceDescription, HbaDescription
from auditor_lab.vcenter.description.hosts import ClusterDescription, HostDescription
from auditor_lab.vcenter.description.vcenter import VCenterDescription
from auditor_lab.wire import Answer, Fault, Request
from tests.applying import apply
from tests.identified import as_seen
from tests.waiting import PATIENCE_SECONDS, until

PE = "naa.6f47acc2000000005a46505200000001"
SET, LOCKING = "storage.core.device.set", "VMFS3.HardwareAcceleratedLocking"
FIRST, SECOND, THIRD = "20181104T120000Z-0001", "20181104T130000Z-0002", "20181104T140000Z-0003"
EVERY = frozenset(FixClass)


def _host(name: str) -> HostDescription:
    target = "iqn.2010-01.com.solidfire:sfpr.pe.1"
    hba = HbaDescription(device="vmhba64", kind="iscsi", driver="iscsi_vmk", model="iSCSI Software Adapter", software=True)
    endpoint = DeviceDescription(name=PE, vendor="SolidFir", model="SSD SAN", protocol_endpoint=True, targets=(target,))
    return HostDescription(name=name, version="8.0.2", build=22380479, hbas=(hba,), devices=(endpoint,), dsnro={PE: 32})


FLEET = LabFleet(
    vcenters=(
        VCenterDescription(
            name="vc-east",
            clusters=(ClusterDescription(name="gold", hosts=(_host("esx-01"), _host("esx-02"))),),
            datastores=(DatastoreDescription(name="ats", type="VMFS", hosts=("esx-01",), extents=(PE,), locking_mode="ATS"),),
        ),
    ),
    element=(
        ElementDescription(
            name="sf-prod",
            unique_id="sfpr",
            nodes=(NodeDescription(id=1, name="sf-node-1"),),
            qos_policies=(QosPolicyDescription(name="Bronze", min=50, max=1000, burst=2000),),
        ),
    ),
)


@dataclass
class Peers:
    """A served fleet and how to reach it."""

    lab: Any
    endpoints: dict[str, Endpoint]
    hosts: dict[str, str]  # id by name
    journals: Path

    @property
    def vcenter(self) -> Any:
        return self.lab.vcenters["vc-east"]

    def dsnro(self, host: str = "esx-01") -> int:
        state = self.vcenter.state.hosts[self.hosts[host]]
        depth: int = state.dsnro(state.devices[PE])
        return depth

    def somebody_sets(self, value: int, host: str = "esx-01") -> None:
        with self.vcenter.state.lock:
            self.vcenter.state.hosts[self.hosts[host]].device_settings.setdefault(PE, {})["dsnro"] = value
            self.vcenter.state.changed()

    def writes(self) -> int:
        return sum(name in {SET, "UpdateOptions"} for name in self.vcenter.requests)

    def deeper(self, host: str = "esx-01", before: int = 32, after: int = 256) -> Change:
        resource = Resource("protocol_endpoint", f"{host}/{PE}", PE, "vc-east", "gold", host)
        target = Target("vc-east", (("device", PE), ("host_id", self.hosts[host])))
        return Change("device.dsnro", FixClass.ONLINE_CAUTION, target, before, after, ("vvol/pe-dsnro-headroom",), resource, "reason")

    def run(self, run: str, *changes: Change) -> list[Receipt]:
        with Sessions(self.endpoints) as sessions, open_journal(self.journals, run) as journal:
            return list(apply(as_seen(sessions, *changes), sessions, journal, allow=EVERY, confirm=lambda _: True))

    def undoing(self, run: str) -> UndoRequest:
        return UndoRequest(run=run, fleet=Fleet(Path("fleet.yaml"), tuple(self.endpoints.values())), state=self.journals.parent)


@contextmanager
def _peers(tmp_path: Path, site: str = "") -> Iterator[Peers]:
    with serve(FLEET, site) as lab:
        ca, password = tmp_path / "ca.pem", tmp_path / "password"
        lab.authority.write(ca)
        password.write_text(lab.password)
        served = (
            (EndpointKind.VCENTER, VCENTER_USER, "vc-east", lab.vcenters["vc-east"]),
            (EndpointKind.ELEMENT, ARRAY_USER, "sf-prod", lab.element["sf-prod"]),
        )
        endpoints = {
            name: Endpoint(
                name,
                kind,
                server.host,
                server.port,
                user,
                Secret("file", (str(password),)),
                Tls(ca=str(ca)),
                Limits(timeout_seconds=2),
            )
            for kind, user, name, server in served
        }
        hosts = {state.description.name: moid for moid, state in lab.vcenters["vc-east"].state.hosts.items()}
        yield Peers(lab, endpoints, hosts, tmp_path / "journal")


@pytest.fixture
def peers(tmp_path: Path) -> Iterator[Peers]:
    with _peers(tmp_path) as served:
        yield served


def test_a_depth_is_raised_on_every_host_and_the_second_time_nothing_is_written(peers: Peers) -> None:
    changes = (peers.deeper("esx-01"), peers.deeper("esx-02"))
    first = peers.run(FIRST, *changes)
    assert [(receipt.outcome, receipt.found) for receipt in first] == [(Outcome.APPLIED, 256)] * 2
    assert (peers.dsnro("esx-01"), peers.dsnro("esx-02")) == (256, 256)

    again = peers.run(SECOND, *changes)
    assert {receipt.outcome for receipt in again} == {Outcome.ALREADY}
    assert peers.writes() == 2
    assert [(entry.intent.change.before, entry.intent.change.after) for entry in history(peers.journals).entries] == [(32, 256)] * 2


def test_a_depth_that_somebody_changed_is_left_alone(peers: Peers) -> None:
    peers.somebody_sets(64)
    (receipt,) = peers.run(FIRST, peers.deeper())
    assert (receipt.outcome, receipt.found, peers.dsnro(), peers.writes()) == (Outcome.STALE, 64, 64, 0)


@pytest.mark.parametrize(
    ("fault", "outcome", "stored"),
    [
        pytest.param(Fault("lose", SET), Outcome.APPLIED, 256, id="the answer is lost after the write"),
        pytest.param(Fault("truncate", SET), Outcome.APPLIED, 256, id="the answer is cut short after the write"),
        pytest.param(Fault("drop", SET), Outcome.UNVERIFIED, 32, id="the connection drops before the write"),
        pytest.param(Fault("garbage", SET), Outcome.UNVERIFIED, 32, id="nonsense instead of the write"),
        pytest.param(Fault("status", SET, status=500), Outcome.UNVERIFIED, 32, id="an error page instead of the write"),
    ],
)
def test_what_is_read_back_decides_and_a_write_is_never_sent_twice(peers: Peers, fault: Fault, outcome: Outcome, stored: int) -> None:
    peers.vcenter.faults.active.append(fault)
    (receipt,) = peers.run(FIRST, peers.deeper())
    assert (receipt.outcome, peers.dsnro()) == (outcome, stored)
    assert peers.writes() == 1
    assert len(open_intents(peers.journals)) == (outcome is Outcome.UNVERIFIED)


def test_an_account_that_may_not_write_changes_nothing_and_says_which_privilege_is_missing(peers: Peers) -> None:
    peers.vcenter.privileges -= {"Host.Config.Storage"}
    with pytest.raises(GuardError) as refused:
        peers.run(FIRST, peers.deeper("esx-01"), peers.deeper("esx-02"))
    assert "vc-east: Host.Config.Storage on esx-01, which device.dsnro needs" in refused.value.what
    assert "on esx-02" in refused.value.what
    assert (peers.dsnro("esx-01"), peers.dsnro("esx-02"), peers.writes()) == (32, 32, 0)


def test_an_account_whose_privileges_are_taken_during_the_run_is_refused_by_the_vcenter(peers: Peers) -> None:
    peers.vcenter.faults.active.append(Fault("permission", SET, privilege="Host.Config.Storage"))
    first, second = peers.run(FIRST, peers.deeper("esx-01"), peers.deeper("esx-02"))
    assert (first.outcome, second.outcome) == (Outcome.REFUSED, Outcome.PROPOSED)
    assert "Host.Config.Storage" in first.why


def test_a_host_that_is_away_is_refused_before_the_write(peers: Peers) -> None:
    with peers.vcenter.state.lock:
        peers.vcenter.state.hosts[peers.hosts["esx-01"]].connection_state = "notResponding"
        peers.vcenter.state.changed()
    (receipt,) = peers.run(FIRST, peers.deeper())
    assert (receipt.outcome, peers.writes()) == (Outcome.REFUSED, 0)


def test_undo_restores_the_depth_over_the_wire(peers: Peers) -> None:
    peers.run(FIRST, peers.deeper("esx-01"), peers.deeper("esx-02"))
    peers.somebody_sets(128, "esx-02")
    with Sessions(peers.endpoints) as sessions, open_journal(peers.journals, SECOND) as journal:
        receipts = list(undo(FIRST, sessions, journal, confirm=lambda _: True))
    assert [receipt.outcome for receipt in receipts] == [Outcome.STALE, Outcome.APPLIED]
    assert (peers.dsnro("esx-01"), peers.dsnro("esx-02")) == (32, 128)


@pytest.mark.parametrize(
    ("host", "outcome", "stored"),
    [
        pytest.param("esx-01", Outcome.REFUSED, 1, id="an ATS-only volume is mounted"),
        pytest.param("esx-02", Outcome.APPLIED, 0, id="no volume depends on it"),
    ],
)
def test_locking_stays_on_where_a_volume_has_no_other_lock_whatever_the_plan(
    peers: Peers, host: str, outcome: Outcome, stored: int
) -> None:
    resource = Resource("host", host, host, "vc-east", "gold", host)
    target = Target("vc-east", (("host_id", peers.hosts[host]), ("option", LOCKING)))
    (receipt,) = peers.run(FIRST, Change("host.option", FixClass.ONLINE, target, 1, 0, ("site/no-locking",), resource, "reason"))
    assert (receipt.outcome, peers.vcenter.state.hosts[peers.hosts[host]].options[LOCKING]) == (outcome, stored)
    assert peers.writes() == (outcome is Outcome.APPLIED)
    assert ("outage" in receipt.why) == (outcome is Outcome.REFUSED)


def test_a_policy_of_an_array_goes_the_same_way(peers: Peers) -> None:
    resource = Resource("qos_policy", "1", "Bronze", "sf-prod", None, None)
    target = Target("sf-prod", (("field", "burstIOPS"), ("policy_id", "1")))
    change = Change("element.qos_policy", FixClass.ARRAY, target, 2000, 2500, ("qos/element-limits",), resource, "reason")
    assert [receipt.outcome for receipt in peers.run(FIRST, change)] == [Outcome.APPLIED]
    assert [receipt.outcome for receipt in peers.run(SECOND, change)] == [Outcome.ALREADY]


def test_an_endpoint_that_is_down_costs_its_own_changes_only(peers: Peers) -> None:
    peers.lab.element["sf-prod"].stop()
    resource = Resource("qos_policy", "1", "Bronze", "sf-prod", None, None)
    target = Target("sf-prod", (("field", "burstIOPS"), ("policy_id", "1")))
    dead = Change("element.qos_policy", FixClass.ARRAY, target, 2000, 2500, ("qos/element-limits",), resource, "reason")
    assert [receipt.outcome for receipt in peers.run(FIRST, dead, peers.deeper())] == [Outcome.REFUSED, Outcome.APPLIED]


@contextmanager
def _other_site(peers: Peers) -> Iterator[Peers]:
    """Endpoints of the same names and the same content at another site, with the journal of this one."""
    folder = peers.journals.parent / "munich"
    folder.mkdir()
    with _peers(folder, "munich") as there:
        there.journals = peers.journals
        yield there


@pytest.mark.long
def test_undo_of_one_site_s_run_writes_nothing_at_another_with_the_same_names(peers: Peers) -> None:
    resource = Resource("qos_policy", "1", "Bronze", "sf-prod", None, None)
    target = Target("sf-prod", (("field", "burstIOPS"), ("policy_id", "1")))
    policy = Change("element.qos_policy", FixClass.ARRAY, target, 2000, 2500, ("qos/element-limits",), resource, "reason")
    fixed = peers.run(FIRST, peers.deeper("esx-01"), peers.deeper("esx-02"), policy)
    assert [receipt.outcome for receipt in fixed] == [Outcome.APPLIED] * 3
    with _other_site(peers) as there:
        for host in there.hosts:
            there.somebody_sets(256, host)
        request = there.undoing(FIRST)
        receipts = audit.undo(request, confirm=lambda _: True)
        assert [receipt.outcome for receipt in receipts if receipt.why.startswith(("vc-east was vCenter", "sf-prod was array"))] == [
            Outcome.REFUSED,
            Outcome.REFUSED,
        ]
        assert {receipt.outcome for receipt in receipts} <= {Outcome.REFUSED, Outcome.PROPOSED}
        assert (there.writes(), [there.dsnro(host) for host in there.hosts]) == (0, [256, 256])
        assert "ModifyQoSPolicy" not in there.lab.element["sf-prod"].requests
    here = peers.undoing(FIRST)
    assert [receipt.outcome for receipt in audit.undo(here, confirm=lambda _: True)] == [Outcome.APPLIED] * 3
    assert [peers.dsnro(host) for host in peers.hosts] == [32, 32]


def test_an_endpoint_that_is_swapped_for_another_during_a_run_gets_no_further_write(peers: Peers) -> None:
    changes = (peers.deeper("esx-01"), peers.deeper("esx-02"))
    with Sessions(peers.endpoints) as sessions, open_journal(peers.journals, FIRST) as journal:
        receipts = apply(as_seen(sessions, *changes), sessions, journal, allow=EVERY, confirm=lambda _: True)
        assert next(receipts).outcome is Outcome.APPLIED
        peers.vcenter.state.description = replace(peers.vcenter.state.description, site="munich")
        second = next(receipts)
    assert (second.outcome, peers.writes(), peers.dsnro("esx-02")) == (Outcome.REFUSED, 1, 32)
    assert "vc-east was vCenter" in second.why


def test_recovery_with_another_site_s_fleet_settles_nothing(peers: Peers) -> None:
    with Sessions(peers.endpoints) as sessions, open_journal(peers.journals, FIRST) as journal:
        journal.intend(peers.deeper(), sessions.identity("vc-east"))
    peers.somebody_sets(256)  # the write arrived
    with _other_site(peers) as there:  # where the setting is as it was before the write
        (sentence,) = recover_interrupted(there.endpoints.values(), peers.journals, SECOND)
        assert "vc-east was vCenter" in sentence
        assert "nothing was settled" in sentence
    assert len(open_intents(peers.journals)) == 1
    (sentence,) = recover_interrupted(peers.endpoints.values(), peers.journals, THIRD)
    assert ": applied;" in sentence
    assert open_intents(peers.journals) == []


def test_a_killed_run_of_an_older_auditor_is_settled_and_undone_by_trusted_names(peers: Peers) -> None:
    with open_journal(peers.journals, FIRST) as journal:
        journal.intend(peers.deeper())  # it recorded no identity
    peers.somebody_sets(256)  # the write arrived
    assert [receipt.outcome for receipt in audit.undo(peers.undoing(FIRST), confirm=lambda _: True)] == [Outcome.REFUSED]
    assert (peers.writes(), len(open_intents(peers.journals))) == (0, 1)
    trusting = replace(peers.undoing(FIRST), trust_names=True)
    assert [receipt.outcome for receipt in audit.undo(trusting, confirm=lambda _: True)] == [Outcome.APPLIED]
    assert (peers.dsnro(), open_intents(peers.journals)) == (32, [])


_RUN_AND_WAIT = """
import pickle
import sys
from pathlib import Path
from auditor.apply import apply
from auditor.apply.orders import Orders
from auditor.endpoints.common.sessions import Sessions
from auditor.journal import open_journal
from auditor.model import FixClass, Plan

endpoints, changes, directory, run = pickle.load(sys.stdin.buffer)
with Sessions(endpoints) as sessions, open_journal(Path(directory), run) as journal:
    known = {change.target.endpoint: sessions.identity(change.target.endpoint) for change in changes}
    orders = Orders(allow=set(FixClass))
    for receipt in apply(Plan(changes, identities=known), sessions, journal, orders, confirm=lambda _: True):
        print(receipt.outcome, flush=True)
"""


def _killed_at_the_write(peers: Peers, *changes: Change) -> None:
    """Apply `changes` in a process of its own, and kill it when the last write has left it and no answer has come."""
    request = pickle.dumps((peers.endpoints, changes, str(peers.journals), FIRST))
    with subprocess.Popen([sys.executable, "-c", _RUN_AND_WAIT], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        assert process.stdin is not None
        process.stdin.write(request)
        process.stdin.close()
        until(lambda: peers.writes() == len(changes) or process.poll() is not None, "the last write on its way")
        process.send_signal(signal.SIGKILL)
        assert process.wait(PATIENCE_SECONDS) == -signal.SIGKILL, "it was still waiting for the answer"


@contextmanager
def _unanswered(peers: Peers, *, lost: bool) -> Iterator[None]:
    """Writes of a setting get no answer meanwhile; afterwards the host carries them out, or hears nothing of them where they are `lost`."""
    wire, over = peers.vcenter._wire, threading.Event()
    answer = wire.answer

    def hold(request: Request) -> Answer:
        if wire.operation(request) == SET:
            over.wait(PATIENCE_SECONDS)
            if lost:
                raise ConnectionAbortedError
        answered: Answer = answer(request)
        return answered

    wire.answer = hold
    try:
        yield
    finally:
        wire.answer = answer
        over.set()


@pytest.mark.long
@pytest.mark.parametrize(
    ("lost", "elsewhere", "fate", "found"),
    [
        pytest.param(False, None, Fate.APPLIED, 256, id="the host carried it out"),
        pytest.param(True, None, Fate.NOT_APPLIED, 32, id="it never reached the host"),
        pytest.param(True, 64, Fate.CHANGED, 64, id="somebody else changed it before we looked"),
    ],
)
def test_after_a_kill_between_intent_and_receipt_the_next_run_reports_the_result_of_the_change(
    peers: Peers, lost: bool, elsewhere: int | None, fate: Fate, found: Scalar
) -> None:
    with _unanswered(peers, lost=lost):
        _killed_at_the_write(peers, peers.deeper())
    assert [intent.change for intent in open_intents(peers.journals)] == [peers.deeper()]
    if not lost:
        until(lambda: peers.dsnro() == 256, "the host carries it out")
    if elsewhere is not None:
        peers.somebody_sets(elsewhere)

    with Sessions(peers.endpoints) as sessions, open_journal(peers.journals, SECOND) as journal:
        (recovered,) = recover(journal, sessions)
    assert (recovered.fate, recovered.found, recovered.intent.run) == (fate, found, FIRST)

    with Sessions(peers.endpoints) as sessions, open_journal(peers.journals, THIRD) as journal:
        assert recover(journal, sessions) == [], "it is reported once"
    assert peers.writes() == 1


@pytest.mark.long
def test_while_the_vcenter_is_down_a_killed_change_stays_open(peers: Peers) -> None:
    with _unanswered(peers, lost=True):
        _killed_at_the_write(peers, peers.deeper())
    peers.vcenter.stop()
    with Sessions(peers.endpoints) as sessions, open_journal(peers.journals, SECOND) as journal:
        (recovered,) = recover(journal, sessions)
    assert recovered.fate is Fate.UNKNOWN
    assert len(open_intents(peers.journals)) == 1
