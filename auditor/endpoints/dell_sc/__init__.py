"""Dell SC (Compellent) arrays, by the REST interface of Dell Storage Manager."""

from types import MappingProxyType

from auditor.model import EndpointKind
from auditor.model.endpoint_kinds import DEVICE_NAMES, MULTIPATH_TOOLS, EndpointType, Family, Roles
from auditor.model.settings import Setting

TYPE = EndpointType(
    EndpointKind.DELL_SC,
    opener="client:open_dell_sc",
    collector="collect:collect_dell_sc",
    kept_fields="recorded_fields:KEPT",
    kept_forms="recorded_fields:FORMS",
    topics=("array", "alerts", "nodes", "pools", "qos_policies", "volumes", "array_hosts", "connections", "volume_load"),
    settings=MappingProxyType({"dell_sc.volume_qos_profile": Setting("settings.volume_qos_profile:DellScVolumeQosProfile")}),
    family=Family(
        "dell-sc",
        "Dell SC / Compellent",
        (("COMPELNT", "Compellent Vol"),),
        (r"naa\.6000d31",),
        (MULTIPATH_TOOLS, DEVICE_NAMES),
        array_digits=18,
    ),
    roles=Roles(frozenset({"reporter"}), frozenset({"administrator"}), "Dell Storage Manager, user privileges; not verified"),
)
