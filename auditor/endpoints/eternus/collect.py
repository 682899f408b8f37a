"""Reads a Fujitsu ETERNUS DX into fact tables; never writes.

No account gets everything in a form that is public: one of the role Software gets QoS, UIDs and initiators, and its affinities
and RAID groups in an unknown form or not at all; people get those, and QoS in an unknown form. What an account does not get is a gap.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from auditor.endpoints.common.records import ParseErrors, once_each
from auditor.endpoints.common.topics import batch, read_topics
from auditor.endpoints.eternus import machine_format as machine
from auditor.endpoints.eternus import qos, rows
from auditor.endpoints.eternus import text_format as text
from auditor.endpoints.eternus.access import Seen, read_connections, read_hosts
from auditor.endpoints.eternus.alerts import read_alerts
from auditor.endpoints.eternus.answers import NoSuchCommandError
from auditor.endpoints.eternus.pools import read_pools
from auditor.errors import CredentialsError, EndpointError, NotThereError, PermissionMissingError
from auditor.facts.needs import EVERYTHING
from auditor.model import Gap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from auditor.endpoints.common.topics import Row
    from auditor.endpoints.eternus.client import EternusArray
    from auditor.endpoints.eternus.records import Volume
    from auditor.facts.needs import Needs
    from auditor.facts.schema import Batch
    from auditor.model import Endpoint

_ROWS_A_BATCH = 1000


def collect_eternus(array: EternusArray, endpoint: Endpoint, needs: Needs = EVERYTHING) -> Iterator[Batch | Gap]:
    """Yield what is needed of an array, and one row of `reading` for each topic of it.

    A record that cannot be understood leaves a gap and makes its topic incomplete; its row stays where its number was understood, with
    NULL in that cell. An array that says it has no QoS has none: its volumes are read as unlimited. One that only does not know the
    command from this account leaves a gap.
    """
    reading = _Reading(array, endpoint.name)
    topics: dict[str, Callable[[], Iterator[Batch | Gap]]] = {
        "array": reading.array_itself,
        "alerts": partial(read_alerts, array, endpoint.name),
        "pools": partial(read_pools, array, endpoint.name),
        "qos_policies": reading.qos_policies,
        "volumes": reading.volumes,
        "array_hosts": partial(read_hosts, array, endpoint.name, reading.seen),
        "connections": partial(read_connections, array, endpoint.name, reading.seen),
    }
    yield from read_topics(endpoint, needs, topics)


@dataclass(slots=True)
class _Qos:
    """What is known of the array's QoS; `table` None where it has none."""

    table: dict[int, qos.Category] | None
    assigned: dict[int, dict[str, int | None]]
    parse_errors: tuple[ParseErrors, ...]


@dataclass(slots=True)
class _Reading:
    """One pass over one array; later topics build on what earlier ones saw."""

    array: EternusArray
    endpoint: str
    qos: _Qos | None = None
    qos_refused: EndpointError | None = None
    seen: Seen = field(default_factory=Seen)

    def array_itself(self) -> Iterator[Batch | Gap]:
        parse_errors = ParseErrors("show enclosure-status")
        answer = self.array.read("show enclosure-status")
        identity = machine.identity(answer, parse_errors) if answer.by_machine else text.identity(answer, parse_errors)
        if identity is not None:
            yield batch("array", self.endpoint, [rows.array_row(identity, by_machine=self.array.by_machine)])
        yield from parse_errors.gaps(self.endpoint)

    def qos_policies(self) -> Iterator[Batch | Gap]:
        qos_read = self._read_qos()
        if qos_read.table is not None:
            counts = self._counts(qos_read)
            policies = [
                rows.policy_row(category, mode, None if counts is None else counts.get((mode, category.number), 0))
                for mode in qos.MODES
                for category in qos_read.table.values()
                if category.number and (category.fields or mode == qos.MODES[0])
            ]
            yield batch("array_qos_policy", self.endpoint, policies)
        for parse_errors in qos_read.parse_errors:
            yield from parse_errors.gaps(self.endpoint)

    def _counts(self, qos_read: _Qos) -> dict[tuple[str, int], int] | None:
        """How many volumes are in each category; None when one of them may be missing."""
        counts: dict[tuple[str, int], int] = {}
        for assigned in qos_read.assigned.values():
            for mode, number in assigned.items():
                if number is None:
                    return None
                counts[mode, number] = counts.get((mode, number), 0) + 1
        return counts if not qos_read.parse_errors[1].any else None

    def _read_qos(self) -> _Qos:
        """Asked once for the topics that need it.

        Raises:
            EndpointError: it is not known, not even whether there is any.
        """
        if self.qos_refused is not None:
            raise self.qos_refused
        if self.qos is not None:
            return self.qos
        table_errors, volume_errors = ParseErrors("show qos-bandwidth-limit"), ParseErrors("show volume-qos")
        try:
            assigned = qos.assignments(self.array.read("show volume-qos"), volume_errors.add)
        except (NotThereError, PermissionMissingError) as error:
            if not isinstance(error, NoSuchCommandError) or not qos.has_no_qos(self.array, error):
                self.qos_refused = error
                raise
            self.qos = _Qos(None, {}, ())
            return self.qos
        try:
            table = qos.table(self.array.read("show qos-bandwidth-limit"), table_errors.add)
        except NoSuchCommandError:
            if qos.has_table(self.array.firmware) is not False:
                raise
            table = qos.fixed_table()
        self.qos = _Qos(table, assigned, (table_errors, volume_errors))
        return self.qos

    def volumes(self) -> Iterator[Batch | Gap]:
        command = "show volumes" if self.array.by_machine else "show volumes -mode uid"
        parse_errors = ParseErrors(command)
        try:
            answer = self.array.read(command)
        except NoSuchCommandError:
            if self.array.by_machine:
                raise
            answer = self.array.read("show volumes")  # early command lines report no UID in text (recorded by delfin)
        listed = machine.volumes(answer, parse_errors) if answer.by_machine else text.volumes(answer, parse_errors)
        qos_of = self._qos_of(parse_errors)
        table_rows: list[Row] = []
        for volume in once_each(listed, lambda volume: f"volume {volume.number}", "the number", set(), parse_errors):
            if volume.uid is None:
                parse_errors.add("the UID", f"volume {volume.number}", "is not reported here, so no host's device can be found")
            table_rows.append({**rows.volume_row(volume, parse_errors), **qos_of(volume)})
        for first in range(0, max(len(table_rows), 1), _ROWS_A_BATCH):
            yield batch("array_volume", self.endpoint, table_rows[first : first + _ROWS_A_BATCH])
        self.seen.volumes = None if parse_errors.any else frozenset(row["volume_id"] for row in table_rows)
        yield from parse_errors.gaps(self.endpoint)

    def _qos_of(self, parse_errors: ParseErrors) -> Callable[[Volume], Row]:
        try:
            known = self._read_qos()
        except CredentialsError:
            raise
        except EndpointError as error:
            parse_errors.add("QoS", "all volumes", error.what)
            return lambda _: rows.UNKNOWN_QOS
        if known.table is None:
            return lambda _: rows.NO_QOS
        return partial(_qos_of_one, known.table, known.assigned, parse_errors)


def _qos_of_one(
    table: dict[int, qos.Category], assigned: dict[int, dict[str, int | None]], parse_errors: ParseErrors, volume: Volume
) -> Row:
    if volume.number not in assigned:
        parse_errors.add("QoS", f"volume {volume.number}", "is not among the volumes of 'show volume-qos'")
        return rows.UNKNOWN_QOS
    for mode, number in assigned[volume.number].items():
        limit = None if number is None or number not in table else table[number].limits[mode]
        if limit is None or not limit.is_whole:
            parse_errors.add(mode, f"volume {volume.number}", "names a category whose limits were not understood")
    return rows.qos_row(assigned[volume.number], table)
