"""Reads the hosts of an ETERNUS DX, and which volumes each of them sees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from auditor.endpoints.common.records import ParseErrors, once_each
from auditor.endpoints.common.topics import batch
from auditor.endpoints.eternus import machine_format as machine
from auditor.endpoints.eternus import rows
from auditor.endpoints.eternus import text_format as text
from auditor.endpoints.eternus.answers import UNKNOWN_FORM, NoSuchCommandError
from auditor.errors import CredentialsError, EndpointError, EndpointUnreachableError
from auditor.model import Gap

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.endpoints.eternus.answers import Answer
    from auditor.endpoints.eternus.client import EternusArray
    from auditor.endpoints.eternus.records import Host, Lun
    from auditor.facts.schema import Batch


@dataclass(slots=True)
class Seen:
    """Ids of one pass over an array that later topics name; None until they were all read."""

    volumes: frozenset[str] | None = None
    hosts: frozenset[str] | None = None


def read_hosts(array: EternusArray, endpoint: str, seen: Seen) -> Iterator[Batch | Gap]:
    """Rows of array_host and array_initiator: what the array calls a host is one port of a server.

    Raises:
        EndpointError: a list of hosts could not be asked for.
    """
    hosts_read: list[Host] = []
    unknown: list[NoSuchCommandError] = []
    for command, kind in (("show host-wwn-names", "fc"), ("show host-iscsi-names", "iscsi"), ("show host-sas-addresses", "sas")):
        parse_errors = ParseErrors(command)
        try:
            hosts_read.extend(_hosts(array.read(command), kind, parse_errors))
        except NoSuchCommandError as error:
            unknown.append(error)  # an array without such ports does not know the command; not verified
        yield from parse_errors.gaps(endpoint)
    if len(unknown) == 3:
        raise unknown[0]
    parse_errors = ParseErrors("hosts")
    groups = _host_groups(array, parse_errors)
    hosts = list(once_each(hosts_read, lambda host: host.id, "the number", set(), parse_errors))
    yield batch("array_host", endpoint, [rows.host_row(host, groups.get(host.id)) for host in hosts])
    yield batch("array_initiator", endpoint, [rows.initiator_row(host) for host in hosts])
    seen.hosts = None if parse_errors.any else frozenset(host.id for host in hosts)
    yield from parse_errors.gaps(endpoint)


def _host_groups(array: EternusArray, parse_errors: ParseErrors) -> dict[str, str]:
    try:
        answer = array.read("show host-groups -all")
    except NoSuchCommandError as error:
        if error.in_words or not array.by_machine:
            return {}  # early command lines have none
        parse_errors.add("host_group", "all hosts", error.what)
        return {}
    except (EndpointUnreachableError, CredentialsError):
        raise
    except EndpointError as error:
        parse_errors.add("host_group", "all hosts", error.what)
        return {}
    if answer.by_machine:
        parse_errors.add("host_group", "all hosts", UNKNOWN_FORM)
        return {}
    return text.host_groups(answer)


def read_connections(array: EternusArray, endpoint: str, seen: Seen) -> Iterator[Batch | Gap]:
    """Who sees which LUN group, and what is in those groups; ports that ask for no affinity leave a gap: everybody sees all there."""
    parse_errors = ParseErrors("show host-affinity")
    answer = array.read("show host-affinity")
    if answer.by_machine:
        parse_errors.add("the answer", "the array", UNKNOWN_FORM)
        yield from parse_errors.gaps(endpoint)
        return
    affinities = set(text.affinities(answer, parse_errors))
    luns = {number: list(_luns(array, number, parse_errors)) for number in sorted({one.lun_group for one in affinities})}
    connected = sorted({(one.host, lun.volume, lun.lun) for one in affinities for lun in luns[one.lun_group]})
    for host, volume, _ in connected:
        if seen.hosts is not None and host not in seen.hosts:
            parse_errors.add("the host", host, "is not among the array's hosts")
        if seen.volumes is not None and str(volume) not in seen.volumes:
            parse_errors.add("the volume", str(volume), "is not among the array's volumes")
    yield batch(
        "array_connection",
        endpoint,
        [{"volume_id": str(volume), "array_host_id": host, "lun": lun} for host, volume, lun in connected],
    )
    yield from parse_errors.gaps(endpoint)
    yield from _open_ports(array, endpoint)


def _luns(array: EternusArray, number: int, parse_errors: ParseErrors) -> Iterator[Lun]:
    answer = array.read(f"show lun-groups -lg-number {number}")
    return machine.lun_group(answer, parse_errors) if answer.by_machine else text.lun_group(answer, parse_errors)


def _open_ports(array: EternusArray, endpoint: str) -> Iterator[Gap]:
    answer = array.read("show mapping")
    if answer.by_machine:
        yield Gap(endpoint, "show mapping", UNKNOWN_FORM)
        return
    for port, volumes in text.open_ports(answer).items():
        yield Gap(
            endpoint,
            f"show mapping: {port}",
            f"its host affinity is off: everybody who reaches it sees {volumes} volumes, and the array does not report who that is",
        )


def _hosts(answer: Answer, kind: str, parse_errors: ParseErrors) -> list[Host]:
    if kind == "iscsi":
        return list(machine.iscsi_hosts(answer, parse_errors) if answer.by_machine else text.iscsi_hosts(answer, parse_errors))
    if answer.by_machine and kind == "sas":
        if answer.records[1:]:
            parse_errors.add("the answer", "the array", UNKNOWN_FORM)
        return []
    return list(machine.fc_hosts(answer, parse_errors) if answer.by_machine else text.fc_hosts(answer, parse_errors, kind))
