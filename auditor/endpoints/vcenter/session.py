"""Sessions with a vCenter: log in, ask, log out; whatever goes wrong becomes an `EndpointError`.

pyVmomi is imported inside the functions, so that importing this module costs nothing.
"""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from auditor.endpoints.common.sessions import SessionBase
from auditor.endpoints.common.tls import tls_context
from auditor.endpoints.vcenter.enumerations import HOST_AGENT
from auditor.endpoints.vcenter.translation import translated
from auditor.endpoints.vcenter.wire import VCenterWire
from auditor.errors import AuditorError, EndpointUnreachableError, MalformedAnswerError
from auditor.model import OpenSession

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from auditor.endpoints.vcenter.bulk.reading import ObjectProperties
    from auditor.endpoints.vcenter.bulk.transports import BulkReader
    from auditor.endpoints.vcenter.esxcli import EsxCli
    from auditor.endpoints.vcenter.stub import Stub
    from auditor.model import Endpoint

KEEPALIVE_SECONDS = 300.0
"""Between two signs of life. vCenter ends a session that was idle for 30 minutes. Source: vCenter's default session timeout."""

LONGEST_POLL_SECONDS = 2.0


class VCenter(SessionBase):
    """One session with one vCenter, shared by its threads; made by `open_vcenter`.

    Attributes:
        endpoint: as fleet.yaml has it.
        content: the ServiceInstanceContent of the session.
        about: its AboutInfo: product, build, API version.
    """

    def __init__(self, endpoint: Endpoint, stub: Stub, content: Any) -> None:
        super().__init__(endpoint)
        self.stub = stub
        self.content = content
        self.about = content.about
        self.release = str(content.about.fullName)
        self.known_identity = _instance_uuid(content)
        self.counters: Mapping[str, int] | None = None  # what performance.counter_keys answers, once it was asked
        self._clis: dict[str, EsxCli] = {}
        self._lock = threading.Lock()
        self._bulk: BulkReader | None = None

    @property
    def bulk(self) -> BulkReader:
        """Reads many objects, fast."""
        from auditor.endpoints.vcenter.bulk.transports import BulkReader

        with self._lock:
            if self._bulk is None:
                self._bulk = BulkReader(self.stub, self.content)
            return self._bulk

    @property
    def notes(self) -> tuple[str, ...]:
        """What every reader of a report must know: which transports failed, then all the rest."""
        return (*self.bulk.notes, *super().notes)

    @property
    def transport(self) -> str:
        """The transport of bulk reads that is in use."""
        return self.bulk.transport.value

    def identity(self, *, again: bool = False) -> str | None:
        """The instanceUuid; None when it reports none.

        Raises:
            EndpointError: as for every call.
        """
        if again:
            from pyVmomi import vim

            with translated(self.endpoint, "asking which vCenter it is"):
                content = vim.ServiceInstance("ServiceInstance", self.stub).RetrieveContent()
            self.known_identity = _instance_uuid(content)
        return self.known_identity

    def close(self) -> None:
        """End what was opened besides the session itself."""
        if self._bulk is not None:
            self._bulk.close()

    def read(self, kind: Any, paths: Sequence[str], refs: Sequence[Any] | None = None, page: int = 20) -> Iterator[ObjectProperties]:
        """Yield the properties `paths` of every object of `kind`, or of `refs`, `page` objects a request, as pyVmomi's objects.

        For a few objects; `bulk` reads fleets. Ask for leaf paths, never for a whole `config`. A property that could not be read is
        named in `ObjectProperties.missing`; a property that is simply unset is in neither place.

        Raises:
            EndpointError: a page as a whole could not be read.
        """
        from auditor.endpoints.vcenter.read import read_objects

        return read_objects(self.stub, self.content, kind, paths, refs, page)

    def value(self, kind: Any, moid: str, path: str) -> Any:
        """One property of one object, now; None when it is unset.

        Raises:
            NotThereError: there is no such object or property.
            PermissionMissingError: the account may not read it.
            EndpointError: as for every call.
        """
        from auditor.endpoints.vcenter.read import one_value

        return one_value(self.stub, self.content, kind, moid, path)

    def object(self, kind: Any, moid: str) -> Any:
        """The managed object of that id; whether it exists shows when it is used."""
        return kind(moid, self.stub)

    def esxcli(self, host_id: str) -> EsxCli:
        """Give esxcli of one host, without SSH; the host is first asked when a command is run."""
        from auditor.endpoints.vcenter.esxcli import EsxCli

        with self._lock:
            if host_id not in self._clis:
                self._clis[host_id] = EsxCli(self.endpoint, self.stub, host_id)
            return self._clis[host_id]

    def wait(self, task: Any, timeout_seconds: float) -> Any:
        """The result of `task` (often None), once it has ended.

        Raises:
            RefusedError, PermissionMissingError, NotThereError: it ended with that error.
            EndpointUnreachableError: it had not ended in time; what it will do is not known.
        """
        from pyVmomi import vim, vmodl

        from auditor.endpoints.vcenter.faults import error_for

        deadline = time.monotonic() + timeout_seconds
        pause = 0.05
        doing = f"waiting for {moid(task)}"
        while True:
            facts = next(iter(self.read(vim.Task, ("info.state", "info.error", "info.result"), [task])), None)
            if facts is None or "info.state" not in facts.values:
                raise self._outcome_unknown(f"{doing}: vCenter no longer reports its state")
            state = facts.values["info.state"]
            if state == vim.TaskInfo.State.success:
                return facts.values.get("info.result")
            if state == vim.TaskInfo.State.error:
                raise error_for(facts.values.get("info.error") or vmodl.MethodFault(), self.endpoint, doing)
            if time.monotonic() + pause > deadline:
                raise self._outcome_unknown(f"{doing}: still {state} after {timeout_seconds:g} s")
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_POLL_SECONDS)

    def _outcome_unknown(self, what: str) -> EndpointUnreachableError:
        return EndpointUnreachableError(
            f"endpoint {self.endpoint.name}: {what}",
            why="what it will do, or has done, is not known.",
            do="look at the recent tasks of this vCenter, then read the setting again.",
        )


def _instance_uuid(content: Any) -> str | None:
    """The identity in a service content; None where there is none.

    Source: vSphere Web Services API, AboutInfo.instanceUuid: "A globally unique identifier associated with this service instance."
    """
    return content.about.instanceUuid or None if content is not None and content.about is not None else None


def moid(reference: Any) -> str:
    """The id of a managed object, for example host-12."""
    return str(reference._moId)  # noqa: SLF001  pyVmomi offers no other name for it


S = TypeVar("S", bound=VCenter)


@contextmanager
def open_vcenter(endpoint: Endpoint) -> Iterator[VCenter]:
    """A session with `endpoint`: logged in, kept alive, and logged out whatever happens inside.

    Raises:
        EndpointUnreachableError: no connection, no answer in time, or a certificate that does not verify.
        CredentialsError: the password cannot be looked up, or vCenter refuses it.
        MalformedAnswerError: something answers that is not a vCenter.
    """
    with opened(endpoint, VCenter, _check_vcenter) as vcenter:
        yield vcenter


def _check_vcenter(endpoint: Endpoint, about: Any) -> None:
    if about.apiType == HOST_AGENT:
        raise MalformedAnswerError(
            f"endpoint {endpoint.name}: {endpoint.address} is a single host ({about.fullName}), and no vCenter",
            why="nothing on it was read: a host has no clusters, and other things that a vCenter has.",
            do=f"write `kind: esxi` for {endpoint.name} in fleet.yaml; or, where a vCenter manages the host, give the address of that one.",
        )


@contextmanager
def opened(endpoint: Endpoint, kind: Callable[[Endpoint, Stub, Any], S], check: Callable[[Endpoint, Any], None]) -> Iterator[S]:
    """A session of class `kind`, as `open_vcenter`; `check` gets the AboutInfo before anything is logged in to.

    Raises:
        EndpointError: as `open_vcenter`; or what `check` raises.
    """
    from pyVmomi import vim

    from auditor.endpoints.vcenter.login import login_of
    from auditor.endpoints.vcenter.stub import Stub

    wire = VCenterWire(endpoint, tls_context(endpoint))
    stub = Stub(endpoint, wire)
    content = None
    try:
        with translated(endpoint, "logging in"):
            content = vim.ServiceInstance("ServiceInstance", stub).RetrieveContent()
            if content is None or content.about is None or content.sessionManager is None:
                raise MalformedAnswerError(
                    f"endpoint {endpoint.name}: its service content is empty",
                    why="nothing on it was read.",
                    do=f"check that {endpoint.address}:{endpoint.port} is a vCenter.",
                )
            check(endpoint, content.about)
            stub.speak(content.about.apiVersion)
            stub.logs_in_with(login_of(endpoint, stub, content))
        with _kept_alive(stub):
            vcenter = kind(endpoint, stub, content)
            try:
                yield vcenter
            finally:
                vcenter.close()
    finally:
        if stub.logged_in and not isinstance(endpoint.login, OpenSession):  # one that somebody else has opened stays open
            _log_out(content)
        wire.close()


@contextmanager
def _kept_alive(stub: Stub) -> Iterator[None]:
    from pyVmomi import vim, vmodl

    ended = threading.Event()

    def beat() -> None:
        while not ended.wait(KEEPALIVE_SECONDS):
            # A beat that fails is no news: the next real request says so, with its name.
            with suppress(vmodl.MethodFault, AuditorError):
                vim.ServiceInstance("ServiceInstance", stub).CurrentTime()

    thread = threading.Thread(target=beat, name=f"keepalive {stub.endpoint.name}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(stub.endpoint.limits.timeout_seconds)


def _log_out(content: Any) -> None:
    from pyVmomi import vmodl

    # Nothing is lost if this fails: vCenter ends an idle session by itself.
    with suppress(vmodl.MethodFault, AuditorError):
        content.sessionManager.Logout()
