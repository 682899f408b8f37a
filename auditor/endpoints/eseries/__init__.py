"""NetApp E-Series and what was made of it (Dell PowerVault MD3), by the REST interface of SANtricity Web Services."""

from types import MappingProxyType

from auditor.model import EndpointKind
from auditor.model.endpoint_kinds import MULTIPATH_TOOLS, EndpointType, Family, Roles
from auditor.model.settings import Setting

TYPE = EndpointType(
    EndpointKind.ESERIES,
    opener="client:open_eseries",
    collector="collect:collect_eseries",
    kept_fields="recorded_fields:KEPT",
    kept_forms="recorded_fields:FORMS",
    topics=("array", "alerts", "nodes", "pools", "pool_load", "volumes", "volume_load", "array_hosts", "connections"),
    settings=MappingProxyType({"eseries.host_type": Setting("settings.host_type:ESeriesHostType")}),
    family=Family(
        "eseries",
        "NetApp E-Series / Dell PowerVault MD3",
        (("DELL", "MD3"), ("NETAPP|LSI", "INF-01-00")),
        (),  # its volumes are named by several prefixes, and each of them is other vendors' as well: docs/domain/arrays.md#eseries
        (MULTIPATH_TOOLS, "NetApp ONTAP SAN host configuration, hu_vsphere_8: claim rules for INF-01-00"),
    ),
    roles=Roles(
        frozenset({"storage.monitor"}), frozenset({"storage.admin"}), "netappeseries/santricity README.md, names of roles; not verified"
    ),
)
