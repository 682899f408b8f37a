"""HPE Nimble Storage and Alletra 5000/6000, by the REST interface v1 of NimbleOS."""

from types import MappingProxyType

from auditor.model import EndpointKind
from auditor.model.endpoint_kinds import DEVICE_NAMES, MULTIPATH_TOOLS, EndpointType, Family, Roles
from auditor.model.settings import Setting

_UNITS = MappingProxyType({"limit_iops": "IOPS", "limit_mbps": "MiB/s"})

TYPE = EndpointType(
    EndpointKind.NIMBLE,
    opener="client:open_nimble",
    collector="collect:collect_nimble",
    kept_fields="recorded_fields:KEPT",
    topics=(
        "array",
        "alerts",
        "nodes",
        "pools",
        "qos_policies",
        "volumes",
        "volume_load",
        "protocol_endpoints",
        "array_hosts",
        "connections",
    ),
    settings=MappingProxyType({"nimble.volume_limit": Setting("settings.volume_limit:NimbleVolumeLimit", units=_UNITS, no_limit=(None,))}),
    family=Family(
        "nimble",
        "HPE Nimble / Alletra 5000-6000",
        (("Nimble", "Server"),),
        (r"eui\.[0-9a-f]{16}6c9ce9",),
        (MULTIPATH_TOOLS, DEVICE_NAMES),
    ),
    roles=Roles(
        frozenset({"guest"}),
        frozenset({"operator", "poweruser", "administrator"}),
        "hpe-storage/nimble-golang-sdk, NsUserRoles; which of them may change a volume is not verified",
    ),
)
