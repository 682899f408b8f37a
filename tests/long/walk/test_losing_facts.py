"""Whatever is taken away, no verdict turns from fail or unknown to pass, and a gap says what is missing."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb
import pytest

from auditor.endpoints.collect import collect_fleet
from auditor.facts.schema import TABLES
from auditor.fleet.loading import Fleet, load_fleet
from auditor.model import Gap
from auditor_lab.serving import Lab
from auditor_lab.vcenter.soap.privileges import ALL
from auditor_lab.wire import Fault
from tests.audits import Audit, Place, faults_of, is_unread
from tests.depth import thinned
from tests.mutation.bench import Bench, loaded
from tests.mutation.noticing import verdicts

VCENTERS = ("vc-solidfire", "vc-eternus")
ARRAYS = ("sf-prod", "sf-twin")
READS_OF_VCENTERS = (
    "storage.core.device.list",
    "storage.core.device.vaai.status.get",
    "system.module.parameters.list",
    "storage.vmfs.lockmode.list",
    "RetrieveManagedMethodExecuter",
)
READS_OF_ARRAYS = (
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
NO_SENSE = (
    ("garbage", "vc-solidfire", "RetrievePropertiesEx"),
    ("truncate", "vc-solidfire", "storage.core.device.list"),
    ("truncate", "sf-prod", "ListVolumes"),
    ("garbage", "sf-prod", "ListVolumes"),
)
"""Answers that cannot be understood: the fault of the lab, the endpoint and the operation."""
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
def with_fault(lab: Lab, names: Sequence[str], fault: Fault) -> Iterator[None]:
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
    """What is lost, and the endpoints that it is lost of: the only ones whose facts can differ."""
    for privilege in NEEDED:
        yield pytest.param(lambda lab, p=privilege: with_privileges(lab, ALL - {p}), VCENTERS, id=f"privilege {privilege}")
    for name in (*VCENTERS, *ARRAYS):
        yield pytest.param(lambda lab, n=name: with_fault(lab, [n], Fault("drop")), (name,), id=f"endpoint {name}")
    for what, name, operation in NO_SENSE:
        yield pytest.param(
            lambda lab, n=name, o=operation, w=what: with_fault(lab, [n], Fault(w, o)), (name,), id=f"{what} for answers to {operation}"
        )
    for names, operations in ((VCENTERS, thinned(READS_OF_VCENTERS, 2)), (ARRAYS, thinned(READS_OF_ARRAYS, 3))):
        for operation in operations:
            yield pytest.param(
                lambda lab, o=operation, n=names: with_fault(lab, n, Fault("status", o, status=500)), names, id=f"answers to {operation}"
            )


@dataclass(frozen=True)
class Judged:
    """The facts of the lab as collected with nothing in the way, judged by every rule; a loss is judged as a change of these facts."""

    lab: Lab
    fleet: Fleet
    folder: Path
    bench: Bench

    def collected(self, endpoints: Collection[str]) -> tuple[Path, tuple[Gap, ...]]:
        """A new collection of some endpoints: where it was saved, and its gaps but for those of a lab with nothing in the way."""
        listed = tuple(one for one in self.fleet.endpoints if one.name in endpoints)
        assert len(listed) == len(endpoints)
        snapshot = collect_fleet(replace(self.fleet, endpoints=listed), lambda *_: None)
        shutil.rmtree(self.folder / "lost", ignore_errors=True)
        snapshot.save(self.folder / "lost")
        return self.folder / "lost", tuple(gap for gap in snapshot.gaps if is_unread(gap.what, gap.why))


@pytest.fixture(scope="module")
def whole(shared_lab: tuple[Lab, Path], tmp_path_factory: pytest.TempPathFactory) -> Judged:
    lab, folder = shared_lab
    fleet, saved = load_fleet(folder / "fleet.yaml"), tmp_path_factory.mktemp("losing")
    collect_fleet(fleet, lambda *_: None).save(saved / "whole")
    return Judged(lab, fleet, saved, Bench(loaded(saved / "whole")))


def exchanged_for(connection: duckdb.DuckDBPyConnection, folder: Path, endpoints: Collection[str]) -> Iterator[str]:
    """The statements by which facts of these endpoints become those of a saved snapshot, but for when they were read and measured."""
    theirs = "WHERE endpoint IN ({})".format(", ".join(f"'{name}'" for name in endpoints))
    for name, table in TABLES.items():
        if "endpoint" not in table.names:
            continue  # what fleet.yaml declares
        columns = ", ".join(f'"{column}"' for column in table.names)
        compared = ", ".join(f'"{column}"' for column in table.names if not column.endswith("_at"))
        saved = f"read_parquet('{folder / f'{name}.parquet'}')"
        kept = f'fact."{name}" {theirs}'
        digests = [f"SELECT count(*), sum(hash(t)) FROM (SELECT {compared} FROM {source}) AS t" for source in (kept, saved)]
        if len(set(connection.execute(" UNION ALL ".join(digests)).fetchall())) > 1:
            yield f"DELETE FROM {kept}"
            yield f'INSERT INTO fact."{name}" SELECT {columns} FROM {saved}'


def test_reading_depends_on_no_other_privilege(whole: Judged) -> None:
    """What a vCenter never looks at changes no answer: the privileges that are left out of `losses` cannot cost a fact."""
    privileges = Watched(ALL)
    privileges.looked_at = set()
    with with_privileges(whole.lab, privileges):
        whole.collected(VCENTERS)
    assert sorted(privileges.looked_at) == sorted(NEEDED)


@pytest.mark.parametrize(("loss", "endpoints"), list(losses()))
def test_a_verdict_stays_or_becomes_unknown_when_something_is_taken_away(whole: Judged, loss: Loss, endpoints: tuple[str, ...]) -> None:
    with loss(whole.lab):
        folder, gaps = whole.collected(endpoints)
    with whole.bench.altered(*exchanged_for(whole.bench.connection, folder, endpoints)) as changed:
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
