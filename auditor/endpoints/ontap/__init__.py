"""NetApp ONTAP clusters, by REST."""

from types import MappingProxyType

from auditor.model import EndpointKind
from auditor.model.endpoint_kinds import DEVICE_NAMES, MULTIPATH_TOOLS, NVME_NAMES, EndpointType, Family, Roles, nvme_inquiry
from auditor.model.settings import Setting

TYPE = EndpointType(
    EndpointKind.ONTAP,
    opener="client:open_ontap",
    collector="collect:collect_ontap",
    kept_fields="recorded_fields:KEPT",
    kept_forms="recorded_fields:FORMS",
    topics=(
        "array",
        "alerts",
        "nodes",
        "pools",
        "qos_policies",
        "volumes",
        "addresses",
        "array_hosts",
        "connections",
        "volume_load",
        "pool_load",
        "node_load",
        "protocol_endpoints",
        "bindings",
        "replication",
        "efficiency",
        "scrub",
        "load_history",
        "background_jobs",
    ),
    settings=MappingProxyType(
        {
            "ontap.efficiency_priority": Setting("settings.efficiency_priority:OntapEfficiencyPriority"),
            "ontap.efficiency_schedule": Setting("settings.efficiency_schedule:OntapEfficiencySchedule"),
            "ontap.qos_policy_limit": Setting(
                "settings.qos_policy_limit:OntapQosPolicyLimit",
                units=MappingProxyType({"max_throughput_iops": "IOPS", "max_throughput_mbps": "MB/s"}),
                no_limit=(None,),
            ),
            "ontap.volume_qos_policy": Setting("settings.volume_qos_policy:OntapVolumeQosPolicy"),
        }
    ),
    family=Family(
        "ontap",
        "NetApp ONTAP",
        (("NETAPP", "LUN"), nvme_inquiry("NetApp ONTAP Controller")),
        # E-Series has the same vendor's prefix, so that the serial number must be one: twelve printable characters.
        (r"naa\.600a0980(?:[2-7][0-9a-f]){12}$",),
        (MULTIPATH_TOOLS, DEVICE_NAMES, NVME_NAMES),
    ),
    roles=Roles(frozenset({"readonly"}), frozenset({"admin"}), "ONTAP, predefined roles of cluster administrators; not verified"),
)
