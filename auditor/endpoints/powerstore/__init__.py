"""Dell PowerStore, by its REST API of releases 1.0 to 4.x."""

from types import MappingProxyType

from auditor.model import EndpointKind
from auditor.model.endpoint_kinds import MULTIPATH_TOOLS, NVME_NAMES, EndpointType, Family, Roles, nvme_inquiry
from auditor.model.settings import Setting

TYPE = EndpointType(
    EndpointKind.POWERSTORE,
    opener="client:open_powerstore",
    collector="collect:collect_powerstore",
    kept_fields="recorded_fields:KEPT",
    kept_forms="recorded_fields:FORMS",
    topics=(
        "array",
        "alerts",
        "nodes",
        "pools",
        "qos_policies",
        "array_hosts",
        "connections",
        "volumes",
        "volume_load",
        "addresses",
        "load_history",
    ),
    settings=MappingProxyType({"powerstore.volume_qos_policy": Setting("settings.volume_qos_policy:PowerStoreVolumeQosPolicy")}),
    family=Family(
        "powerstore",
        "Dell PowerStore",
        (("DellEMC", "PowerStore"), nvme_inquiry("dellemc-powerstore")),
        (r"naa\.68ccf098",),
        (MULTIPATH_TOOLS, NVME_NAMES, "dell/csi-powerstore, recorded WWNs"),
    ),
    roles=Roles(
        frozenset({"operator"}),
        frozenset({"administrator", "storage administrator"}),
        "names of roles: dell/ansible-powerstore, docs/modules/role.rst; what each may do is not verified",
    ),
)
