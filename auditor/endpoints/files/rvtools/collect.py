"""The facts of exports, by the functions that make rows of what a vCenter answers, and a gap for what no sheet says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import TYPE_CHECKING

from auditor.endpoints.files.rvtools.datastores import Datastores
from auditor.endpoints.files.rvtools.machines import NEEDED, Machines
from auditor.endpoints.files.rvtools.network import DistributedSwitches, network_values
from auditor.endpoints.files.rvtools.places import Places, odd_names, release_of
from auditor.endpoints.files.rvtools.storage import MOST_PATHS, has_all_adapters, has_all_devices, storage_values
from auditor.endpoints.vcenter.bulk.reading import ObjectProperties
from auditor.endpoints.vcenter.bulk.shapes import Ref
from auditor.endpoints.vcenter.collect.datastores import DatastoreTables, add_datastore
from auditor.endpoints.vcenter.collect.network import network_of
from auditor.endpoints.vcenter.collect.rows import HostSeen, Rows, gap
from auditor.endpoints.vcenter.collect.storage import storage_of
from auditor.endpoints.vcenter.collect.vms import add_machine
from auditor.facts.schema import HOST_TOPICS, Batch
from auditor.text.names import fits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from auditor.endpoints.files.rvtools.export import Export
    from auditor.endpoints.files.rvtools.places import HostRows
    from auditor.endpoints.vcenter.collect.rows import Facts
    from auditor.facts.needs import Needs
    from auditor.model import Endpoint

_NEVER = (
    "DSNRO, protocol endpoints, settings of path policies, claim rules, SATP, offloads, advanced options, parameters of modules, "
    "iSCSI targets, port binding and load"
)
_TAKE_OUTPUTS = "no sheet of RVTools has them: take support bundles or outputs of esxcli of these hosts, or audit the vCenter"
_BESIDE = (
    "files of hosts are there as well, and its devices, datastores and machines have no ids that those have: of it only the clusters of "
    "hosts were taken, by their names; audit the export alone, or the other files alone"
)
_MACHINES_A_BATCH = 500

_COLUMNS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "vHost": ("cluster", "esx version"),
        "vHBA": ("type", "status", "driver"),
        "vMultiPath": tuple(f"path {number} state" for number in range(1, MOST_PATHS + 1)),
        "vSC_VMK": ("mtu", "ip address", "port group"),
        "vSwitch": (),
        "vPort": (),
        "dvSwitch": (),
        "dvPort": (),
        "vDatastore": ("hosts", "# extents", "url", "version"),
        "vInfo": ("host", "disks"),
        "vDisk": NEEDED,
    }
)
"""The sheets that an export has to have for all that is read of it, and their columns."""


def refused(endpoint: Endpoint, exports: Iterable[Export]) -> Iterator[Facts]:
    """A gap for each export that lies beside files of hosts: what it says of a host of both would be there twice (`clusters.py`)."""
    yield from (gap(endpoint, f"the RVTools export {export.source}", _BESIDE) for export in exports)


def export_facts(endpoint: Endpoint, exports: Sequence[Export], needs: Needs) -> Iterator[Facts]:
    """Every fact of all exports, their gaps, and a row of `reading` for each topic of each host."""
    several = len(frozenset().union(*(export.servers() for export in exports))) > 1
    read: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for export in exports:
        places = Places(export, several=several, is_alone=len(exports) == 1)
        yield from _ExportReader(endpoint, export, needs, places).facts(read)


class _ExportReader:
    """Reads one export."""

    def __init__(self, endpoint: Endpoint, export: Export, needs: Needs, places: Places) -> None:
        self._endpoint, self._export, self._needs, self._places = endpoint, export, needs, places
        self._distributed = DistributedSwitches(export, places)
        self._nameless: dict[str, None] = {}  # hosts that have a row about a device without its name
        self._hidden = [0, 0]  # devices that may have more paths than are shown, and their hosts

    def facts(self, read: dict[str, list[tuple[str, str]]]) -> Iterator[Facts]:
        """The facts. `read` has the hosts of exports before by their names, with vCenter and place, and gets those of this one."""
        hosts = self._places.hosts()
        again = next(((host, source) for host in hosts.values() if (source := _read_before(host, read))), None)
        if again:
            why = f"it has {again[0].name}, which was read from {again[1]}: name one of the two"
            yield gap(self._endpoint, f"the RVTools export {self._export.source}", why)
            return
        for host in hosts.values():
            read[host.name].append((host.server.name, self._export.source))
        yield from self._host_rows(hosts)
        for host in hosts.values():
            yield from self._host(host)
        if {"datastores", "vms"} & self._needs.topics:
            yield from self._stores_and_machines()
        yield from self._gaps(hosts)

    def _host_rows(self, hosts: Mapping[str, HostRows]) -> Iterator[Facts]:
        rows = Rows("host", endpoint=self._endpoint.name)
        for host in hosts.values():
            version, build = release_of(host.first("esx version"))
            cluster, cluster_id = self._cluster(host)
            rows.add(
                host_id=host.id,
                name=host.name,
                cluster=cluster,
                cluster_id=cluster_id,
                version=version,
                build=build,
                in_maintenance_mode=next((row.truth("in maintenance mode") for row in host.rows("vHost")), None),
                software_iscsi=_software_iscsi(host),
            )
        yield from rows.batch()

    def _cluster(self, host: HostRows) -> tuple[str | None, str | None]:
        """The name and the id of a host's cluster. Clusters of two datacenters may have one name."""
        evidence = self._endpoint.evidence
        for name, glob in evidence.clusters if evidence else ():
            if fits(host.name, glob) or fnmatchcase(self._export.source, glob):
                return name, name
        cluster = host.first("cluster")
        if not cluster:
            return None, None
        return cluster, host.server.id_of(f"{host.first('datacenter') or ''}/{cluster}")

    def _host(self, host: HostRows) -> Iterator[Facts]:
        """The facts of one host, and its readings."""
        whole = {topic: False for topic in HOST_TOPICS if topic in self._needs.topics}
        seen = HostSeen(Ref("HostSystem", host.id), host.name, connected=True, software_iscsi=_software_iscsi(host))
        yield from self._storage(host, seen, whole)
        if "network" in whole and host.rows("vSC_VMK"):
            facts = ObjectProperties(seen.ref, network_values(host, self._distributed), {})
            found: dict[str, bool] = {}
            yield from _own(network_of(self._endpoint, seen, facts), found)
            whole["network"] = found["network"] and all(self._export.has(kind, *_COLUMNS[kind]) for kind in ("vSC_VMK", "vSwitch", "vPort"))
        yield self._readings(host.id, whole)

    def _storage(self, host: HostRows, seen: HostSeen, whole: dict[str, bool]) -> Iterator[Facts]:
        sheets = {"hbas": "vHBA", "devices": "vMultiPath", "paths": "vMultiPath"}
        topics = [topic for topic, kind in sheets.items() if topic in whole and host.rows(kind)]
        if not topics:
            return
        self._nameless.update({} if has_all_devices(host) else {host.name: None})
        values, hidden = storage_values(host)
        self._hidden = [self._hidden[0] + hidden, self._hidden[1] + (hidden > 0)]
        found: dict[str, bool] = {}
        yield from _own(storage_of(self._endpoint, seen, ObjectProperties(seen.ref, values, {}), topics), found)
        for topic, is_whole in (
            ("hbas", has_all_adapters(host) and self._export.has("vHBA", *_COLUMNS["vHBA"])),
            ("paths", not hidden and has_all_devices(host) and self._export.has("vMultiPath", *_COLUMNS["vMultiPath"])),
        ):
            if topic in topics:
                whole[topic] = found[topic] and is_whole

    def _stores_and_machines(self) -> Iterator[Facts]:
        stores = Datastores(self._export, self._places)
        if "datastores" in self._needs.topics:
            tables = DatastoreTables(self._endpoint)
            for facts in stores.facts():
                yield from add_datastore(self._endpoint, tables, facts, (), unset_is_mounted=False)
            yield from tables.batches()
            yield from self._counted(
                stores.unsettled, "datastores", "sheet vDatastore does not say in full which hosts and devices they have, or says it twice"
            )
        if "vms" in self._needs.topics:
            yield from self._machines(Machines(self._export, self._places, stores))

    def _machines(self, machines: Machines) -> Iterator[Facts]:
        rows, disks = Rows("vm", endpoint=self._endpoint.name), Rows("vm_disk", endpoint=self._endpoint.name)
        for count, facts in enumerate(machines.facts(), 1):
            yield from add_machine(self._endpoint, rows, disks, facts, ())
            if count % _MACHINES_A_BATCH == 0:
                yield from rows.batch()
                yield from disks.batch()
                rows, disks = Rows("vm", endpoint=self._endpoint.name), Rows("vm_disk", endpoint=self._endpoint.name)
        yield from rows.batch()
        yield from disks.batch()
        if machines.unnamed:
            why = f"nothing in sheet vInfo tells them from each other: export it with VM ID ({machines.unnamed} rows)"
            yield gap(self._endpoint, f"some virtual machines in {self._export.source}", why)
        if machines.without_disks:
            why = "sheet vDisk has not as many of their disks as vInfo counts, or does not say enough of one: export both sheets anew"
            yield gap(self._endpoint, f"disks of {machines.without_disks} virtual machines in {self._export.source}", why)

    def _gaps(self, hosts: Mapping[str, HostRows]) -> Iterator[Facts]:
        source = self._export.source
        lacking = [*self._lacking_sheets(), *self._lacking_columns()]
        if lacking:
            why = f"the export does not have it: export {', '.join(lacking)} too"
            yield gap(self._endpoint, f"what other sheets of RVTools say, beside {source}", why)
        if self._hidden[0]:
            what = f"how many paths {self._hidden[0]} devices on {self._hidden[1]} hosts in {source} have"
            yield gap(
                self._endpoint,
                what,
                f"RVTools shows {MOST_PATHS} at most: take the output of `esxcli storage core path list` of these hosts",
            )
        if self._export.problems:
            more = f"; and {len(self._export.problems) - 3} more" if len(self._export.problems) > 3 else ""
            yield gap(self._endpoint, f"a part of {source}", "; ".join(self._export.problems[:3]) + more)
        odd = {name: None for kind in ("vHost", "vHBA", "vMultiPath", "vSC_VMK") for name in odd_names(self._export.rows(kind))}
        yield from self._counted(odd, "hosts", "their names in a sheet are none that a host has, so nothing was read of them")
        yield from self._counted(self._nameless, "devices of", "sheet vMultiPath has rows whose Disk names no device")
        if not hosts:
            yield gap(self._endpoint, f"hosts in {source}", "no sheet names one: export vHost, vHBA, vMultiPath and vSC_VMK")
        else:
            yield gap(self._endpoint, f"{_NEVER} of hosts in {source}", _TAKE_OUTPUTS)

    def _lacking_sheets(self) -> list[str]:
        missing = [kind for kind in _COLUMNS if kind not in self._export.sheets]
        return [f"sheet{'s' if len(missing) > 1 else ''} {', '.join(missing)}"] if missing else []

    def _lacking_columns(self) -> Iterator[str]:
        for kind, titles in _COLUMNS.items():
            missing = [title for title in titles if kind in self._export.sheets and not self._export.has(kind, title)]
            if missing:
                yield f"{kind} with {', '.join(missing)}"

    def _counted(self, names: Mapping[str, None], things: str, why: str) -> Iterator[Facts]:
        if names:
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            yield gap(self._endpoint, f"{things} {', '.join(list(names)[:3])}{more} in {self._export.source}", why)

    def _readings(self, scope: str, whole: Mapping[str, bool]) -> Batch:
        count = len(whole)
        return Batch(
            "reading",
            {
                "endpoint": [self._endpoint.name] * count,
                "scope": [scope] * count,
                "topic": list(whole),
                "complete": list(whole.values()),
                "read_at": [self._export.taken_at or datetime.now(UTC)] * count,
                "source": [self._export.source] * count,
            },
        )


def _read_before(host: HostRows, read: Mapping[str, Sequence[tuple[str, str]]]) -> str:
    """The export that a host was read from before; "" where it was not. Where a vCenter is not named, it may be any."""
    return next(
        (source for server, source in read.get(host.name, ()) if not server or not host.server.name or server == host.server.name), ""
    )


def _software_iscsi(host: HostRows) -> bool | None:
    """True where an adapter of it is there; None where none is, as the sheet may not have all."""
    return any(row.text("driver") == "iscsi_vmk" for row in host.rows("vHBA")) or None


def _own(facts: Iterator[Facts], whole: dict[str, bool]) -> Iterator[Facts]:
    """`facts` without their readings, which go into `whole`: they are of now, and not of the export's moment."""
    for item in facts:
        if isinstance(item, Batch) and item.table == "reading":
            whole.update(zip(item.columns["topic"], item.columns["complete"], strict=True))
        else:
            yield item
