"""An endpoint that cannot be reached is known to be there: what is counted over all of them is unknown without it, the rest as before."""

import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from auditor.cli import run
from auditor_lab.scenario import load_scenario
from auditor_lab.serving import Lab, serve
from tests.audits import Audit, only

OVER_ALL_VCENTERS = {
    "ontap/lun-space-alloc",
    "qos/ontap-shared-policy",
    "queue/array-port-fanin",
    "queue/device-depth-uniform",
    "queue/dsnro-uniform",
    "vaai/device-status",
}
"""Rules whose verdict on one vCenter or array rests on what all vCenters tell; those of them that the scenario has something for."""

OF_SHARES = {"qos/ontap-shared-policy"}
"""Those of them that rest on file shares: no array says who mounts these, so they stay unknown."""

OF_ONE_VCENTER = {"ontap/igroup-os-type", "queue/qfull-throttle", "queue/scheduler-defaults", "sioc/supported-datastore"}
OF_NFS_MOUNTS = {"ontap/nfs-heap", "ontap/nfs-host-settings"}
JUDGED = sorted(OVER_ALL_VCENTERS | OF_ONE_VCENTER | OF_NFS_MOUNTS)

Verdicts = dict[tuple[str, str, str], str]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Lab, Path]]:
    """One ONTAP and two vCenters with hosts of the same devices."""
    fleet = load_scenario("ontap-background")
    (vcenter,) = fleet.vcenters
    folder = tmp_path_factory.mktemp("lab")
    with serve(replace(fleet, vcenters=(vcenter, replace(vcenter, name="vc-other")))) as lab:
        lab.write_fleet(folder / "fleet.yaml")
        yield lab, folder


def without(served: tuple[Lab, Path], *names: str) -> Audit:
    """The audit of the fleet where nobody listens any more at the ports of these endpoints."""
    lab, folder = served
    text = (folder / "fleet.yaml").read_text(encoding="utf-8")
    fleet, report = folder / "less.yaml", folder / "report.json"
    with ExitStack() as stack:
        for _, name, server in lab.served():
            if name in names:
                closed = stack.enter_context(socket.socket())  # bound, so that nobody else takes the port, and not listening
                closed.bind(("127.0.0.1", 0))
                text = text.replace(f":{server.port}\n", f":{closed.getsockname()[1]}\n")
        fleet.write_text(text, encoding="utf-8")
        fleet.chmod(0o600)
        state = ["--state-dir", str(folder / "state")]
        code = run(["audit", "--fleet", str(fleet), *state, *only(*JUDGED), "--reporter", f"json-full:{report}"])
    return Audit(code, json.loads(report.read_text(encoding="utf-8")), "")


@pytest.fixture(scope="module")
def whole(served: tuple[Lab, Path]) -> Audit:
    return without(served)


@pytest.fixture(scope="module")
def one_vcenter(served: tuple[Lab, Path]) -> Audit:
    return without(served, "vc-other")


def elsewhere(audit: Audit, off: str) -> Verdicts:
    """The verdicts on everything but the endpoint that is off."""
    return {key: verdict for key, verdict in audit.verdicts().items() if key[1] != off}


def test_what_is_counted_over_all_vcenters_is_unknown_without_one_unless_the_array_says_who_else_sees_it(
    whole: Audit, one_vcenter: Audit
) -> None:
    before, after = elsewhere(whole, "vc-other"), elsewhere(one_vcenter, "vc-other")
    counted = {key: verdict for key, verdict in before.items() if key[0] in OVER_ALL_VCENTERS and verdict == "pass"}
    assert {rule for rule, _, _ in counted} == OVER_ALL_VCENTERS, "the scenario has nothing to see for one of them"
    assert {key[0]: after[key] for key in counted} == {
        rule: "unknown" if rule in OF_SHARES else "pass"  # the ONTAP maps its LUNs to no initiator but those of hosts that were read
        for rule in OVER_ALL_VCENTERS
    }


def test_what_does_not_rest_on_the_vcenter_is_judged_as_before_and_no_failure_is_lost(whole: Audit, one_vcenter: Audit) -> None:
    before, after = elsewhere(whole, "vc-other"), elsewhere(one_vcenter, "vc-other")
    changed = {key[0] for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
    assert changed == OF_SHARES
    failures = {key for key, verdict in before.items() if verdict == "fail"}
    assert "queue/qfull-throttle" in {rule for rule, _, _ in failures}
    assert {after[key] for key in failures} == {"fail"}


def test_the_report_says_which_vcenter_was_not_read(one_vcenter: Audit) -> None:
    assert [(gap["endpoint"], gap["what"].partition(",")[0]) for gap in one_vcenter.unread] == [("vc-other", "all of it")]
    assert one_vcenter.code == 2
    assert all(finding["missing"] for finding in one_vcenter.report["findings"] if finding["verdict"] == "unknown")


def test_without_its_ontap_nobody_knows_whose_shares_a_host_mounts(served: tuple[Lab, Path], whole: Audit) -> None:
    before, after = elsewhere(whole, "netapp-prod"), elsewhere(without(served, "netapp-prod"), "netapp-prod")
    mounting = {key for key, verdict in before.items() if key[0] in OF_NFS_MOUNTS and verdict in ("pass", "fail")}
    assert {rule for rule, _, _ in mounting} == OF_NFS_MOUNTS
    assert {after[key] for key in mounting} == {"unknown"}
    of_hosts = {key for key in before if key[0] in ("queue/scheduler-defaults", "queue/dsnro-uniform")}
    assert {key: before[key] for key in of_hosts} == {key: after[key] for key in of_hosts}
