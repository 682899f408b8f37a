"""Reads files of hosts, host after host. What no file of a host can hold, because only a vCenter knows it, is one gap for all of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from auditor.endpoints.files.archives import Unreadable
from auditor.endpoints.files.datastores import Datastores
from auditor.endpoints.files.guests import guest_facts
from auditor.endpoints.files.host_reader import LOADS, HostReader, software_iscsi
from auditor.endpoints.files.hosts import FileSeen
from auditor.endpoints.files.loads import HostLoads
from auditor.endpoints.files.other_forms import release_of
from auditor.endpoints.files.rvtools import Export
from auditor.endpoints.files.rvtools.clusters import clusters_by_host, clusters_of_hosts
from auditor.endpoints.files.rvtools.collect import export_facts, refused
from auditor.endpoints.files.session import place_of
from auditor.endpoints.vcenter.collect.rows import Rows, gap, readings
from auditor.endpoints.vcenter.collect.vms import add_machine
from auditor.facts.needs import EVERYTHING
from auditor.facts.schema import VCENTER_TOPICS
from auditor.facts.tables.guests import GUESTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.endpoints.files.guests import Guest
    from auditor.endpoints.files.host_files import HostFiles
    from auditor.endpoints.files.session import FilesSession
    from auditor.endpoints.vcenter.collect.rows import Facts
    from auditor.facts.needs import Needs
    from auditor.model import Endpoint

NEEDS_VCENTER = "Storage I/O Control, storage policies, datastore clusters, the other hosts of a cluster and running tasks"
_ONLY_VCENTER = "only a vCenter knows them, and no file of a host does: audit the vCenter for what rests on them"

_SAID_BY = {"version": "esxcli system version get", "in_maintenance_mode": "esxcli system maintenanceMode get"}
"""Columns of the host itself, and the command whose output says them where nothing else does."""


def collect_files(session: FilesSession, endpoint: Endpoint, needs: Needs = EVERYTHING) -> Iterator[Facts]:
    """Yield what is needed of the hosts whose files are there, host after host, and a gap for everything that they do not say."""
    hosts = _Hosts(session, endpoint, needs)
    for item in session.found():
        if isinstance(item, Unreadable):
            yield gap(endpoint, place_of(item), item.why)
        elif isinstance(item, FileSeen):
            hosts.unknown += [] if item.is_recognised else [item.place]
            hosts.guests += [(item.place, guest) for guest in item.guests]
        elif isinstance(item, Export):
            hosts.exports.append(item)
        else:
            yield from hosts.facts_of(item)
    yield from hosts.all_together()


class _Hosts:
    """The hosts of one endpoint, as they are read one after another."""

    def __init__(self, session: FilesSession, endpoint: Endpoint, needs: Needs) -> None:
        self._session, self._endpoint, self._needs = session, endpoint, needs
        self._stores, self._stores_whole = Datastores(), True
        self._loads = HostLoads(endpoint)
        self._rows: dict[str, tuple[HostFiles, dict[str, Any]]] = {}
        self.unknown: list[str] = []
        self.exports: list[Export] = []
        self.guests: list[tuple[str, Guest]] = []

    def facts_of(self, host: HostFiles) -> Iterator[Facts]:
        """What the files of one host say; a gap where nobody knows whose they are, or the host was read already."""
        why = self._unread(host)
        if why:
            yield gap(self._endpoint, host.source, why)
        elif not host.outputs:
            self._loads.add(host, is_host=False)
        else:
            bare = replace(host, outputs={}, machines=(), esxtop=())  # what was read is not held for the hosts to come
            row = _host_row(host)
            self._rows[host.name] = bare, row
            self._stores.add(host)
            self._loads.add(host, is_host=True)
            yield from _machines(self._endpoint, host, self._needs)
            reader = HostReader(self._endpoint, host, self._needs)
            reader.lacking |= {
                name: None for column, name in _SAID_BY.items() if row[column] is None and ("host", column) in self._needs.facts
            }
            yield from reader.facts()
            self._stores_whole = self._stores_whole and reader.stores_whole
            _note_age(self._session, f"The files of {host.name} are {{days}} days old ({host.source})", host.taken_at)

    def _unread(self, host: HostFiles) -> str:
        """Why a host is not read; "" where it is."""
        if host.others:
            names = ", ".join((host.name, *host.others)[:5])
            return f"its files are of several hosts ({names}): put those of each into a folder of its own"
        if host.name in self._rows:
            source = self._rows[host.name][0].source
            return f"it has files of {host.name}, which was read from {source}: name one of the two"
        if not host.outputs and not host.esxtop:
            return "no output of a command is there, so nobody knows what host it is: take outputs of esxcli too"
        return ""

    def all_together(self) -> Iterator[Facts]:
        """What is known once every host was read."""
        yield from self._host_rows()
        self._note_clusters()
        yield from self._exports()
        if "datastores" in self._needs.topics:
            yield from self._stores.rows(self._endpoint.name)
        if self._needs.topics.intersection(LOADS):
            yield from self._loads.facts()
        if GUESTS in self._needs.topics:
            yield from guest_facts(self._endpoint, self.guests)
        if self._rows or self.exports or not self.guests:  # guests are no hosts: nothing that only a vCenter knows was asked of them
            yield gap(self._endpoint, NEEDS_VCENTER, _ONLY_VCENTER)
            # Which other hosts and datastores there are, no file says.
            stores_whole = self._stores_whole and (not self.exports or bool(self._rows))
            whole = {topic: topic == "datastores" and stores_whole for topic in VCENTER_TOPICS if topic in self._needs.topics}
            yield readings(self._endpoint, "", whole)
        if self.unknown:
            more = f" and {len(self.unknown) - 3} more" if len(self.unknown) > 3 else ""
            self._session.add_note(f"Not recognised, and left: {', '.join(self.unknown[:3])}{more}.")

    def _note_clusters(self) -> None:
        """Say of each cluster that was named whether it has no host: its glob may be wrong."""
        evidence = self._endpoint.evidence
        named = {name for name, _ in evidence.clusters} if evidence and self._rows else set()  # an export's hosts are named elsewhere
        for name in sorted(named - {host.cluster for host, _ in self._rows.values()}):
            self._session.add_note(f"No host whose files were read is of the cluster {name}, which --cluster-of names.")

    def _exports(self) -> Iterator[Facts]:
        """What exports of RVTools say, where no files of hosts are there besides."""
        if self._rows:
            yield from refused(self._endpoint, self.exports)
            return
        yield from export_facts(self._endpoint, self.exports, self._needs)
        for export in self.exports:
            _note_age(self._session, f"The RVTools export is {{days}} days old ({export.source})", export.taken_at)

    def _host_rows(self) -> Iterator[Facts]:
        """Table host. A folder that holds one host alone may be anything, and is no cluster unless somebody or an export says so."""
        rows = Rows("host", endpoint=self._endpoint.name)
        evidence = self._endpoint.evidence
        chosen = {name for name, _ in evidence.clusters} if evidence else set()
        own = {name: host.cluster for name, (host, _) in self._rows.items()}
        clusters = clusters_of_hosts(own, chosen, clusters_by_host(self.exports, self._rows.keys()))
        for name, (_, row) in self._rows.items():
            cluster = clusters[name]
            rows.add(**row, cluster=cluster and cluster.name, cluster_id=cluster and cluster.id)
        several = Counter(own.values())
        refuted = {own[name] for name, one in clusters.items() if several[own[name]] > 1 and not (one and one.is_called(own[name]))}
        for folder in sorted(name for name in refuted if name is not None):
            self._session.add_note(f"The folder {folder} is taken for no cluster: an RVTools export has hosts of it in another one.")
        yield from rows.batch()


def _machines(endpoint: Endpoint, host: HostFiles, needs: Needs) -> Iterator[Facts]:
    """Tables vm and vm_disk of the machines whose .vmx files are there."""
    if not host.machines or "vms" not in needs.topics:
        return
    machines, disks = Rows("vm", endpoint=endpoint.name), Rows("vm_disk", endpoint=endpoint.name)
    for machine in host.machines:
        yield from add_machine(endpoint, machines, disks, machine.facts(host.name), ())
    yield from machines.batch()
    yield from disks.batch()
    why = "their .vmx files say neither whether they run nor how large their disks are, and may not be all"
    yield gap(endpoint, f"virtual machines of {host.name}", why)


def _note_age(session: FilesSession, of: str, taken_at: datetime | None) -> None:
    """Say how old files are, where they are older than asked for; `of` is a sentence with {days}."""
    evidence = session.endpoint.evidence
    age = datetime.now(UTC) - taken_at if taken_at else None
    if evidence is None or age is None or age <= timedelta(days=evidence.max_age_days):
        return
    session.add_note(f"{of.replace('{days}', str(age.days))}: what changed since then is not seen.")


def _host_row(host: HostFiles) -> dict[str, Any]:
    version, build = release_of(host)
    maintenance = next((record.text("value", needed=False) for record in host.records("system maintenanceMode get") or ()), None)
    return {
        "host_id": host.name,
        "name": host.name,
        "version": version,
        "build": build,
        "connection_state": "connected",
        "power_state": "poweredOn",
        "in_maintenance_mode": None if maintenance is None else maintenance.lower() in ("enabled", "true"),
        "software_iscsi": software_iscsi(host),
    }
