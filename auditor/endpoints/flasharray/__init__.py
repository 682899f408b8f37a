"""Pure Storage FlashArrays, by REST 2."""

from types import MappingProxyType

from auditor.model import EndpointKind
from auditor.model.endpoint_kinds import DEVICE_NAMES, MULTIPATH_TOOLS, NVME_NAMES, EndpointType, Family, Roles, nvme_inquiry
from auditor.model.settings import Setting

_UNITS = MappingProxyType({"iops_limit": "IOPS", "bandwidth_limit": "bytes/s"})

TYPE = EndpointType(
    EndpointKind.FLASHARRAY,
    opener="client:open_flasharray",
    collector="collect:collect_flasharray",
    kept_fields="recorded_fields:KEPT",
    kept_forms="recorded_fields:FORMS",
    topics=(
        "array",
        "alerts",
        "nodes",
        "qos_policies",
        "volumes",
        "volume_load",
        "protocol_endpoints",
        "array_hosts",
        "connections",
        "load_history",
        "background_jobs",
    ),
    settings=MappingProxyType(
        {
            "flasharray.host_personality": Setting("settings.host_personality:FlashArrayHostPersonality"),
            "flasharray.volume_group_limit": Setting(
                "settings.volume_group_limit:FlashArrayVolumeGroupLimit", units=_UNITS, no_limit=(None,)
            ),
            "flasharray.volume_limit": Setting("settings.volume_limit:FlashArrayVolumeLimit", units=_UNITS, no_limit=(None,)),
        }
    ),
    family=Family(
        "flasharray",
        "Pure FlashArray",
        (("PURE", "FlashArray"), nvme_inquiry("Pure Storage FlashArray")),
        (r"naa\.624a9370", r"eui\.00[0-9a-f]{14}24a937"),
        (MULTIPATH_TOOLS, DEVICE_NAMES, NVME_NAMES),
        array_digits=28,
    ),
    roles=Roles(frozenset({"readonly"}), frozenset({"storage_admin", "array_admin"}), "Purity REST reference, admins: role; not verified"),
    login="api_token",
)
