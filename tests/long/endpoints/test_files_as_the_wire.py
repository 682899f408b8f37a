"""The files of a host say what the host itself says: their facts are equal in every form, and no verdict is turned round."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from auditor.audit import AuditRequest, audit, collect
from auditor.facts.snapshots.snapshot import Snapshot
from auditor.fleet.evidence import fleet_with_files
from auditor_lab.evidence.bundle import write_bundles
from auditor_lab.evidence.formatters import FORMATTERS
from auditor_lab.evidence.outputs import write_outputs
from auditor_lab.scenario import load_scenario, merged_names
from auditor_lab.serving import serve
from tests.depth import thinned

TABLES = {
    "vmknic": (),
    "device": ("size_bytes", "operational_state"),
    "device_scheduling": (),
    "device_offload": (),
    "device_policy": (),
    "satp_rule": (),
    "iscsi_portal": (),
    "vmfs_lockmode": (),
    "host_option": (),
    "host_module": (),
    "host_module_parameter": (),
    "hba": ("status", "firmware"),
    "iscsi_target": (),
    "path": ("path", "is_working", "psp", "satp"),
    "vvol_mount": ("datastore_id",),
}
"""By table, the columns that files say otherwise: a size in whole MiB, `on` for every state of a disk but `off`, link-n/a for a state of an
adapter, its firmware, which no answer of the API has, esxcli's own name of a path, and nothing of what the high-performance plug-in does,
which the lab does not print."""

IN_EVERY_FORM = ("odd-neighbours",)
"""The scenario that is tried in every form, and as bundles; the others as texts alone: it has the most kinds of devices."""

OTHERS = [name for name in merged_names() if name not in ("all", "incidents", *IN_EVERY_FORM)]
SCENARIOS = [*IN_EVERY_FORM, *thinned(OTHERS, 12)]

JUSTIFIED_BY_LOAD = ("queue/default-unless-justified", "queue/driver-depth")
"""A raised queue passes these where a load was measured that needs it, and no such file measures one: it fails there, as in a fleet whose
counters cannot be read."""

NOT_ASKED_OF_FILES = {"qos/provider-tier-depth", "queue/dsnro-effective"}
"""Rules that are not applicable by files where the fleet judges: a tier is declared in fleet.yaml, and of a raised queue that no load
justifies, it is asked that it be lowered, not that it be effective."""

OF_TEXT_ALONE = {"device_offload", "device_policy", "device", "device_scheduling"}
"""A line of csv does not name its device unless it has the Devfs Path."""


@pytest.fixture(scope="module", params=SCENARIOS)
def scenario(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path, Snapshot]]:
    name: str = request.param
    folder = tmp_path_factory.mktemp(name)
    with serve(load_scenario(name)) as lab:
        lab.write_fleet(folder / "fleet.yaml")
        yield name, folder, collect(AuditRequest(fleet=folder / "fleet.yaml"), folder / "live")


def rows(snapshot: Snapshot, table: str, without: tuple[str, ...]) -> set[str]:
    """The rows of a table with the names of hosts for their ids, and the containers of datastores for theirs."""
    select = f'SELECT h.name AS host_name, t.* FROM fact."{table}" AS t JOIN fact.host AS h USING (endpoint, host_id)'
    if "datastore_id" in without:
        select = select.replace("t.*", "t.*, d.name AS datastore, d.vvol_container_id")
        select += " JOIN fact.datastore AS d USING (endpoint, datastore_id)"
    result = snapshot.connection.execute(select)
    names = [column[0] for column in result.description or ()]
    left_out = {"endpoint", "host_id", *without}
    return {
        json.dumps({name: value for name, value in zip(names, row, strict=True) if name not in left_out}, default=str)
        for row in result.fetchall()
    }


@pytest.mark.parametrize("formatter", list(FORMATTERS))
def test_facts_of_files_are_those_of_the_wire(scenario: tuple[str, Path, Snapshot], formatter: str) -> None:
    name, folder, live = scenario
    if formatter != "text" and name not in IN_EVERY_FORM:
        return
    write_outputs(load_scenario(name), folder / formatter, formatter=formatter)
    read = collect(AuditRequest(fleet=fleet_with_files(None, [folder / formatter])), folder / f"{formatter}.snapshot")
    tables = {table: columns for table, columns in TABLES.items() if formatter != "csv" or table not in OF_TEXT_ALONE}
    differs = {
        table: (sorted(told - wire)[:2], sorted(wire - told)[:2])
        for table, columns in tables.items()
        if (told := rows(read, table, columns)) != (wire := rows(live, table, columns))
    }
    assert differs == {}


def verdicts(found: Any) -> dict[tuple[str, str, str], str]:
    """By rule, host and name of the resource."""
    return {(finding.rule, finding.resource.host or "", finding.resource.name): finding.verdict.value for finding in found}


def reached(found: dict[tuple[str, str, str], str]) -> dict[tuple[str, str, str], str]:
    """Those of `found` that are a pass or a failure."""
    return {key: verdict for key, verdict in found.items() if verdict in ("pass", "fail")}


@pytest.mark.parametrize("as_bundles", [False, True], ids=["outputs", "bundles"])
def test_no_verdict_by_files_is_another_than_the_one_of_the_fleet(scenario: tuple[str, Path, Snapshot], as_bundles: bool) -> None:
    name, folder, _ = scenario
    if as_bundles and name not in IN_EVERY_FORM:
        return
    place = folder / f"evidence-{as_bundles}"
    (write_bundles if as_bundles else write_outputs)(load_scenario(name), place)
    state = folder / "state"
    live = audit(AuditRequest(fleet=folder / "fleet.yaml", state=state))
    told = audit(AuditRequest(fleet=fleet_with_files(None, [place]), state=state))
    by_files = verdicts(told.report.findings())
    of_fleet, of_files = reached(verdicts(live.report.findings())), reached(by_files)
    differ = {key: (verdict, of_fleet[key]) for key, verdict in of_files.items() if of_fleet.get(key, verdict) != verdict}
    assert {key: both for key, both in differ.items() if key[0] not in JUSTIFIED_BY_LOAD or both != ("fail", "pass")} == {}
    assert of_files
    assert {key for key in of_fleet if by_files.get(key) == "not_applicable" and key[0] not in NOT_ASKED_OF_FILES} == set()
