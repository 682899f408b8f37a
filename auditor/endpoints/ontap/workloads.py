"""QoS of qtrees and files, which holds for parts of a FlexVol beside the FlexVol's own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.endpoints.ontap.qos import reference_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor.endpoints.common.records import Record
    from auditor.endpoints.ontap.qos import Policy

WORKLOADS = "storage/qos/workloads"
FIELDS = "name,svm.name,volume,qtree,file,lun,policy.name,policy.uuid"
FIRST_WITH_WORKLOADS = (9, 10)
"""The first release with this list; older ones have policies of qtrees (9.8) and of files all the same.

Source: REST reference, GET /storage/qos/workloads, "Introduced In: 9.10"; fields: netapp-ontap 9.19.1, QosWorkload. Not compared with a
real cluster.
"""

_NOTHING = frozenset({"", "-"})
_UNLIMITED = frozenset({"User-Best-Effort"})  # of objects that nobody gave a policy; public outputs of qos statistics


def limited_within(workload: Record, policies: Mapping[str, Policy]) -> tuple[str, str] | None:
    """SVM and name of the FlexVol in which a qtree or file has a limit of its own; None for every other workload.

    LUNs are left out: a LUN reports its policy itself. A policy that is not listed, or whose limits depend on a size, counts as a limit.
    """
    names = {name: workload.optional_text(name) or "" for name in ("qtree", "file", "lun")}
    if names["lun"] not in _NOTHING or {names["qtree"], names["file"]} <= _NOTHING:
        return None
    reference = reference_of(workload, "policy")
    policy = policies.get(reference.policy_id or "")
    limits_nothing = policy is not None and policy.is_read and policy.max_iops is None and policy.max_bytes_per_second is None
    if limits_nothing or (reference.is_known and not reference.is_one) or reference.name in _UNLIMITED:
        return None
    svm = workload.inner("svm")
    return (svm and svm.text("name")) or "", workload.text("volume") or ""
