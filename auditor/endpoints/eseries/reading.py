"""One pass over the storage systems behind SANtricity Web Services; later topics build on what earlier ones saw."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.records import ParseErrors, Record, once, records
from auditor.endpoints.eseries.enumerations import NO_LOGIN, NOT_REACHED
from auditor.errors import CredentialsError, EndpointError, EndpointUnreachableError
from auditor.model import Gap

if TYPE_CHECKING:
    from auditor.endpoints.eseries.client import WebServices
    from auditor.facts.schema import Batch
    from auditor.model import Endpoint

NULL_REF = "0" * 40
"""What a reference to nothing looks like. Source: openstack/cinder, eseries/utils.py, NULL_REF."""


@dataclass(slots=True)
class System:
    """One storage system that can be asked, and what was read of it so far.

    Attributes:
        id: as it is in addresses: "1" where the Web Services are embedded, any word on a proxy.
        about: what the Web Services report of it.
        volume_ids: of what the volumes were read for; None: not all of them.
        snapshot_ids: those of them that show a snapshot.
        host_groups: ids of hosts by their group's own reference; None: not all of them.
        host_ids: None: not all of them.
        lists: what was asked already, by its name.
    """

    id: str
    about: Record
    volume_ids: set[str] | None = None
    snapshot_ids: set[str] = field(default_factory=set)
    host_groups: dict[str, list[str]] | None = None
    host_ids: set[str] | None = None
    lists: dict[str, list[Any]] = field(default_factory=dict)

    def key(self, reference: str) -> str:
        """The id of one of its objects within the endpoint: two systems give their controllers the same references."""
        return f"{self.id}/{reference.lower()}"


Reader = Callable[["Reading", System], Iterator["Batch | Gap"]]


@dataclass(slots=True)
class Reading:
    """One pass over one endpoint."""

    services: WebServices
    endpoint: Endpoint
    _systems: list[System] | None = None
    _away: list[Gap] = field(default_factory=list)

    def each(self, topic: str, read: Reader) -> Iterator[Batch | Gap]:
        """What `read` yields of every system; one that cannot be asked, or refuses, is a gap in the topic.

        Raises:
            CredentialsError, EndpointUnreachableError: the next system would meet it too.
        """
        systems = self.reached()
        for gap in self._away:
            yield Gap(gap.endpoint, f"{topic} of {gap.what}", gap.why)
        for system in systems:
            try:
                yield from read(self, system)
            except (CredentialsError, EndpointUnreachableError):
                raise
            except EndpointError as error:
                yield Gap(self.endpoint.name, f"{topic} of storage system {system.id}", error.what)

    def reached(self) -> list[System]:
        """The systems that can be asked; asked for once.

        Source: openstack/cinder, eseries/library.py, _check_storage_system: `passwordStatus` and `status`, "nevercontacted"; the states are
        those of NetApp/santricity-webapi-javasdk, StorageSystemResponse. What a proxy reports of an array that it does not reach is old.
        """
        if self._systems is not None:
            return self._systems
        parse_errors = ParseErrors("storage-systems")
        there: list[System] = []
        away: list[Gap] = []
        listed = once(records({"": self.services.systems()}, "", "storage system", "id", parse_errors), "id", set(), parse_errors)
        for about in listed:
            status, login = about.optional_text("status"), about.optional_text("passwordStatus")
            if status in NOT_REACHED or login in NO_LOGIN:
                why = f"its Web Services do not reach it (status {status}, passwordStatus {login})"
                away.append(Gap(self.endpoint.name, about.label, why))
                continue
            there.append(System(str(about.value["id"]), Record(about.value, about.label, ParseErrors("storage-systems"))))
        away += parse_errors.gaps(self.endpoint.name)
        if not there and not away:
            away.append(Gap(self.endpoint.name, "every storage system", "these Web Services speak for none"))
        self._systems, self._away = there, away
        return there

    def listed(self, system: System, what: str, key: str, parse_errors: ParseErrors) -> Iterator[Record]:
        """The records of a list of one system, each with an id of its own, labelled by their names; asked for once.

        Raises:
            EndpointError: as `WebServices.listed`.
        """
        return once(self.listed_all(system, what, key, parse_errors), key, set(), parse_errors)

    def listed_all(self, system: System, what: str, key: str, parse_errors: ParseErrors) -> Iterator[Record]:
        """As `listed`, of a list whose records have no id of their own.

        Raises:
            EndpointError: as `WebServices.listed`.
        """
        if what not in system.lists:
            system.lists[what] = self.services.listed(system.id, what)
        return records({what: system.lists[what]}, what, what.removesuffix("s"), key, parse_errors, labelled="name")
