"""Sessions with NetApp ONTAP clusters: REST over HTTPS, credentials with each request.

Not verified against a real system: everything here follows the vendor's reference and its Python client, netapp-ontap 9.19.1.
"""

from __future__ import annotations

from contextlib import closing, contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.https import HttpsSession
from auditor.endpoints.common.secrets import password_of
from auditor.endpoints.ontap.platform import FIRST_WITH_FLAGS, platform_of
from auditor.endpoints.ontap.wire import BASE, OntapWire
from auditor.errors import (
    CredentialsError,
    EndpointError,
    MalformedAnswerError,
    NotThereError,
    PermissionMissingError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.endpoints.ontap.platform import Platform
    from auditor.model import Endpoint

OLDEST_RELEASE = (9, 8)  # the first with volume efficiency policies; REST reference, "Introduced In: 9.8"
NEWEST_RELEASE = (9, 19)  # the last whose reference we know: netapp-ontap 9.19.1


class LacksByDesignError(NotThereError):
    """The cluster refused what its platform lacks by design."""


class OntapCluster(OntapWire):
    """One cluster, asked through its REST interface. Made by `open_ontap`; safe to use from several threads.

    Attributes:
        version: (generation, major, minor), for example (9, 14, 1).
    """

    def __init__(self, endpoint: Endpoint, session: HttpsSession) -> None:
        super().__init__(endpoint, session)
        self._about: dict[str, Any] | None = None
        self._platform: Platform | None = None
        self._platform_asked = False
        self.version = self._version()
        self.release = "ONTAP {}.{}.{}".format(*self.version)
        if self.version[:2] > NEWEST_RELEASE:
            known = "newer than {}.{}, the newest known here".format(*NEWEST_RELEASE)
            self.release = f"{self.release} ({known})"
            self.add_note(f"{endpoint.name}: {self.release}: what it reports in another way than before is missing, or a gap.")

    def about(self, *, again: bool = False) -> dict[str, Any]:
        """Name, UUID and version of the cluster, asked once, or anew with `again`.

        Raises:
            EndpointError: as `get`.
        """
        if self._about is None or again:
            self._about = self._asked_about()
        return self._about

    def _asked_about(self) -> dict[str, Any]:
        fields = "name,uuid,version"
        if self.version[:2] < FIRST_WITH_FLAGS:
            return self.get("cluster", fields=fields)
        try:
            return self.get("cluster", fields=f"{fields},disaggregated,san_optimized")
        except EndpointError as error:
            if not _is_refused(error):
                raise
            return self.get("cluster", fields=fields)

    def platform(self) -> Platform | None:
        """The platform, where it is one that lacks things by design; asked once. None also where it could not be asked.

        Raises:
            CredentialsError: the account is not accepted any more.
        """
        if not self._platform_asked:
            try:
                about, nodes = self.about(), self.get("cluster/nodes", fields="model").get("records")
            except CredentialsError:
                raise
            except EndpointError:
                return None
            listed = nodes if isinstance(nodes, list) else []
            self._platform = platform_of(about, [str(node.get("model")) for node in listed if isinstance(node, dict)])
            self._platform_asked = True
            if self._platform is not None:
                self.add_note(f"{self.endpoint.name} is {self._platform.name}: {self._platform.says}.")
        return self._platform

    def identity(self, *, again: bool = False) -> str | None:
        """The cluster's UUID; None when it reports none.

        Raises:
            EndpointError: as `get`.

        Source: REST reference, GET /cluster: uuid.
        """
        uuid = self.about(again=again).get("uuid")
        self.known_identity = uuid if isinstance(uuid, str) and uuid else None
        return self.known_identity

    def pages(self, path: str, **params: str) -> Iterator[dict[str, Any]]:
        """The answers of a collection to its end. A page may be short or empty and still have a next one.

        An empty page without a next one is asked for once more, with more patience: a cluster that found nothing in time answers so, too.

        Raises:
            LacksByDesignError: it was refused, and the platform is one that lacks it.
            MalformedAnswerError: the pages lead nowhere, or one holds fewer records than it says, or the last one is empty because the
                cluster had no more time; what came before was yielded.
            EndpointError: as `get`.

        Source: "Getting started with the ONTAP REST API": num_records, _links.next, return_timeout.
        """
        try:
            yield from self._pages(path, params)
        except EndpointError as error:
            platform = self.platform() if _is_refused(error) else None
            named = f"{path}?class={params['class']}" if "class" in params else path
            if platform is None or not platform.is_without(named):
                raise
            raise LacksByDesignError(error.what, why=f"it is {platform.name}: {platform.says}.", do="leave it as it is.") from None

    def clock(self) -> datetime | None:
        """What the clock of the first node that reports one says, in UTC; None when none does.

        Raises:
            EndpointError: as `get`.

        Source: netapp-ontap, Node.date: "The current or wall clock time of the node in ISO-8601".
        """
        nodes = self.get("cluster/nodes", fields="date").get("records")
        for node in nodes if isinstance(nodes, list) else ():
            try:
                moment = datetime.fromisoformat(node["date"])
            except (KeyError, TypeError, ValueError):
                continue
            if moment.tzinfo is not None:
                return moment.astimezone(UTC)
        return None

    def role(self) -> str | None:
        """The account's role or roles, joined by ", "; None when the release does not report.

        Raises:
            EndpointError: as `get`.

        Source: netapp-ontap, Whoami (GET security/login/whoami).
        """
        try:
            roles = self.get("security/login/whoami").get("roles")
        except (NotThereError, PermissionMissingError):
            return None
        names = [name for name in roles if isinstance(name, str)] if isinstance(roles, list) else []
        return ", ".join(names) or None

    def _version(self) -> tuple[int, int, int]:
        version_fields = self.get("cluster", fields="version").get("version")
        parts = [version_fields.get(name) for name in ("generation", "major", "minor")] if isinstance(version_fields, dict) else []
        numbers = [int(text) for text in map(str, parts) if text.isascii() and text.isdecimal()]
        if len(numbers) != 3:
            raise MalformedAnswerError(
                f"endpoint {self.endpoint.name}: it does not report its version",
                why="nothing on it was read.",
                do="check that an ONTAP cluster's management address stands in fleet.yaml.",
            )
        version = (numbers[0], numbers[1], numbers[2])
        if version[:2] < OLDEST_RELEASE or version[0] > NEWEST_RELEASE[0]:
            oldest, newest = "{}.{}".format(*OLDEST_RELEASE), f"{NEWEST_RELEASE[0]}.x"
            raise NotThereError(
                f"endpoint {self.endpoint.name}: it is ONTAP {'.'.join(map(str, version))}; {oldest} to {newest} are supported",
                why="nothing on it was read.",
                do="leave it out of fleet.yaml, or upgrade the cluster, or auditor.",
            )
        return version


def _is_refused(error: EndpointError) -> bool:
    """Whether the cluster refused to read something in words, as what it does not have, or will not show."""
    return isinstance(error, (NotThereError, PermissionMissingError)) or type(error) is EndpointError


@contextmanager
def open_ontap(endpoint: Endpoint) -> Iterator[OntapCluster]:
    """A session with an ONTAP cluster; every connection is closed at the end.

    There is no login: credentials go with each request, and the first one (GET cluster) shows whether they are good.

    Raises:
        CredentialsError: the password cannot be looked up, or is refused.
        EndpointUnreachableError: no connection, no answer in time, or a certificate that does not verify.
        MalformedAnswerError, NotThereError: something answers, but not an ONTAP cluster we can talk to.
        ConfigurationError: the endpoint's CA file cannot be read.
    """
    import httpx

    with closing(HttpsSession(endpoint, BASE, httpx.BasicAuth(endpoint.username, password_of(endpoint)))) as session:
        yield OntapCluster(endpoint, session)
