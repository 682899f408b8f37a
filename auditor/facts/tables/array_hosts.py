"""How hosts reach arrays: protocol endpoints, bindings, hosts, initiators, connections, sessions."""

from __future__ import annotations

from auditor.facts.table import ARRAY_HOST, ENDPOINT, VOLUME, table

ARRAY_HOST_TABLES = (
    table(
        "array_protocol_endpoint",
        "Protocol endpoints as the array reports them.",
        ENDPOINT,
        ("protocol_endpoint_id", "VARCHAR", ""),
        ("device", "VARCHAR", "the name a host sees it by, lower case: naa. and scsiNAADeviceID, eui. and a Nimble's serial number"),
        ("state", "VARCHAR", "Active | Start | Failover | Reserved; Nimble: normal | deprecated"),
        ("node_id", "VARCHAR", "primary node; NULL when not reported"),
        topic="protocol_endpoints",
        kept_for={"node_id": "which node is the primary of how many protocol endpoints"},
    ),
    table(
        "vvol_binding",
        "Which vVol is reached through which protocol endpoint.",
        ENDPOINT,
        ("binding_id", "VARCHAR", ""),
        ("vvol_id", "VARCHAR", ""),
        ("protocol_endpoint_id", "VARCHAR", ""),
        ("array_host_id", "VARCHAR", "virtualVolumeHostID"),
        ("device", "VARCHAR", "protocolEndpointInBandID, lower case with naa."),
        topic="bindings",
        kept_for={
            "binding_id": "which binding to look up at the array",
            "array_host_id": "which host uses a virtual volume through which protocol endpoint",
        },
    ),
    table(
        "array_host",
        "Hosts an array knows: hosts, servers, initiator groups, access groups, host affinity groups.",
        ENDPOINT,
        ("array_host_id", "VARCHAR", "unique within the endpoint"),
        ("name", "VARCHAR", ""),
        ("host_group", "VARCHAR", "NULL when in none"),
        (
            "host_type",
            "VARCHAR",
            "what the array takes it for: FlashArray personality, igroup os_type, SC operating system, 3PAR persona; '' when unset",
        ),
        topic="array_hosts",
        key=("endpoint", "array_host_id"),
        kept_for={
            "host_group": "by which group a host sees its volumes, beside flasharray/host-personality",
        },
    ),
    table(
        "array_initiator",
        "Names by which an array knows its hosts; one of hba.initiator joins them.",
        ENDPOINT,
        ARRAY_HOST,
        ("initiator", "VARCHAR", "IQN, NQN, or WWPN as 16 hexadecimal digits; lower case"),
        ("kind", "VARCHAR", "iscsi | fc | nvme | sas"),
        topic="array_hosts",
    ),
    table(
        "array_connection",
        "Which host may reach which volume, also where a group of hosts was allowed to.",
        ENDPOINT,
        VOLUME,
        ARRAY_HOST,
        ("lun", "BIGINT", "NULL when not reported", "GetVolumeAccessGroupLunAssignments"),
        topic="connections",
        rests_on=(("array_volume", ""), ("array_host", "")),  # the keys they are listed by
        kept_for={"lun": "which hosts see a volume under different numbers"},
    ),
    table(
        "array_session",
        "Initiators that are logged in; Element ListISCSISessions, ListFibreChannelSessions.",
        ENDPOINT,
        ("session_id", "VARCHAR", ""),
        ("volume_id", "VARCHAR", "NULL when it is not with one volume"),
        ("node_id", "VARCHAR", ""),
        ("initiator", "VARCHAR", "as array_initiator.initiator"),
        ("initiator_address", "VARCHAR", "IP address; NULL for Fibre Channel"),
        topic="sessions",
        kept_for={
            "session_id": "which session to look up at the array",
            "node_id": "how sessions are spread over the nodes",
            "initiator_address": "from which address a host is logged in",
        },
    ),
)
