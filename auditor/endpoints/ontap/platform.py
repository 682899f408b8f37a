"""Platforms that run ONTAP and lack things by design, so that their absence is an answer and no gap.

Not verified against a real system of any of them. What only NetApp's list for AFX names is verified as far as a document can
(`platform_of`); that ASA r2 refuses aggregates, disks, counters, efficiency policies and vVols, and FSx, Select and Cloud Volumes what
stands at each, is inferred. It is harmless where it is wrong: a list that a platform does answer is read as any other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

AGGREGATES, DISKS, COUNTERS = "storage/aggregates", "storage/disks", "cluster/counter/tables"
RAID_OPTIONS = "private/cli/storage/raid-options"
HEALTH_ALERTS = "private/cli/system/health/alert"
EFFICIENCY_POLICIES = "storage/volume-efficiency-policies"
PROTOCOL_ENDPOINTS = "storage/luns?class=protocol_endpoint"

_DISKS_OF_OTHERS = frozenset({AGGREGATES, DISKS, COUNTERS, RAID_OPTIONS})
_VVOLS = frozenset({PROTOCOL_ENDPOINTS, "protocols/san/vvol-bindings"})
_SAN = frozenset({"storage/luns", "protocols/san"})
FIRST_WITH_FLAGS = (9, 16)
"""The first release whose cluster may say `disaggregated`, which ASA r2 and AFX do.

Source: netapp-ontap, resources/cluster.py: `disaggregated` is in 9.16.1 and not in 9.15.1; `san_optimized` (All SAN Array) is in 9.9.1.
"""


@dataclass(frozen=True, slots=True)
class Platform:
    """A platform that lacks things.

    Attributes:
        name: as people call it.
        lacks: paths below /api that it may refuse, and what is below them.
        says: what a report has to say of it.
    """

    name: str
    lacks: frozenset[str]
    says: str

    def is_without(self, path: str) -> bool:
        """Whether a refusal of `path` is by design."""
        return any(path == each or path.startswith((f"{each}/", f"{each}?")) for each in self.lacks)


_NO_AGGREGATES = "this platform has no aggregates, and rules about them do not apply"
ASA_R2 = Platform("ASA r2", _DISKS_OF_OTHERS | _VVOLS | {EFFICIENCY_POLICIES}, _NO_AGGREGATES)
AFX = Platform("AFX", _DISKS_OF_OTHERS | _VVOLS | _SAN | {EFFICIENCY_POLICIES}, f"{_NO_AGGREGATES}; it has no LUNs either")
FSX = Platform(
    "FSx for ONTAP", _DISKS_OF_OTHERS | {HEALTH_ALERTS}, "aggregates and disks are the provider's, and rules about them do not apply"
)
CLOUD = Platform("Cloud Volumes ONTAP", frozenset({DISKS, COUNTERS, RAID_OPTIONS}), "its disks are the provider's")
SELECT = Platform("ONTAP Select", frozenset({DISKS, COUNTERS, RAID_OPTIONS}), "its disks are the hypervisor's")

_BY_MODEL = (
    (re.compile(r"ASA[- ](?:A1K|A90|A70|A50|A30|A20|C30)\b", re.IGNORECASE), ASA_R2),
    (re.compile(r"AFX\b|AFX-", re.IGNORECASE), AFX),
    (re.compile(r"FSx", re.IGNORECASE), FSX),
    (re.compile(r"CDvM", re.IGNORECASE), CLOUD),
    (re.compile(r"[SF]DvM", re.IGNORECASE), SELECT),
)
"""By the model of a node, as `platform_of` needs it where the release has no flags.

Source: ASA r2: NetApp, "Learn about ASA r2 storage systems" (NetAppDocs/asa-r2, get-started/learn-about.adoc), which lists these seven.
AFX: AFX 1K and 2K (NetAppDocs/ontap-afx, get-started/ontap-afx-storage.adoc); how the REST API spells it is unverified. Cloud Volumes:
CDvM200 in public code that saw real clusters. Select: FDvM300 in OpenStack Cinder's driver; SDvM is unverified. FSx: a guess; no source
was found.
"""


def platform_of(about: Mapping[str, Any], models: Iterable[str]) -> Platform | None:
    """The platform with fewer features, by what the cluster reports, else by its nodes' models; None for any other.

    Source: netapp-ontap 9.19.1, Cluster: `disaggregated` "designed for disaggregated storage", `san_optimized` "an All SAN Array"; that
    both together are ASA r2 is inferred. NetApp, "Learn about the AFX storage system REST API" (NetAppDocs/ontap-afx,
    rest/learn-rest-api.adoc): the removed endpoints, among them counter tables, LUNs, igroups, LUN maps and vVol bindings;
    "Disk aggregates" are not supported. "REST API support for ASA r2" has no such list; netapp-ontap's Aggregate says only that
    PATCH and DELETE are not supported there.
    """
    if about.get("disaggregated") is True:
        return ASA_R2 if about.get("san_optimized") is True else AFX
    found = {next((platform for pattern, platform in _BY_MODEL if pattern.match(model)), None) for model in models}
    return found.pop() if len(found) == 1 else None
