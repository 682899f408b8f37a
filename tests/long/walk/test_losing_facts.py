"""Whatever is taken away, no verdict turns from fail or unknown to pass, and a gap says what is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from auditor.lab.serving import Lab
from auditor.lab.vcenter.soap.privileges import ALL
from auditor.lab.wire import Fault
from tests.walk.conftest import Audit, Place, faults_of

READS = (
    "storage.core.device.list",
    "storage.core.device.vaai.status.get",
    "system.module.parameters.list",
    "storage.vmfs.lockmode.list",
    "RetrieveManagedMethodExecuter",
    "ListVolumes",
    "ListVirtualVolumes",
    "ListVirtualVolumeBindings",
    "ListProtocolEndpoints",
    "ListActiveNodes",
    "ListQoSPolicies",
    "ListStorageContainers",
    "ListVolumeStats",
    "GetLimits",
    "GetClusterInfo",
)
NEEDED = ("Host.Config.Settings", "StorageProfile.View", "System.Anonymous", "System.Read", "System.View")
"""The privileges that a vCenter looks at while it is read; `test_reading_depends_on_no_other_privilege` holds this list to be whole."""


class Watched(frozenset[str]):
    """Privileges that remember which of them were looked at; a copy with fewer remembers in the same place."""

    looked_at: set[str]

    def __contains__(self, privilege: object) -> bool:
        self.looked_at.add(str(privilege))
        return super().__contains__(privilege)

    def __sub__(self, others: object) -> Watched:
        fewer = Watched(one for one in self if one not in set(others))  # type: ignore[call-overload]
        fewer.looked_at = self.looked_at
        return fewer


@contextmanager
def with_privileges(lab: Lab, privileges: frozenset[str]) -> Iterator[None]:
    for server in lab.vcenters.values():
        server.privileges = privileges
    try:
        yield
    finally:
        for server in lab.vcenters.values():
            server.privileges = ALL


@contextmanager
def with_fault(lab: Lab, names: list[str], fault: Fault) -> Iterator[None]:
    chosen = [faults for name, faults in faults_of(lab).items() if name in names]
    for faults in chosen:
        faults.active.append(fault)
    try:
        yield
    finally:
        for faults in chosen:
            faults.active.clear()


Loss = Callable[[Lab], AbstractContextManager[None]]


def losses() -> Iterator[object]:
    for privilege in NEEDED:
        yield pytest.param(lambda lab, p=privilege: with_privileges(lab, ALL - {p}), id=f"privilege {privilege}")
    for name in ("vc-solidfire", "vc-eternus", "sf-prod", "sf-twin"):
        yield pytest.param(lambda lab, n=name: with_fault(lab, [n], Fault("drop")), id=f"endpoint {name}")
    for operation in READS:
        everywhere = ["vc-solidfire", "vc-eternus", "sf-prod", "sf-twin"]
        yield pytest.param(
            lambda lab, o=operation, e=everywhere: with_fault(lab, e, Fault("status", o, status=500)), id=f"answers to {operation}"
        )


def test_reading_depends_on_no_other_privilege(everything: Place) -> None:
    """What a vCenter never looks at changes no answer: the privileges that are left out of `losses` cannot cost a fact."""
    privileges = Watched(ALL)
    privileges.looked_at = set()
    with with_privileges(everything.lab, privileges):
        everything.audit()
    assert sorted(privileges.looked_at) == sorted(NEEDED)


@pytest.mark.parametrize("loss", list(losses()))
def test_no_verdict_becomes_a_pass_when_something_is_taken_away(everything: Place, whole_audit: Audit, loss: Loss) -> None:
    before = whole_audit.verdicts()
    with loss(everything.lab):
        after = everything.audit()
    turned = [key for key, verdict in after.verdicts().items() if verdict == "pass" and before.get(key) in ("fail", "unknown", None)]
    assert turned == []
    changed = after.verdicts() != before
    if changed:
        assert after.unread, "verdicts changed and no gap says why"
        assert after.code == 2
