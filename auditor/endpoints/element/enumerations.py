"""What the values of Element's enumerations mean, of those that are judged by; a value that is not here is not known.

Source: Element API reference 12.x, the object that is named at each. Not compared with a real cluster.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

VOLUME_STATES: Mapping[str, str] = MappingProxyType(
    {"init": "is being made, takes no connections", "active": "is there", "deleted": "is deleted, and not purged yet"}
)
"""volume.status."""

ACCESS: Mapping[str, str] = MappingProxyType(
    {
        "readWrite": "reads and writes are allowed",
        "readOnly": "only reads are",
        "locked": "neither is",
        "replicationTarget": "is the target of a pair of volumes",
        "snapMirrorTarget": "neither is: a SnapMirror endpoint has it",
    }
)
"""volume.access, which is what hosts get of a volume that is active. Source: solidfire-sdk-python, models.VolumeAccess."""

ENDPOINT_STATES: Mapping[str, str] = MappingProxyType(
    {"Active": "is in use", "Start": "is starting", "Failover": "has failed over", "Reserved": "is reserved"}
)
"""protocolEndpoint.protocolEndpointState."""

SEVERITIES: Mapping[str, str] = MappingProxyType({"warning": "warning", "error": "error", "critical": "critical", "bestPractice": "info"})
"""fault.severity."""

ROLES: Mapping[str, str] = MappingProxyType(
    {
        "Storage": "hosts block services",
        "Witness": "hosts none",
        "Management": "hosts none",
        "Compute": "hosts none",
    }
)
"""node.role, which releases before 12 do not report."""
