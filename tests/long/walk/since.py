"""What tests of --since share: audits by some rules, how many hosts they asked, and what makes two of them the same."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from auditor_lab.serving import Lab
from auditor_lab.vcenter.server import VCenterServer
from tests.audits import Audit, Place

HOSTS = 8
"""Hosts of the scenario solidfire-vvols, all connected."""
ASKED = ("QueryOptions", "QueryModules", "storage.core.device.list", "storage.vmfs.lockmode.list", "RetrieveManagedMethodExecuter")
"""What only a host itself is asked; the options twice, as one of them is never listed."""
ASKED_BY_ONE = ("storage.core.device.list", "RetrieveManagedMethodExecuter")
SOME_RULES = (
    "vvol/pe-dsnro-headroom",
    "queue/scheduler-defaults",
    "vaai/device-status",
    "vaai/lockmode",
    "iscsi/port-binding",
    "sioc/threshold-sane",
)
"""Enough that hosts are asked all of ASKED. Judging every rule takes most of the time of an audit and rests on the facts alone, which are
compared themselves: one test does it."""
ONE_RULE = ("vvol/pe-dsnro-headroom",)
"""Enough where it is counted whether hosts are asked at all: for it a host is asked for its devices, and not all of ASKED."""


def some(place: Place, *arguments: str, rules: Sequence[str] = SOME_RULES) -> Audit:
    """An audit by these rules."""
    return place.audit(*arguments, *(word for rule in rules for word in ("--only", rule)))


def served(lab: Lab) -> VCenterServer:
    (server,) = lab.vcenters.values()
    return server


def asked_hosts(place: Place, *arguments: str, rules: Sequence[str] = SOME_RULES) -> tuple[Audit, int]:
    """An audit, and how many hosts it asked; each that was asked was asked everything, or by ONE_RULE all that it needs."""
    log = served(place.lab).requests
    before = Counter(log)
    audit = some(place, *arguments, rules=rules)
    found = Counter(log) - before
    counts = {name: found[name] // (2 if name == "QueryOptions" else 1) for name in ASKED if rules != ONE_RULE or name in ASKED_BY_ONE}
    assert len(set(counts.values())) == 1, counts
    return audit, counts["storage.core.device.list"]


def run_of(audit: Audit) -> str:
    return str(audit.report["run"]["id"])


def snapshot_of(place: Place, audit: Audit) -> Path:
    return place.state / "runs" / run_of(audit) / "snapshot"
