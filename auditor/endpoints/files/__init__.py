"""Files of ESXi hosts, where there is no vCenter to ask: support bundles, saved outputs of commands, exports of RVTools."""

from auditor.facts.tables.guests import GUESTS
from auditor.facts.vcenter_tables import HOST_TOPICS, VCENTER_TOPICS
from auditor.model import EndpointKind
from auditor.model.endpoint_kinds import EndpointType

TYPE = EndpointType(
    EndpointKind.FILES,
    opener="session:open_files",
    collector="collect:collect_files",
    topics=(*HOST_TOPICS, *VCENTER_TOPICS, GUESTS),
    login="none",
)
