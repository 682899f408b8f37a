"""A single ESXi host without vCenter, asked by its own host agent: SOAP and esxcli. It is read and set by the code for vCenter.

Storage I/O Control and datastore clusters are vCenter's, so their settings are not here. No real host was at hand: what is taken from
public sources, and what is not verified, stands in docs/domain/facts.md#13.
"""

from types import MappingProxyType

from auditor.endpoints.vcenter import TYPE as VCENTER
from auditor.endpoints.vcenter.privileges import OF_VCENTER
from auditor.facts.vcenter_tables import HOST_TOPICS
from auditor.model import EndpointKind
from auditor.model.endpoint_kinds import EndpointType

TYPE = EndpointType(
    EndpointKind.ESXI,
    opener="session:open_host",
    collector="collect:collect_host",
    topics=("hosts", *HOST_TOPICS, "datastores", "vms", "disk_load", "tasks", *OF_VCENTER),
    settings=MappingProxyType({name: setting for name, setting in VCENTER.settings.items() if setting.single_host}),
    steps=VCENTER.steps,
    settings_of=EndpointKind.VCENTER,
    health=".vcenter.health:read_health",
    kept_fields=".vcenter.recorded_fields:KEPT",
    kept_forms=".vcenter.recorded_fields:FORMS",
)
