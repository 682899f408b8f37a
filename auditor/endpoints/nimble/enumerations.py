"""What the values of NimbleOS's enumerations mean, of those that are judged by; a value that is not here is not known.

Source: hpe-storage/nimble-golang-sdk at 31a4d23, pkg/client/v1/nimbleos, made by the vendor from its definitions; the
type is named at each.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

AGENT_TYPES = frozenset({"none", "smis", "vvol", "openstack", "openstackv2"})
"""NsAgentType: who manages a volume besides the array. "vvol": it is a virtual volume of VMware's."""

VOLUME_STATES = frozenset({"online", "offline", "non_writable", "read_only", "login_only"})
"""NsVolStatus."""

REASONS_OF_COPIES = frozenset({"replica", "serial_number_collision"})
"""NsOfflineReason, those by which a volume is offline as the copy of another, which may serve under the same serial number (unverified)."""

REPLICATION_ROLES: Mapping[str, bool] = MappingProxyType(
    {
        "no_replication": False,
        "periodic_snapshot_upstream": False,
        "periodic_snapshot_downstream": False,
        "synchronous_upstream": False,
        "synchronous_downstream": True,
    }
)
"""NsVolumeReplicationRole -> whether the volume is the copy of two that are kept alike, as Peer Persistence does: docs/domain/arrays.md."""

ARRAY_STATES = frozenset({"reachable", "unreachable"})
"""NsArrayStatus."""

PROTOCOL_ENDPOINT_STATES = frozenset({"normal", "deprecated"})
"""NsPEOpStateType."""

SEVERITIES: Mapping[str, str] = MappingProxyType({"critical": "critical", "warning": "warning"})
"""NsAlarmSeverityLevel."""

ALARM_STATES: Mapping[str, bool] = MappingProxyType({"open": True, "acknowledged": False})
"""NsAlarmStatus -> whether nobody has acknowledged it."""

OF_VOLUMES = frozenset({"volume", "both", "vvol_volume"})
"""NsAccessApplyTo: what admits an initiator group to a volume. "both" is the volume and its snapshots."""

OF_OTHERS = frozenset({"pe", "snapshot", "vvol_snapshot"})
"""NsAccessApplyTo: what admits it to something that is no volume here."""
