"""An audit reads what its rules need and no more, and says what it did not read."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from auditor.cli import run
from auditor_lab.serving import Lab
from auditor_lab.wire import Fault
from tests.audits import AT_ONCE, Audit, Place, Watch
from tests.depth import thinned

ESXCLI = ("storage.core.device.list", "storage.core.device.vaai.status.get", "storage.vmfs.lockmode.list", "system.module.parameters.list")
ARRAYS = ("sf-prod", "sf-twin")


MEASURED = {"most_outstanding", "busiest_device", "depth_in_effect"}
"""Evidence of what was under way when it was read: the next reading finds something else."""


def said_of(audit: Audit, rule: str) -> dict[tuple[str, str], Any]:
    """(endpoint, resource id) -> all that was said of it, of one rule, but for when it was read, what can be done and what it costs."""
    said = {}
    for finding in (one for one in audit.report["findings"] if one["rule"] == rule):
        kept = {k: v for k, v in finding.items() if k not in ("fix", "read", "impact")}
        kept["evidence"] = {k: v for k, v in finding["evidence"].items() if k not in MEASURED}
        said[finding["resource"]["endpoint"], finding["resource"]["id"]] = kept
    return said


def manifest(place: Place) -> dict[str, Any]:
    newest = max((place.state / "runs").iterdir(), key=lambda run: run.stat().st_mtime_ns)
    return dict(json.loads((newest / "snapshot" / "snapshot.json").read_text(encoding="utf-8")), directory=newest / "snapshot")


@contextmanager
def unreachable(lab: Lab, *names: str) -> Iterator[None]:
    chosen = [server.faults for _, name, server in lab.served() if name in names]
    for faults in chosen:
        faults.active.append(Fault("drop"))
    try:
        yield
    finally:
        for faults in chosen:
            faults.active.clear()


@pytest.fixture(scope="module")
def read_whole(shared_lab: tuple[Lab, Path], tmp_path_factory: pytest.TempPathFactory) -> Audit:
    """Every rule judged on all there is to read."""
    _, folder = shared_lab
    read = tmp_path_factory.mktemp("everything")  # the tests of this file may come in two parts, each with a reading of its own
    snapshot, report = read / "snapshot", read / "report.json"
    assert run(["collect", "--fleet", str(folder / "fleet.yaml"), "--out", str(snapshot)]) in (0, 2)  # 2: devices of an array not listed
    assert json.loads((snapshot / "snapshot.json").read_text(encoding="utf-8"))["asked"] is None
    code = run(["audit", "--from", str(snapshot), "--state-dir", str(folder / "state"), "--reporter", f"json-full:{report}"])
    return Audit(code, json.loads(report.read_text(encoding="utf-8")), "")


SOME_RULES = (
    "queue/driver-depth",
    "iscsi/delayed-ack",
    "sioc/overlap-array-qos",
    "qos/element-effective-iops",
    "vaai/locking-guard",
    "queue/pending-reboot",
    "vvol/pe-dsnro-headroom",
    "vvol/pe-count",
    "vaai/stale-workaround",
)
"""Each asks for something that the others do not."""


@pytest.mark.parametrize("rule", thinned(SOME_RULES, 3))
def test_a_rule_alone_says_what_it_says_among_all_on_everything(everything: Place, read_whole: Audit, rule: str) -> None:
    alone = everything.audit("--only", rule)
    assert alone.unread == []
    assert said_of(alone, rule) == said_of(read_whole, rule)
    assert len(said_of(alone, rule)) == len(alone.report["findings"]) > 0
    # What it costs rests on the load of queues, which not every rule reads; whether a depth is justified does as well.
    for finding in alone.report["findings"] if rule != "queue/driver-depth" else ():
        assert "no command is known to wait" not in finding["impact"].get("not_computed", ""), "nobody looked"


def test_all_rules_together_say_what_they_say_on_everything(whole_audit: Audit, read_whole: Audit) -> None:
    assert whole_audit.verdicts() == read_whole.verdicts()
    assert whole_audit.unread == []


def test_an_audit_of_endpoint_counts_asks_for_no_options_modules_paths_datastores_or_machines(
    everything: Place, whole_audit: Audit
) -> None:
    asked_by_all = whole_audit.operations
    narrow = Watch(everything.lab)
    everything.audit("--only", "vvol/pe-count")
    asked = narrow.operations
    assert {"ListAllNodes", "ListProtocolEndpoints"} <= set(asked)
    needless = {"QueryOptions", "QueryModules", "QueryConfiguredModuleOptionString", "ListVolumeStats", "GetLimits", *ESXCLI[1:]}
    assert needless.isdisjoint(asked)
    assert {"QueryOptions", "QueryModules", "ListVolumeStats", "GetLimits", *ESXCLI[2:]} <= set(asked_by_all)
    assert len(asked) < len(asked_by_all) / 2
    topics = set(manifest(everything)["asked"]["topics"])
    assert {"hosts", "devices", "protocol_endpoints", "nodes"} <= topics
    assert topics.isdisjoint({"vms", "datastores", "options", "modules", "hbas", "paths", "lockmode"})


def test_an_audit_of_adapters_asks_no_host_itself_and_no_array_at_all(everything: Place) -> None:
    watch = Watch(everything.lab)
    audit = everything.audit("--only", "iscsi/delayed-ack")
    asked = set(watch.operations)
    assert asked.isdisjoint(ESXCLI)
    assert asked.isdisjoint({"QueryOptions", "QueryModules", "RetrieveManagedMethodExecuter"})
    assert not {name for name in asked if name.startswith(("List", "GetCluster", "GetLimits", "GetAPI"))}
    assert any(notice.startswith("sf-prod: not asked, as no rule") for notice in audit.report["notices"])


def test_an_endpoint_that_nobody_needs_may_be_down(everything: Place) -> None:
    with unreachable(everything.lab, *ARRAYS):
        audit = everything.audit("--only", "vaai/uniform")
    assert audit.report["gaps"] == []
    assert audit.code == 1
    with unreachable(everything.lab, *ARRAYS):
        assert everything.audit("--only", "vvol/pe-count").report["gaps"]


def test_rules_that_a_kept_run_did_not_read_for_are_unknown_and_told_why(everything: Place, read_whole: Audit, tmp_path: Path) -> None:
    everything.audit("--only", "vaai/uniform")
    kept = manifest(everything)
    assert kept["asked"]["topics"] == ["devices", "hosts", "options"]
    report = tmp_path / "again.json"
    arguments = ["audit", "--from", str(kept["directory"]), "--state-dir", str(everything.state), "--reporter", f"json-full:{report}"]
    assert run([*arguments, "--only", "vaai/uniform"]) == 1
    assert json.loads(report.read_text(encoding="utf-8"))["gaps"] == []

    assert run(arguments) == 2
    again = Audit(2, json.loads(report.read_text(encoding="utf-8")), "")
    gaps = {gap["endpoint"]: gap for gap in again.report["gaps"]}
    assert {"vc-solidfire", "sf-prod"} <= set(gaps)
    assert all("not read in that run" in gap["why"] for gap in gaps.values())
    assert "device_scheduling" in gaps["vc-solidfire"]["what"].split(", ")
    before = read_whole.verdicts()
    assert [key for key, verdict in again.verdicts().items() if verdict == "pass" and before.get(key) != "pass"] == []
    assert again.of("multipath/path-count", "unknown")
    assert said_of(again, "vaai/uniform") == said_of(read_whole, "vaai/uniform")


def test_a_fix_reads_again_what_its_rule_needs_and_no_more(vvols: Place) -> None:
    watch = Watch(vvols.lab)
    fixed = vvols.audit("--only", "vvol/pe-dsnro-headroom", "--fix", "--yes", "--allow", "online-caution", *AT_ONCE)
    assert [receipt["outcome"] for receipt in fixed.report["receipts"]] == ["applied"] * 13
    assert not fixed.of("vvol/pe-dsnro-headroom", "fail")
    assert "QueryOptions" not in watch.operations
    after = json.loads((manifest(vvols)["directory"].parent / "after" / "snapshot.json").read_text(encoding="utf-8"))
    assert after["asked"] == manifest(vvols)["asked"]


def test_a_share_of_the_hosts_as_limit_is_known_although_the_rule_needs_no_host(vvols: Place) -> None:
    refused = vvols.audit("--only", "qos/element-limits", "--fix", "--yes", "--allow", "array", "--max-hosts", "100%", "--settle", "0")
    assert refused.report["run"]["hosts"] > 0


def test_rules_that_nothing_in_the_fleet_can_answer_are_refused(vvols: Place) -> None:
    fleet = yaml.safe_load(vvols.fleet.read_text(encoding="utf-8"))
    fleet["endpoints"] = [endpoint for endpoint in fleet["endpoints"] if endpoint["kind"] == "vcenter"]
    vvols.fleet.write_text(yaml.safe_dump(fleet), encoding="utf-8")
    refused = vvols.audit("--only", "qos/element-limits")
    assert refused.code == 3
    assert "no endpoint of this fleet can report what these rules need" in refused.err


def test_what_needs_an_array_that_was_left_out_by_choice_is_unknown_and_the_array_hears_nothing(
    everything: Place, read_whole: Audit
) -> None:
    watch = Watch(everything.lab)
    rules = ("vvol/pe-count", "sioc/overlap-array-qos", "vvol/pe-dsnro-headroom")
    audit = everything.audit("--endpoint", "VC-*", *(word for rule in rules for word in ("--only", rule)))
    assert not [name for name in watch.operations if name.startswith(("ListVolumes", "GetClusterInfo", "ListAllNodes"))]
    left_out = {gap["endpoint"] for gap in audit.report["gaps"] if "--endpoint does not name it" in gap["why"]}
    assert left_out == {name for kind, name, _ in everything.lab.served() if kind != "vcenter"} > set(ARRAYS)
    before, now = read_whole.of_rules(rules), audit.verdicts()
    assert [key for key, verdict in now.items() if verdict not in (before[key], "unknown")] == []
    assert {key[0] for key, verdict in now.items() if verdict == "unknown" != before[key]} == set(rules)
    summary = audit.report["summary"]
    assert summary["accepted_unknown"] == summary["unknown"] > 0
    assert audit.code == (1 if summary["fail"] else 0), "what was left out by choice makes no exit code 2"
    scope = audit.report["scope"]
    assert (scope["endpoints"], scope["endpoints_of"], scope["rules"]) == (["vc-solidfire", "vc-eternus"], 2 + len(left_out), 3)
    assert scope["options"] == ["--endpoint VC-*", *(f"--only {rule}" for rule in sorted(rules))]
