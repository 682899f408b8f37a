"""What the values of a PowerStore's enumerations mean, of those that are judged by; a value that is not here is not known.

Source: the vendor's OpenAPI definitions of REST 4.1 (github.com/dell/terraform-provider-powerstore,
clientgen_utils/openapi_specs/spec_4_1.json); the enumeration that is named at each. Those of 4.4 hold the same values, but for those that
are named.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

SEVERITIES: Mapping[str, str] = MappingProxyType(
    {"Critical": "critical", "Major": "error", "Minor": "warning", "Info": "info", "None": "info"}
)
"""SeverityEnum."""

INITIATORS: Mapping[str, str] = MappingProxyType({"iSCSI": "iscsi", "FC": "fc", "NVMe": "nvme", "NVMe_vVol": "nvme"})
"""InitiatorProtocolTypeEnum: NVMe is any transport of it; NVMe_vVol is an initiator for virtual volumes alone."""

OS_TYPES = frozenset({"Windows", "Linux", "ESXi", "AIX", "HP-UX", "Solaris", "AHV"})
"""OSTypeEnum; AHV, which is no ESXi, came with 4.4."""

STALE_STATES: Mapping[str, bool] = MappingProxyType({"Not_Stale": False, "Disconnected": True})
"""HardwareStaleStateEnum, since 2.0: whether the state of a part is no longer kept up to date."""

VOLUME_STATES = frozenset({"Ready", "Initializing", "Offline", "Destroying"})
"""VolumeStateEnum."""

VOLUMES, OTHER_VOLUMES = frozenset({"Primary", "Clone"}), frozenset({"Snapshot", "Proxy"})
"""VolumeTypeEnum: those that hosts may see, and those that are read-only copies or stand for a remote snapshot."""

POLICIES: Mapping[str, str] = MappingProxyType({"Protection": "", "Performance": "priority", "QoS": "policy", "File_Performance": ""})
"""PolicyTypeEnum: what a policy of that type is about here; QoS came with 4.0, File_Performance with 4.1."""

PRIORITIES = frozenset({"Low", "Medium", "High"})
"""IoPriorityEnum."""

ABSOLUTE, DENSITY = "Absolute", "Density"
"""BandwidthLimitTypeEnum: the limits of a rule are absolute, or per GB of a volume's size."""

INTERFACE_ROLES = frozenset({"Production", "Backup"})
"""FileInterfaceRoleEnum."""

FILE_SYSTEMS = frozenset({"Primary", "Snapshot"})
"""FileSystemTypeEnum."""
