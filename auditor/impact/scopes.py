"""Which queues a finding is about, and what its fix makes of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from auditor.impact.depths import Cure

TOPICS = ("queue", "qos", "vvol", "sioc", "vaai", "ontap", "diag")
"""Folders of rules whose failures have an impact."""
WIDE_QUEUE = 256.0
"""The depth that ended S0. Source: docs/domain/incidents.md#s0."""


class Scope(StrEnum):
    """What the id of a finding's resource names."""

    DEVICE = "device"  # host_id/device
    DRIVER = "driver"  # host_id/driver: all queues of it
    ENDPOINTS = "endpoints"  # host_id: its protocol endpoints
    DATASTORE = "datastore"  # datastore_id, or datastore_id/host_id
    DISK = "disk"  # vm_id/disk
    VOLUME = "volume"  # an array's volume_id
    POOL = "pool"  # an array's pool_id
    COPY = "copy"  # an array's replication_id


@dataclass(frozen=True, slots=True)
class About:
    """How findings of a rule are understood.

    Attributes:
        cure: what the fix changes; None for a pool.
        value: the depth that the fix sets where the finding itself has no number.
    """

    scope: Scope
    cure: Cure | None = None
    value: float | None = None


_DSNRO = About(Scope.DEVICE, Cure.DSNRO)
_BOTH = About(Scope.DEVICE, Cure.BOTH)  # to what fits: S2 raised both to what its disk sent
_SIOC = About(Scope.DATASTORE, Cure.NO_SIOC)
_POOL = About(Scope.POOL)
ABOUT: Mapping[str, About] = {
    "vvol/pe-dsnro-headroom": About(Scope.DEVICE, Cure.DSNRO, WIDE_QUEUE),
    "vvol/pe-uniform": About(Scope.DEVICE, Cure.DSNRO, WIDE_QUEUE),
    "vvol/ontap-leave-defaults": _DSNRO,
    "vvol/pe-default-option": About(Scope.ENDPOINTS, Cure.DSNRO, WIDE_QUEUE),
    "vvol/nfnic-depth": About(Scope.DEVICE, Cure.QUEUE_DEPTH),
    "queue/default-unless-justified": _DSNRO,
    "queue/dsnro-effective": _DSNRO,
    "queue/raise-both": _DSNRO,
    "queue/driver-depth": About(Scope.DRIVER, Cure.QUEUE_DEPTH),
    "queue/device-depth-uniform": About(Scope.DRIVER, Cure.QUEUE_DEPTH),
    "queue/pending-reboot": About(Scope.DRIVER, Cure.QUEUE_DEPTH),
    "qos/provider-tier-depth": _DSNRO,
    "qos/shared-queue-throttle": About(Scope.DATASTORE, Cure.DSNRO, WIDE_QUEUE),
    "qos/one-throttler": _SIOC,
    "qos/host-limit-below-array-limit": About(Scope.DISK, Cure.HOST_LIMIT),
    "qos/element-throttled-volume": About(Scope.VOLUME, Cure.HOST_LIMIT),
    "sioc/active-time": _SIOC,
    "sioc/auto-tiering": _SIOC,
    "sioc/overlap-array-qos": _SIOC,
    "sioc/supported-datastore": _SIOC,
    "sioc/dsnro-conflict": _SIOC,
    "diag/kavg": _BOTH,
    "diag/array-vs-host": _BOTH,
    "diag/queue-full": _BOTH,
    "diag/noisy-neighbour-signature": About(Scope.DEVICE, Cure.HOST_LIMIT),
    "ontap/background-share": _POOL,
    "ontap/disk-busy": _POOL,
    "ontap/disk-iops": _POOL,
    "ontap/aggregate-headroom": _POOL,
    "ontap/scrub-window": _POOL,
    "ontap/snapmirror-stagger": _POOL,
    "ontap/snapmirror-frequency": About(Scope.COPY),
}
"""The rules that the model has an answer for. A rule of somebody's own that sets DSNRO is understood by its remediator."""

_REASONS: Mapping[str, str] = {
    "vaai": "nothing counts what an offloaded copy or zero costs the array; where it does them badly, every volume of it gets slower (S4)",
    "ontap": "it is not about transfers that can be told apart from others",
}
_NO_QUEUE = "it is not about a queue in which commands can be seen to wait"


def about(rule: str, remediator: str | None) -> About | None:
    """How findings of `rule` are understood; None where the model has no answer."""
    if rule in ABOUT:
        return ABOUT[rule]
    return _DSNRO if remediator == "device.dsnro" else None


def has_model(rule: str, remediator: str | None) -> bool:
    """Whether failures of `rule` have an impact with figures, where their load is known."""
    return rule.partition("/")[0] in TOPICS and about(rule, remediator) is not None


def reason(rule: str) -> str:
    """Why a finding of a rule without an `About` has no impact."""
    return _REASONS.get(rule.partition("/")[0], _NO_QUEUE)
