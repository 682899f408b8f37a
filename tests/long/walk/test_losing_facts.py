"""Whatever is taken away, no verdict turns from fail or unknown to pass, and a gap says what is missing."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pytest

from auditor.endpoints.collect import collect_fleet
from auditor.facts.schema import TABLES
from auditor.fleet import Fleet, load_fleet
from auditor.lab.serving import Lab
from auditor.lab.vcenter.soap.privileges import ALL
from auditor.lab.wire import Fault
from auditor.model import Gap
from tests.audits import Audit, Place, faults_of, is_unread
from tests.mutation.bench import Bench, loaded
from tests.mutation.noticing import verdicts

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


@dataclass(frozen=True)
class Judged:
    """The facts of the lab as collected with nothing in the way, judged by every rule; a loss is judged as a change of these facts."""

    lab: Lab
    fleet: Fleet
    folder: Path
    bench: Bench

    def collected(self) -> tuple[Path, tuple[Gap, ...]]:
        """A new collection: the folder that it was saved in, and its gaps but for those of a lab with nothing in the way."""
        snapshot = collect_fleet(self.fleet, lambda *_: None)
        shutil.rmtree(self.folder / "lost", ignore_errors=True)
        snapshot.save(self.folder / "lost")
        return self.folder / "lost", tuple(gap for gap in snapshot.gaps if is_unread(gap.what, gap.why))


@pytest.fixture(scope="module")
def whole(shared_lab: tuple[Lab, Path], tmp_path_factory: pytest.TempPathFactory) -> Judged:
    lab, folder = shared_lab
    fleet, saved = load_fleet(folder / "fleet.yaml"), tmp_path_factory.mktemp("losing")
    collect_fleet(fleet, lambda *_: None).save(saved / "whole")
    return Judged(lab, fleet, saved, Bench(loaded(saved / "whole")))


def exchanged_for(connection: duckdb.DuckDBPyConnection, folder: Path) -> Iterator[str]:
    """The statements by which facts become those of a saved snapshot, but for when they were read and measured."""
    for name, table in TABLES.items():
        columns = ", ".join(f'"{column}"' for column in table.names)
        compared = ", ".join(f'"{column}"' for column in table.names if not column.endswith("_at"))
        saved = f"read_parquet('{folder / f'{name}.parquet'}')"
        digests = [f"SELECT count(*), sum(hash(t)) FROM (SELECT {compared} FROM {source}) AS t" for source in (f'fact."{name}"', saved)]
        if len(set(connection.execute(" UNION ALL ".join(digests)).fetchall())) > 1:
            yield f'DELETE FROM fact."{name}"'
            yield f'INSERT INTO fact."{name}" SELECT {columns} FROM {saved}'


def test_reading_depends_on_no_other_privilege(whole: Judged) -> None:
    """What a vCenter never looks at changes no answer: the privileges that are left out of `losses` cannot cost a fact."""
    privileges = Watched(ALL)
    privileges.looked_at = set()
    with with_privileges(whole.lab, privileges):
        whole.collected()
    assert sorted(privileges.looked_at) == sorted(NEEDED)


@pytest.mark.parametrize("loss", list(losses()))
def test_a_verdict_stays_or_becomes_unknown_when_something_is_taken_away(whole: Judged, loss: Loss) -> None:
    with loss(whole.lab):
        folder, gaps = whole.collected()
    with whole.bench.altered(*exchanged_for(whole.bench.connection, folder)) as changed:
        before, after = verdicts(whole.bench.before(changed)), verdicts(whole.bench.judged(changed))
    turned = [(key, before.get(key), now) for key, now in after.items() if now not in (before.get(key, "not_applicable"), "unknown")]
    assert turned == []
    assert gaps or after == before, "verdicts changed and no gap says why"


@pytest.mark.parametrize("loss", [lambda lab: with_privileges(lab, ALL - {"Host.Config.Settings"})], ids=["privilege Host.Config.Settings"])
def test_an_audit_that_lost_something_passes_nothing_more_and_ends_with_2(everything: Place, whole_audit: Audit, loss: Loss) -> None:
    before = whole_audit.verdicts()
    with loss(everything.lab):
        after = everything.audit()
    turned = [key for key, verdict in after.verdicts().items() if verdict == "pass" and before.get(key) in ("fail", "unknown", None)]
    assert turned == []
    assert after.verdicts() != before
    assert after.unread
    assert after.code == 2
