"""One pass over a Storage Manager: which Storage Centers there are, how each is asked, and what later topics know of earlier ones."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.records import ParseErrors, Record, once, records
from auditor.endpoints.dell_sc.answers import Attributes, version
from auditor.endpoints.dell_sc.rows import FIRST_RELEASE_WITH_QOS
from auditor.errors import CredentialsError, EndpointError, EndpointUnreachableError, NotThereError
from auditor.model import Gap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from auditor.endpoints.dell_sc.client import StorageManager
    from auditor.endpoints.dell_sc.qos import Limits
    from auditor.facts.schema import Batch
    from auditor.model import Endpoint


@dataclass(slots=True)
class Center:
    """One Storage Center, and what earlier topics saw of it.

    Attributes:
        serial: every instanceId on it begins with this.
        about: its StorageCenter object.
        has_qos: whether its release has QoS profiles; taken for granted where the release is not reported.
        controllers: its controllers as answered; None when they were not asked for.
        volume_ids: of all its volumes; None when they were not read.
        members: the servers of each server cluster; None when they were not all understood.
    """

    serial: int
    about: Record
    has_qos: bool
    controllers: list[Any] | None = None
    volume_ids: list[str] | None = None
    members: dict[str, list[str]] | None = None


@dataclass(slots=True)
class Reading:
    """Asks, and remembers.

    Attributes:
        profiles: what every QoS profile limits, by its id.
    """

    manager: StorageManager
    endpoint: Endpoint
    profiles: dict[str, Limits] = field(default_factory=dict)
    _seen: dict[str, set[str]] = field(default_factory=dict)  # ids by class, over all Storage Centers
    _centers: list[Center] | None = None
    _away: list[tuple[str, str]] = field(default_factory=list)  # what is not read of any topic, and why

    def each(self, topic: str, read: Callable[[Reading, Center], Iterator[Batch | Gap]]) -> Iterator[Batch | Gap]:
        """What `read` yields of every Storage Center; one that refuses does not keep the others from being read."""
        centers = self.reached()
        for what, why in self._away:
            yield Gap(self.endpoint.name, f"{topic} of {what}", why)
        for center in centers:
            try:
                yield from read(self, center)
            except (CredentialsError, EndpointUnreachableError):
                raise
            except EndpointError as error:
                yield Gap(self.endpoint.name, f"{topic} of Storage Center {center.serial}", error.what)

    def reached(self) -> list[Center]:
        """The Storage Centers that can be asked.

        Source: cinder's and CoprHD's clients, GET StorageCenter/StorageCenter; `connected` is recorded, and cinder filters by it. What a
        manager reports one that it does not reach may be old, and is not asked for.
        """
        if self._centers is not None:
            return self._centers
        parse_errors = ParseErrors("StorageCenter")
        there = []
        away = []
        for one in self.once("StorageCenter", self.manager.storage_centers(), parse_errors):
            serial = one.number("scSerialNumber")
            if serial is None:
                continue
            if one.value.get("connected") is False:
                reason = one.value.get("connectionError") or "it does not say why"
                away.append((f"Storage Center {serial}", f"its Storage Manager does not reach it: {reason}"))
                continue
            release = version(one.value.get("version"))
            has_qos = release is None or release[0] >= FIRST_RELEASE_WITH_QOS
            there.append(Center(serial, Record(one.value, one.label, ParseErrors("StorageCenter")), has_qos))
        away += [(gap.what, gap.why) for gap in parse_errors.gaps(self.endpoint.name)]
        if not there and not away:
            away.append(("every Storage Center", "this account sees none on this Storage Manager"))
        self._centers, self._away = there, away
        return there

    def objects(self, kind: str, center: Center, parse_errors: ParseErrors) -> Iterator[Record]:
        """Every object of a class."""
        return self.once(kind, self.manager.objects(kind, center.serial), parse_errors)

    def once(self, kind: str, listed: list[Any], parse_errors: ParseErrors) -> Iterator[Record]:
        """The records of a list whose id was not seen yet in their class."""
        answer: Mapping[str, Any] = {kind: [Attributes(one) if isinstance(one, dict) else one for one in listed]}
        return once(records(answer, kind, kind, "instanceId", parse_errors), "instanceId", self._seen.setdefault(kind, set()), parse_errors)

    def one_by_one(self, ids: list[str], ask: Callable[[str], Any]) -> Iterator[tuple[str, Any]]:
        """What `ask` answers for each id, or the error it met; as many at once as the endpoint's limits allow.

        Raises:
            EndpointUnreachableError, CredentialsError: the others would meet it too, and are not asked any more.
        """

        def one(wanted: str) -> tuple[str, Any]:
            try:
                return wanted, ask(wanted)
            except (EndpointUnreachableError, CredentialsError):
                raise
            except EndpointError as error:
                return wanted, error

        if ids:
            with ThreadPoolExecutor(min(len(ids), self.endpoint.limits.concurrency), thread_name_prefix="volume") as pool:
                yield from pool.map(one, ids)


def unless_unknown(ask: Callable[[], list[Any]]) -> list[Any]:
    """A list; an empty one where the manager says that it cannot be asked so, and objects have to be requested one by one.

    Raises:
        EndpointError: there was no answer, no permission or no sense in it.
    """
    try:
        return ask()
    except EndpointError as error:
        if type(error) in (EndpointError, NotThereError):  # whichever status a real manager gives
            return []
        raise
