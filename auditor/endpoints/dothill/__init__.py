"""Arrays of the Dot Hill family (HPE MSA, Dell PowerVault ME4 and ME5, Seagate Exos X), by their command line over HTTPS."""

from auditor.model import EndpointKind
from auditor.model.endpoint_kinds import MULTIPATH_TOOLS, EndpointType, Family, Roles

TYPE = EndpointType(
    EndpointKind.DOTHILL,
    opener="client:open_dothill",
    collector="collect:collect_dothill",
    kept_fields="recorded_fields:KEPT",
    kept_forms="recorded_fields:FORMS",
    # Without "qos_policies": these arrays limit no volume.
    topics=("array", "alerts", "nodes", "pools", "pool_load", "volumes", "volume_load", "array_hosts", "connections"),
    family=Family(
        "dothill",
        "Dot Hill (HPE MSA, Dell PowerVault ME, Seagate Exos X)",
        (
            ("HPE?", "(?:MSA [12]0[4567][0-9] (?:SAN|SAS|FC|iSCSI)|P2000 ?G3|MSA2012sa|MSA23(?:12|24)(?:fc|i|sa))"),
            ("DellEMC", "ME"),
        ),
        # Dot Hill made FibreCAT SX and others too, whose names begin with naa.600c0ff as well: a name alone shows no family.
        (),
        (MULTIPATH_TOOLS, "docs/domain/arrays.md#dothill"),
    ),
    roles=Roles(
        frozenset({"monitor"}),
        frozenset({"manage", "standard", "diagnostic"}),
        "edingc/powervault_me5_exporter, sessions.json: roles monitor; the others not verified",
    ),
)
