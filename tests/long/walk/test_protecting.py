"""What fleet.yaml protects is not written, by whatever name a person writes; what fits nothing is said, and stops a fix."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest

from auditor.audit import AuditRequest, FixClass, FixLimits, audit, fix
from auditor.cli import run
from auditor.errors import GuardError
from auditor.model import Outcome, Receipt
from auditor_lab.scenario import parse_scenario
from auditor_lab.serving import serve
from tests.audits import Place, only, writes

RULE = "vvol/pe-dsnro-headroom"
CLUSTER = "Prod/East 100%"
WAYS = ("Prod/East 100%", "Prod%2fEast 100%25", "prod/EAST 100%")
LIMITS = FixLimits(allow=[FixClass.ONLINE_CAUTION], max_changes="500", settle_seconds=0)


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """fleet.yaml of the scenario solidfire-vvols with a cluster whose name vCenter's API escapes."""
    text = (resources.files("auditor_lab") / "scenarios" / "solidfire-vvols.yaml").read_text(encoding="utf-8")
    folder = tmp_path_factory.mktemp("lab")
    with serve(parse_scenario(re.sub(r"\bsf-vvol\b(?!-)", f"'{CLUSTER}'", text), "odd")) as lab:
        lab.write_fleet(folder / "fleet.yaml")
        yield folder / "fleet.yaml"


@pytest.fixture
def fleet(odd: Path) -> Iterator[Path]:
    """The same, to be written to and put back."""
    text = odd.read_text(encoding="utf-8")
    yield odd
    odd.write_text(text, encoding="utf-8")


def protect(fleet: Path, *entries: dict[str, str]) -> None:
    given = [{**entry, "reason": "stays as it is"} for entry in entries]
    fleet.write_text(f"{fleet.read_text(encoding='utf-8')}protect: {json.dumps(given)}\n", encoding="utf-8")


def fixed(
    fleet: Path, limits: FixLimits = LIMITS, clusters: tuple[str, ...] = ()
) -> tuple[tuple[Receipt, ...], GuardError | None, tuple[str, ...]]:
    request = AuditRequest(fleet=fleet, only=[RULE], state=fleet.parent / "state", fix=limits, clusters=clusters)
    audited = fix(audit(request), confirm=lambda _changes: True)
    assert audited.stopped is None or isinstance(audited.stopped, GuardError)
    return audited.receipts, audited.stopped, audited.notices


@pytest.mark.parametrize("written", WAYS)
def test_a_cluster_that_is_chosen_by_a_name_is_protected_by_it(fleet: Path, written: str) -> None:
    protect(fleet, {"cluster": written})
    receipts, stopped, notices = fixed(fleet, clusters=(written,))
    assert stopped is None
    assert {receipt.outcome for receipt in receipts} == {Outcome.PROPOSED}
    assert {receipt.change.resource.cluster for receipt in receipts} == {CLUSTER}
    assert not [notice for notice in notices if "protects nothing" in notice]


@pytest.mark.parametrize(
    "entry", [{"cluster": "Prod-East"}, {"host": "esx-vvol-9"}, {"cluster": CLUSTER, "host": "esx-twin-1*"}, {"endpoint": "vc-nowhere"}]
)
def test_a_fix_stops_where_an_entry_of_protect_fits_nothing(fleet: Path, entry: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    protect(fleet, entry)
    arguments = ["audit", "--fleet", str(fleet), "--state-dir", str(fleet.parent / "state"), "--only", RULE]
    code = run([*arguments, "--fix", "--yes", "--allow", "online-caution", "--max-changes", "500", "--settle", "0"])
    printed = capsys.readouterr()
    assert code == 5
    named = ", ".join(f'{key} "{entry[key]}"' for key in ("host", "cluster", "endpoint") if key in entry)
    assert f"`protect:` has {named}, and nothing in the fleet is called so" in printed.err
    assert "--allow-unmatched-protection" in printed.err
    assert "0 applied" in printed.out or "stopped before anything was attempted" in printed.out


def test_what_fits_nothing_is_a_notice_of_every_audit_and_the_fix_goes_on_where_somebody_says_so(fleet: Path) -> None:
    protect(fleet, {"cluster": "Prod-East"}, {"cluster": CLUSTER})
    limits = FixLimits(allow=[FixClass.ONLINE_CAUTION], max_changes="500", settle_seconds=0, allow_unmatched_protection=True)
    receipts, stopped, notices = fixed(fleet, limits)
    assert stopped is None
    assert {receipt.outcome for receipt in receipts if receipt.change.resource.cluster == CLUSTER} == {Outcome.PROPOSED}
    [said] = [notice for notice in notices if "protects nothing" in notice]
    assert 'cluster "Prod-East"' in said
    assert re.search(r"fleet\.yaml:\d+: ", said)


def test_what_was_not_read_may_be_what_an_entry_means(fleet: Path) -> None:
    protect(fleet, {"cluster": "elsewhere"})
    arrays = audit(AuditRequest(fleet=fleet, endpoints=["sf-*"], state=fleet.parent / "state", only=["qos/element-limits"]))
    assert not [notice for notice in arrays.notices if "protects nothing" in notice]


def test_doctor_names_what_fits_nothing(fleet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    protect(fleet, {"cluster": "Prod-East"}, {"cluster": "prod/east*"}, {"host": "esx-vvol-1"}, {"host": "esx-vvol-9"})
    text = "maintenance: [{from: '22:00', to: '23:00', time_zone: UTC, cluster: nowhere}]\n"
    fleet.write_text(fleet.read_text(encoding="utf-8") + text, encoding="utf-8")
    run(["doctor", "--fleet", str(fleet)])
    printed = " ".join(capsys.readouterr().out.split())
    assert printed.count("`protect:` has") == 2
    assert 'cluster "Prod-East"' in printed
    assert 'host "esx-vvol-9"' in printed
    assert 'a maintenance window is for cluster "nowhere"' in printed


def test_what_every_cluster_stands_on_is_protected_by_all_of_them(vvols: Place) -> None:
    protect(vvols.fleet, {"cluster": "*"})
    rules = only(RULE, "sioc/overlap-array-qos", "qos/element-limits")
    everything = ("--allow", "online", "--allow", "online-caution", "--allow", "array", "--max-hosts", "100%", "--settle", "0")
    planned = vvols.audit("--fix", "--dry-run", *everything, *rules)
    assert "protected by fleet.yaml" in planned.out
    vvols.audit("--fix", "--yes", *everything, *rules)
    assert writes(vvols) == []
    assert not [name for server in vvols.lab.element.values() for name in server.requests if name.startswith(("Modify", "Set"))]


def test_a_protected_volume_holds_back_storage_io_control_above_it(vvols: Place) -> None:
    protect(vvols.fleet, {"resource": "vmfs-01"})
    rules = only("sioc/overlap-array-qos")
    vvols.audit("--fix", "--yes", "--allow", "online", "--allow", "online-caution", "--max-hosts", "100%", "--settle", "0", *rules)
    assert "ConfigureDatastoreIORM_Task" not in writes(vvols)
