"""HPE 3PAR, Primera and Alletra 9000 for auditor, by the Web Services API v1 (WSAPI). No real array was read by us: see the README."""

from auditor.model import EndpointKind
from auditor.model.endpoint_kinds import MULTIPATH_TOOLS, EndpointType, Family

FAMILY = "3par"
"""The family that auditor knows by its devices; this package reads the arrays behind them."""

TYPE = EndpointType(
    EndpointKind("hpe3par"),
    contract=1,
    opener="client:open_hpe3par",
    collector="collect:collect_hpe3par",
    topics=("array", "nodes", "pools", "qos_policies", "volumes", "array_hosts", "connections"),
    family=Family(
        FAMILY,
        "HPE 3PAR / Primera / Alletra 9000",
        (("3PARdata", "VV"),),
        (r"naa\.60002ac",),
        (MULTIPATH_TOOLS,),
    ),
    kept_fields="recorded_fields:KEPT",
    rules="rules",
)
