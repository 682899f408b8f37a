"""Reads files of hosts, host after host. What no file of a host can hold, because only a vCenter knows it, is one gap for all of them."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from auditor.endpoints.files.archives import Unreadable
from auditor.endpoints.files.datastores import Datastores
from auditor.endpoints.files.host_reader import LOADS, HostReader, software_iscsi
from auditor.endpoints.files.hosts import FileSeen
from auditor.endpoints.files.loads import HostLoads
from auditor.endpoints.files.session import place_of
from auditor.endpoints.vcenter.collect.rows import Rows, gap, readings
from auditor.endpoints.vcenter.collect.vms import add_machine
from auditor.facts.needs import EVERYTHING
from auditor.facts.schema import VCENTER_TOPICS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.endpoints.files.hosts import HostFiles
    from auditor.endpoints.files.session import FilesSession
    from auditor.endpoints.vcenter.collect.rows import Facts
    from auditor.facts.needs import Needs
    from auditor.model import Endpoint

NEEDS_VCENTER = "Storage I/O Control, storage policies, datastore clusters, the other hosts of a cluster and running tasks"
_ONLY_VCENTER = "only a vCenter knows them, and no file of a host does: audit the vCenter for what rests on them"


def collect_files(session: FilesSession, endpoint: Endpoint, needs: Needs = EVERYTHING) -> Iterator[Facts]:
    """Yield what is needed of the hosts whose files are there, host after host, and a gap for everything that they do not say."""
    rows, stores, loads = Rows("host", endpoint=endpoint.name), Datastores(), HostLoads(endpoint)
    taken: dict[str, str] = {}
    unknown: list[str] = []
    stores_whole = True
    for item in session.found():
        if isinstance(item, Unreadable):
            yield gap(endpoint, place_of(item), item.why)
        elif isinstance(item, FileSeen):
            if not item.is_recognised:
                unknown.append(item.place)
        elif not item.outputs:
            loads.add(item, is_host=False)
        elif item.name in taken:
            why = f"it has files of {item.name}, which was read from {taken[item.name]}: name one of the two"
            yield gap(endpoint, item.source, why)
        else:
            taken[item.name] = item.source
            rows.add(**_host_row(item))
            stores.add(item)
            loads.add(item, is_host=True)
            yield from _machines(endpoint, item, needs)
            reader = HostReader(endpoint, item, needs)
            yield from reader.read()
            stores_whole = stores_whole and reader.stores_whole
            _note_age(session, item)
    yield from rows.batch()
    if "datastores" in needs.topics:
        yield from stores.rows(endpoint.name)
    if needs.topics.intersection(LOADS):
        yield from loads.facts()
    yield gap(endpoint, NEEDS_VCENTER, _ONLY_VCENTER)
    # Which other hosts and datastores there are, no file says.
    yield readings(endpoint, "", {topic: topic == "datastores" and stores_whole for topic in VCENTER_TOPICS if topic in needs.topics})
    if unknown:
        more = f" and {len(unknown) - 3} more" if len(unknown) > 3 else ""
        session.add_note(f"Not recognised, and left: {', '.join(unknown[:3])}{more}.")


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


def _note_age(session: FilesSession, host: HostFiles) -> None:
    evidence = session.endpoint.evidence
    age = datetime.now(UTC) - host.taken_at if host.taken_at else None
    if evidence is None or age is None or age <= timedelta(days=evidence.max_age_days):
        return
    session.add_note(f"The files of {host.name} are {age.days} days old ({host.source}): what changed since then is not seen.")


def _host_row(host: HostFiles) -> dict[str, object]:
    version, build = _release(host)
    maintenance = next((record.text("value", needed=False) for record in host.records("system maintenanceMode get") or ()), None)
    return {
        "host_id": host.name,
        "name": host.name,
        "cluster_id": host.cluster,
        "cluster": host.cluster,
        "version": version,
        "build": build,
        "connection_state": "connected",
        "power_state": "poweredOn",
        "in_maintenance_mode": None if maintenance is None else maintenance.lower() in ("enabled", "true"),
        "software_iscsi": software_iscsi(host),
    }


def _release(host: HostFiles) -> tuple[str | None, int | None]:
    for record in host.records("system version get") or ():
        build = re.search(r"([0-9]+)$", record.text("build", needed=False) or "")
        return record.filled("version", needed=False), int(build[1]) if build else None
    return None, None
