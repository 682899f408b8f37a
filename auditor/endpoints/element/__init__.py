"""NetApp SolidFire / Element clusters, by JSON-RPC."""

from types import MappingProxyType

from auditor.model import EndpointKind
from auditor.model.endpoint_kinds import DEVICE_NAMES, MULTIPATH_TOOLS, EndpointType, Family, Roles
from auditor.model.settings import Setting

TYPE = EndpointType(
    EndpointKind.ELEMENT,
    opener="client:open_element",
    collector="collect:collect_element",
    kept_fields="recorded_fields:KEPT",
    topics=(
        "array",
        "alerts",
        "nodes",
        "qos_policies",
        "qos_limits",
        "volumes",
        "volume_load",
        "volume_histograms",
        "protocol_endpoints",
        "bindings",
        "array_hosts",
        "connections",
        "sessions",
        "background_jobs",
    ),
    asked_by=MappingProxyType({"volume_histograms": "volumes"}),
    settings=MappingProxyType(
        {
            "element.qos_policy": Setting(
                "settings.qos_policy:ElementQosPolicy", units=MappingProxyType({"minIOPS": "IOPS", "maxIOPS": "IOPS", "burstIOPS": "IOPS"})
            ),
            "element.volume_limits": Setting("settings.volume_limits:ElementVolumeLimits"),
        }
    ),
    family=Family(
        "solidfire",
        "SolidFire / Element",
        (("SolidFir", "SSD SAN"),),
        (r"naa\.6f47acc[12]", r"eui\.[0-9a-f]{16}f47acc01"),
        (MULTIPATH_TOOLS, DEVICE_NAMES),
        array_digits=28,
    ),
    # Source: NetApp Element Plug-in for vCenter Server, "QoSSIOC automation": it "will override and adjust QoS values" of volumes of
    # standard datastores when machines are switched on or off or reconfigured. That it is registered under such a key is unverified.
    tuned_by=(("qossioc", "QoSSIOC, which sets the QoS of volumes when machines are switched on or off or reconfigured"),),
    # Narrower types may write something of volumes; none of them is said to have ModifyQoSPolicy.
    roles=Roles(
        frozenset({"read", "reporting"}),
        frozenset({"administrator"}),
        'Element API reference, "Access control": all methods; it names no narrower type for ListVolumes and ListQoSPolicies',
    ),
)
