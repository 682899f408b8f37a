"""The QoS profiles of a Storage Center in their current state, and as the API answers them.

**The names and units of the limits, of the priority and of the system's latency threshold are guesses of this lab**: no public source has
them. They are defined only here, so that one recorded ScQosProfile is enough to correct them; the names contain units, as this API's own
readKbPerSecond does. Known from cinder's client are only the class, the identity, `profileType` and its two values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

IOPS_LIMIT = "iopsLimit"  # I/O operations a second
IOPS_LIMIT_ENABLED = "iopsLimitEnabled"
BANDWIDTH_LIMIT = "bandwidthLimitMbPerSecond"  # of 2^20 bytes, as in the API's sizes
BANDWIDTH_LIMIT_ENABLED = "bandwidthLimitEnabled"
PRIORITY = "relativePriority"  # Low | Medium | High
LATENCY_THRESHOLD = "qosLatencyThresholdMs"  # of ScConfiguration
LATENCY_THRESHOLD_ENABLED = "qosLatencyThresholdEnabled"

PROFILE_TYPES = {"volume": "VolumeQosProfile", "group": "GroupQosProfile"}


@dataclass(slots=True)
class QosProfile:
    """A profile in its current state; a limit of None is off."""

    index: int
    name: str
    kind: str
    priority: str
    iops_limit: int | None
    bandwidth_limit: int | None

    def attributes(self) -> dict[str, Any]:
        """The attributes of the limits; a limit that is off is 0."""
        return {
            PRIORITY: self.priority,
            IOPS_LIMIT_ENABLED: self.iops_limit is not None,
            IOPS_LIMIT: self.iops_limit or 0,
            BANDWIDTH_LIMIT_ENABLED: self.bandwidth_limit is not None,
            BANDWIDTH_LIMIT: self.bandwidth_limit or 0,
        }

    def change(self, wanted: dict[str, Any]) -> str | None:
        """Apply `wanted`, attributes by their names in lower case; return what is wrong with it, or None when it was applied."""
        unknown = wanted.keys() - {name.lower() for name in self.attributes()}
        if unknown:
            return f"ScQosProfile has no {', '.join(sorted(unknown))}"
        iops = _limit(wanted, IOPS_LIMIT, IOPS_LIMIT_ENABLED, self.iops_limit)
        bandwidth = _limit(wanted, BANDWIDTH_LIMIT, BANDWIDTH_LIMIT_ENABLED, self.bandwidth_limit)
        for name, limit in ((IOPS_LIMIT, iops), (BANDWIDTH_LIMIT, bandwidth)):
            if limit is not None and (type(limit) is not int or limit <= 0):
                return f"{name} must be a positive number"
        self.iops_limit, self.bandwidth_limit = iops, bandwidth
        self.priority = str(wanted.get(PRIORITY.lower(), self.priority))
        return None


def threshold(milliseconds: int | None) -> dict[str, Any]:
    """The attributes of ScConfiguration about the system-wide latency threshold; None is off."""
    return {LATENCY_THRESHOLD_ENABLED: milliseconds is not None, LATENCY_THRESHOLD: milliseconds or 0}


def _limit(wanted: dict[str, Any], name: str, enabled: str, before: int | None) -> Any:
    """The new limit, None for off; 0, which is refused, when one without a value is enabled."""
    on = wanted.get(enabled.lower(), name.lower() in wanted or before is not None)
    return wanted.get(name.lower(), before or 0) if on else None
