"""Serves one vCenter: its SOAP and VI/JSON API, esxcli, PBM and the Automation API."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from pyVmomi import vim, vmodl

from auditor_lab.vcenter import host_agent
from auditor_lab.vcenter.context import Context, Operation, reachable_host
from auditor_lab.vcenter.esxcli import executer
from auditor_lab.vcenter.esxcli.commands import COMMANDS, check_arguments
from auditor_lab.vcenter.events import recording
from auditor_lab.vcenter.events.described import log_described
from auditor_lab.vcenter.events.manager import OPERATIONS as EVENT_OPERATIONS
from auditor_lab.vcenter.events.manager import event_objects
from auditor_lab.vcenter.fault_effects import faulty_call, faulty_command
from auditor_lab.vcenter.inventory.objects import Inventory
from auditor_lab.vcenter.operations import (
    authorization,
    datastores,
    extensions,
    host_profiles,
    host_systems,
    hosts,
    machines,
    relocations,
    storage,
    targets,
)
from auditor_lab.vcenter.pbm.endpoint import PbmEndpoint
from auditor_lab.vcenter.pbm.endpoint import is_for as is_for_pbm
from auditor_lab.vcenter.performance.manager import OPERATIONS as PERFORMANCE_OPERATIONS
from auditor_lab.vcenter.performance.manager import performance_objects
from auditor_lab.vcenter.properties import updates, views
from auditor_lab.vcenter.soap import envelope
from auditor_lab.vcenter.soap.privileges import ALL, ESXCLI_WRITE, needed_for_method, no_permission
from auditor_lab.vcenter.soap.sessions import Session, Sessions, cookie
from auditor_lab.vcenter.state.vcenter import VCenterState
from auditor_lab.vcenter.tasks import Tasks
from auditor_lab.vcenter.vapi.endpoint import VapiEndpoint
from auditor_lab.vcenter.vapi.endpoint import is_for as is_for_vapi
from auditor_lab.vcenter.vapi.endpoint import operation_of as vapi_operation_of
from auditor_lab.vcenter.vijson import hello
from auditor_lab.vcenter.vijson import requests as vijson
from auditor_lab.wire import Answer, Faults, Request, WireServer

if TYPE_CHECKING:
    import ssl

    from auditor_lab.vcenter.description.vcenter import VCenterDescription

_OPERATIONS: Mapping[str, Operation] = {
    **views.OPERATIONS,
    **updates.OPERATIONS,
    **hosts.OPERATIONS,
    **storage.OPERATIONS,
    **host_systems.OPERATIONS,
    **machines.OPERATIONS,
    **datastores.OPERATIONS,
    **targets.OPERATIONS,
    **PERFORMANCE_OPERATIONS,
    **EVENT_OPERATIONS,
    **authorization.OPERATIONS,
}
_WITHOUT_SESSION = frozenset({"RetrieveServiceContent", "Login"})
_XML = "text/xml; charset=utf-8"


class VCenterServer:
    """Serves a vCenter from its description; what clients write stays until `stop`.

    Attributes:
        state: the current state; change it under `state.lock` and call `state.changed()`.
        privileges: of the account; may be replaced while serving.
        faults: faults of the connection and of the vCenter.
        vapi: the vSphere Automation API, with its own sessions.
        pbm: the storage policy service.
        requests: the operations that arrived, in their order.
    """

    def __init__(
        self,
        description: VCenterDescription,
        tls_context: ssl.SSLContext,
        username: str,
        password: str,
        privileges: frozenset[str] = ALL,
        *,
        session_seconds: float = 1800.0,
        host: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        self.privileges = privileges
        self.state = VCenterState(description)
        self.state.role = lambda: authorization.role_of(self.privileges)
        self.inventory = Inventory(self.state)
        for managed in views.service_objects(self.state):
            self.inventory.add(managed)
        for managed in (
            *performance_objects(self.state),
            *event_objects(self.state),
            *authorization.authorization_objects(lambda: self.privileges),
            *extensions.extension_objects(self.state),
            *host_profiles.profile_objects(self.state),
        ):
            self.inventory.add(managed)
        recording.watch(self.state)
        self.sessions = Sessions(username, password, session_seconds)
        self.vapi = VapiEndpoint(self.state, Sessions(username, password, session_seconds), lambda: self.privileges)
        self.pbm = PbmEndpoint(self.state, self.sessions, lambda: self.privileges, lambda: self.vapi.stored.tags)
        self._tasks = Tasks(self.state, self.inventory, recording.task_started)
        log_described(self.state)
        relocations.start_described(self.state, self._tasks)
        self._version = envelope.wire_version(description.api_version)
        self._wire = WireServer(self._answer, _operation, tls_context, host=host, port=port)
        self.host = self._wire.host
        self.port = self._wire.port

    @property
    def faults(self) -> Faults:
        """The faults, which can be changed while serving."""
        return self._wire.faults

    @property
    def requests(self) -> list[str]:
        """The operations in the order they arrived; esxcli as its command, for example storage.core.device.list."""
        return self._wire.requests

    @property
    def most_in_flight(self) -> int:
        """The largest number of requests served at the same time."""
        return self._wire.most_in_flight

    def stop(self) -> None:
        """Stop serving."""
        self._wire.stop()

    def _answer(self, request: Request) -> Answer:
        if self.state.description.host_agent is not None and (refused := self._not_served(request)) is not None:
            return refused
        if request.path.startswith(vijson.ROOT):
            return self._answer_json(request)
        if hello.is_for(request):
            return hello.answer(request, self.state.description.api_version)
        if is_for_vapi(request.path):
            return self.vapi.answer(request)
        if is_for_pbm(request.path):
            return self.pbm.answer(request)
        if request.method == "GET":
            return self._versions() if request.path.endswith("/vimServiceVersions.xml") else Answer(b"", "text/plain", 404)
        name = envelope.operation_of(request.body)
        context = self._context(request, lambda: self.sessions.of(request.headers))
        try:
            body = self._answer_or_wait(lambda: self._call(context, name, request.body), nothing=envelope.raw_answer(name, ""))
        except envelope.NotSoapError as error:
            return Answer(envelope.plain_fault(str(error)), _XML, 500)
        except vmodl.MethodFault as error:
            return Answer(envelope.fault(error, self._version), _XML, 500)
        headers = (cookie(context.opened),) if context.opened else ()
        return Answer(body, _XML, 200, headers)

    def _not_served(self, request: Request) -> Answer | None:
        """The answer of a host whose agent does not run, as while it boots, or to what only a vCenter serves; None for all else."""
        with self.state.lock:
            self.state.settle()
            [host] = self.state.hosts.values()
            if not host.reachable:
                self.sessions.expire()
                return Answer(b"503 Service Unavailable", "text/plain", 503)
        is_soap = request.path.startswith("/sdk") and not (request.path.startswith(vijson.ROOT) or is_for_pbm(request.path))
        return None if is_soap else Answer(b"", "text/plain", 404)

    def _answer_json(self, request: Request) -> Answer:
        wanted = vijson.route(request, self.state.description.api_version)
        if wanted is None:
            return Answer(b"", vijson.CONTENT_TYPE, 404)
        context = self._context(request, lambda: self.sessions.named(request.headers.get(vijson.SESSION_HEADER, "")))
        try:
            call = vijson.call(wanted, request.body)
            body = self._answer_or_wait(lambda: vijson.body(self._result(context, call), call.method.result, wanted.version), nothing=b"")
        except vmodl.MethodFault as error:
            return Answer(vijson.fault_body(error, wanted.version), vijson.CONTENT_TYPE, 500)
        headers = ((vijson.SESSION_HEADER, context.opened.key),) if context.opened else ()
        return Answer(body, vijson.CONTENT_TYPE, 200 if body else 204, headers)

    def _answer_or_wait(self, answer: Callable[[], bytes], *, nothing: bytes) -> bytes:
        """Answer; a wait for updates releases the lock between two checks, and answers `nothing` when its time is over."""
        began = time.monotonic()
        while True:
            try:
                with self.state.lock:
                    self.state.settle()
                    return answer()
            except updates.NothingNewError as wait:
                if time.monotonic() - began >= wait.seconds or self._wire.stopping.is_set():
                    return nothing
                self._wire.stopping.wait(0.02)

    def _context(self, request: Request, find_session: Callable[[], Session | None]) -> Context:
        with self.state.lock:
            if request.fault("session"):
                self.sessions.expire()
            session = find_session()
        privileges = self.privileges - {fault.privilege for fault in request.faults if fault.kind == "permission"}
        return Context(self.state, self.inventory, self.sessions, self._tasks, privileges, session, faults=request.faults)

    def _call(self, context: Context, name: str, body: bytes) -> bytes:
        if name == "ExecuteSoap":
            return self._execute(context, executer.parse_execution(body))
        call = envelope.parse(body)
        if name.startswith("Retrieve") and name.endswith(("MethodExecuter", "TypeManager")):
            _demand_session(context, name, call.this)
            self._permit(context, call.method, call.this)
            host = reachable_host(context, call.this._GetMoId(), this=call.this)  # noqa: SLF001  pyVmomi's accessor
            return executer.executer_answer(name, host.moid)
        context.written = envelope.Written(self._version)
        return envelope.answer(call.method, self._result(context, call), self._version, context.written)

    def _result(self, context: Context, call: envelope.Call) -> Any:
        """The result of a method, whatever the wire format of the request and the answer."""
        name = call.method.name
        _demand_session(context, name, call.this)
        operation = _OPERATIONS.get(name)
        if operation is None:
            raise vmodl.fault.MethodNotFound(receiver=call.this, method=name, msg=f"The lab's vCenter does not know {name}.")
        self.inventory.find(call.this)
        host_agent.check_method(self.state.description, name)
        self._permit(context, call.method, call.this)
        with faulty_call(context, call.this, call.arguments) as arguments:
            return recording.recorded(context, name, call.this, arguments, operation)

    def _permit(self, context: Context, method: envelope.Method, this: Any) -> None:
        needed = needed_for_method(method)
        if needed not in context.privileges:
            raise no_permission(this, needed)

    def _execute(self, context: Context, execution: executer.Execution) -> bytes:
        host = vim.HostSystem(execution.host_id)
        _demand_session(context, "ExecuteSoap", host)
        self._permit(context, envelope.Method("ExecuteSoap", (), object, None), host)
        state = reachable_host(context, execution.host_id, this=host)
        if execution.method == "vim.CLIInfo.FetchCLIInfo":
            return _command_info(execution)
        command = COMMANDS.get(execution.method.removeprefix("vim.EsxCLI."))
        if command is None or execution.moid != _handler_of(execution.method):
            return executer.not_found()
        if command.writes and ESXCLI_WRITE not in context.privileges:
            raise no_permission(host, ESXCLI_WRITE)
        if command.writes:
            host_agent.check_licence(self.state.description)
        try:
            check_arguments(command, execution.arguments)
            with faulty_command(context, state, execution.arguments) as (target, arguments):
                return executer.execution_answer(execution.method, command.run(self.state, target, arguments))
        except executer.CommandFault as error:
            return executer.execution_fault(str(error))

    def _versions(self) -> Answer:
        version = self.state.description.api_version
        body = (
            '<?xml version="1.0" encoding="UTF-8" ?>\n<namespaces version="1.0"><namespace><name>urn:vim25</name>'
            f"<version>{version}</version><priorVersions><version>6.7</version><version>6.5</version></priorVersions></namespace></namespaces>"
        )
        return Answer(body.encode(), _XML)


def _demand_session(context: Context, name: str, this: Any) -> None:
    """Refuse a request without a session, except for the methods before Login."""
    if context.session is None and name not in _WITHOUT_SESSION:
        raise vim.fault.NotAuthenticated(object=this, privilegeId="System.View", msg="The session is not authenticated.")


def _operation(request: Request) -> str:
    """The operation of a request; esxcli commands have their own names, so that faults can select one."""
    if request.path.startswith(vijson.ROOT):
        return vijson.operation_of(request.path)
    if hello.is_for(request):
        return hello.OPERATION
    if is_for_vapi(request.path):
        return vapi_operation_of(request)
    if request.method == "GET":
        return request.path.rpartition("/")[2]
    name = envelope.operation_of(request.body)
    if name != "ExecuteSoap":
        return name
    try:
        return executer.parse_execution(request.body).method.removeprefix("vim.EsxCLI.")
    except envelope.NotSoapError:
        return name


def _handler_of(method: str) -> str:
    """The object that a command belongs to, for example ha-cli-handler-storage-core-device."""
    return "-".join(["ha-cli-handler", *method.removeprefix("vim.EsxCLI.").split(".")[:-1]])


def _command_info(execution: executer.Execution) -> bytes:
    """The answer of FetchCLIInfo about the commands of one namespace."""
    space = execution.arguments.get("typeName", [""])[0].removeprefix("vim.EsxCLI.")
    methods = []
    for name, command in COMMANDS.items():
        if name.rpartition(".")[0] != space:
            continue
        parameters = "".join(
            f"<param><name>{one.name}</name><displayName>{one.name}</displayName><help></help>"
            + "".join(f"<aliases>{escape(alias)}</aliases>" for alias in one.aliases)
            + f"<flag>{str(one.flag).lower()}</flag></param>"
            for one in command.parameters
        )
        short = name.rpartition(".")[2]
        methods.append(f"<method><name>{short}</name><displayName>{short}</displayName><help></help>{parameters}</method>")
    if not methods:
        return executer.not_found()
    text = f"<name>{escape(space)}</name><displayName>{escape(space)}</displayName><help></help>{''.join(methods)}"
    return executer.execution_answer(execution.method, executer.Raw("VimCLIInfo", text))
