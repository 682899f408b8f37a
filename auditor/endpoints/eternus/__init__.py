"""Fujitsu ETERNUS DX arrays, by their command line over SSH."""

from types import MappingProxyType

from auditor.model import EndpointKind
from auditor.model.endpoint_kinds import DEVICE_NAMES, MULTIPATH_TOOLS, EndpointType, Family, Roles
from auditor.model.settings import Setting

TYPE = EndpointType(
    EndpointKind.ETERNUS,
    opener="client:open_eternus",
    collector="collect:collect_eternus",
    kept_fields="recorded_fields:KEPT",
    kept_lines="recorded_fields:LINES",
    # Without "nodes": nothing rests on the controllers, and an account that may see QoS may not see them.
    topics=("array", "alerts", "pools", "qos_policies", "volumes", "array_hosts", "connections"),
    settings=MappingProxyType(
        {
            "eternus.qos_category": Setting(
                "settings.qos_category:EternusQosCategory",
                units=MappingProxyType({"iops": "IOPS", "mbps": "MiB/s"}),
                no_limit=(None,),
            ),
            "eternus.volume_qos": Setting("settings.volume_qos:EternusVolumeQos"),
        }
    ),
    family=Family(
        "eternus-dx",
        "Fujitsu ETERNUS DX",
        (("FUJITSU", "ETERNUS_DX"),),
        (r"naa\.600000e00d",),
        (MULTIPATH_TOOLS, DEVICE_NAMES),
        array_digits=28,
    ),
    roles=Roles(
        frozenset({"monitor"}),
        frozenset({"admin", "storageadmin", "maintainer", "software"}),
        'help of ETERNUS Web GUI, "Availability of Executions in the Default Role"; not verified',
    ),
    protocol="ssh",
)
