"""What somebody tuned is reverted only where `retune` is allowed: the cure of one incident leaves the hosts of another alone."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from auditor_lab.scenario import load_merged
from auditor_lab.serving import serve
from tests.audits import FIX, Place, only

CURE = (*FIX, "--allow", "reboot")
"""What incident S0's cure takes: LunQDepth with a reboot, then DSNRO of every protocol endpoint (docs/domain/incidents.md#s0)."""
TUNED = ("iscsi/max-io-size", "queue/default-unless-justified", "queue/driver-depth")


@pytest.fixture
def both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Place]:
    """The fleets of incidents S0 and S2 in one."""
    with serve(load_merged(["solidfire-vvols", "flasharray-queues"])) as lab:
        lab.write_fleet(tmp_path / "fleet.yaml")
        yield Place(lab, tmp_path, capsys)


def test_the_cure_of_s0_leaves_the_queues_alone_that_the_owners_of_s2_raised(both: Place) -> None:
    cured = both.audit(*CURE)
    receipts = cured.report["receipts"]
    made = {(r["endpoint"], r["remediator"]) for r in receipts if r["outcome"] == "applied"}
    assert ("vc-solidfire", "device.dsnro") in made, "the cure itself is made"
    assert [r for r in receipts if r["endpoint"] == "vc-flasharray" and r["outcome"] == "applied"] == []
    reverting = [r for r in receipts if set(r["rules"]) & {*TUNED}]
    assert {(r["resource"]["host"].split(".")[0], r["class"], r.get("takes"), r["outcome"]) for r in reverting} == {
        ("esx-fq-ucs-3", "retune", "online-caution", "proposed"),  # DSNRO 256, but not on the device whose load justifies it
        ("esx-vmfs-2", "retune", "reboot", "proposed"),  # iscsi_vmk 256 on a host that has VMFS alone
        ("esx-vvol-3", "retune", "reboot", "proposed"),  # ISCSI.MaxIoSizeKB 512
    }
    assert cured.report["contradictions"] == []


def test_with_retune_the_owners_choice_is_reverted(both: Place) -> None:
    reverted = both.audit(*CURE, "--allow", "retune", *only(*TUNED))
    assert {(r["class"], r["outcome"]) for r in reverted.report["receipts"]} == {("retune", "applied"), ("reboot", "applied")}
    steps = {r["remediator"] for r in reverted.report["receipts"] if r["class"] == "reboot"}
    assert steps == {"host.boot", "host.maintenance"}, "what takes a reboot is in force"
