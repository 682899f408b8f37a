"""Example Arrays for auditor, by their REST interface. Nothing here is verified against a real array."""

from types import MappingProxyType

from auditor.model import EndpointKind
from auditor.model.endpoint_kinds import EndpointType, Family, Roles
from auditor.model.settings import Setting

TYPE = EndpointType(
    EndpointKind("example-array"),
    contract=1,
    opener="client:open_example_array",
    collector="collect:collect_example_array",
    topics=("array", "volumes"),
    settings=MappingProxyType({"example_array.volume_limit": Setting("settings:ExampleArrayVolumeLimit", unit="IOPS", no_limit=(None,))}),
    # Replace these by what a host sees of such an array, and by where that stands.
    family=Family(
        "example-array",
        "Example Array",
        (("EXAMPLEA", "Disk"),),
        (r"naa\.6e0a44a7",),
        ("made up: there is no such array",),
        array_digits=24,
    ),
    roles=Roles(frozenset({"reader"}), frozenset({"admin"}), "made up: there is no such array"),
    kept_fields="recorded_fields:KEPT",
    rules="rules",
    views="views",
)
