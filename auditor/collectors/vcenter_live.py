"""What only the host itself tells: advanced options, kernel modules, and esxcli."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor.collectors.vcenter_esxcli import Records, lockmodes, module_parameters, offload, scheduling
from auditor.collectors.vcenter_rows import Facts, HostSeen, Rows, gap, readings
from auditor.errors import EndpointError, EndpointUnreachableError, NotThereError
from auditor.model import Gap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from auditor.clients.vcenter import VCenter
    from auditor.collectors.vcenter_rows import Circuit
    from auditor.model import Endpoint

LIVE_TOPICS = ("options", "modules", "device_scheduling", "device_offload", "lockmode")

HIDDEN_OPTIONS = ("DataMover.MaxHWTransferSize",)
"""Options no listing shows; they answer to their exact name. Source: facts.md 3.7, absent from the listings of 42 builds."""

SOFTWARE_ISCSI_MODULE = "iscsi_vmk"

PATIENCE = 2
"""Questions in a row that a host may leave unanswered, each for the whole timeout, before the others are not put."""

_VALUE_TYPES = {"bool": "boolean", "str": "string"}  # Python's names of wire types that differ; long and int are the same


class _Host:
    """One host being asked; collects what it says, and what it does not."""

    def __init__(self, vcenter: VCenter, endpoint: Endpoint, host: HostSeen, circuit: Circuit) -> None:
        self.vcenter = vcenter
        self.endpoint = endpoint
        self.host = host
        self.found: list[Facts] = []
        self.complete: dict[str, bool] = {}
        self._circuit = circuit
        self._unanswered = 0
        self._lost: EndpointError | None = None

    def ask(self, topic: str, what: str, question: Callable[[], Iterator[Facts]]) -> bool:
        """Put one question, unless the host has been silent for too long. Returns whether there was an answer."""
        self.complete.setdefault(topic, True)
        lost = self._lost or self._circuit.opened_by
        if lost is not None:
            self.missing(topic, what, lost)
            return False
        try:
            answer = list(question())
        except EndpointError as error:
            self._circuit.failed(error)
            if isinstance(error, EndpointUnreachableError):
                self._unanswered += 1
                if self._unanswered == PATIENCE:
                    self._lost = error
            self.missing(topic, what, error)
            return False
        self._circuit.answered()
        self._unanswered = 0
        self.found += answer
        if any(isinstance(item, Gap) for item in answer):
            self.complete[topic] = False
        return True

    def missing(self, topic: str, what: str, why: EndpointError | str) -> None:
        """Note a hole in `topic`."""
        self.complete[topic] = False
        self.found.append(gap(self.endpoint, f"{what} of {self.host.name}", why))

    def esxcli(self, topic: str, command: str, understood: Callable[[Records], Iterator[Facts]], **arguments: str) -> None:
        """Put one question to esxcli."""

        def question() -> Iterator[Facts]:
            rows = self.vcenter.esxcli(self.host.id).run(command, **arguments)
            records = Records(rows)
            yield from understood(records)
            if records.holes:
                yield gap(self.endpoint, f"esxcli {command} on {self.host.name}", records.told())

        self.ask(topic, f"esxcli {command}", question)


def read_live(vcenter: VCenter, endpoint: Endpoint, host: HostSeen, drivers: frozenset[str] | None, *, circuit: Circuit) -> list[Facts]:
    """Options, modules, device scheduling, offload and lock modes of one host, with their readings.

    `drivers` are the kernel modules its adapters use, None when that is not known. Nothing is raised for what the host does not answer:
    it becomes a gap, and its topic is not complete.
    """
    asked = _Host(vcenter, endpoint, host, circuit)
    where = {"endpoint": endpoint.name, "host_id": host.id}
    managers: dict[str, Any] = {}
    asked.ask("options", "advanced options", lambda: _options(asked, managers, where))
    _modules(asked, managers, where, drivers)
    asked.esxcli("device_scheduling", "storage core device list", lambda records: scheduling(records, where))
    asked.esxcli("device_offload", "storage core device vaai status get", lambda records: offload(records, where))
    asked.esxcli("lockmode", "storage vmfs lockmode list", lambda records: lockmodes(records, where))
    asked.found.append(readings(endpoint, host.id, asked.complete))
    return asked.found


def _manager(asked: _Host, managers: dict[str, Any], path: str) -> Any:
    """An object of the host's configManager.

    Raises:
        NotThereError: vCenter does not name one.
        EndpointError: it could not be asked.
    """
    from pyVmomi import vim

    if not managers:
        paths = ("configManager.advancedOption", "configManager.kernelModuleSystem")
        facts = next(iter(asked.vcenter.read(vim.HostSystem, paths, [asked.host.ref])))
        managers.update({one: facts.values.get(one) or facts.missing.get(one, "vCenter does not name it") for one in paths})
    found = managers[path]
    if isinstance(found, str):
        raise NotThereError(f"{path}: {found}", why="what it holds was not read.", do="check the role of the account that audits.")
    return found


def _options(asked: _Host, managers: dict[str, Any], where: dict[str, str]) -> Iterator[Facts]:
    """Table `host_option`, from the host itself.

    Not from `config.option`: that is vCenter's copy, which may lag behind a write (vsphere-peers.md, traps), and an audit that follows a
    fix would see the old value.
    """
    from auditor.clients.vcenter import translated

    manager = _manager(asked, managers, "configManager.advancedOption")
    with translated(asked.endpoint, f"reading the options of {asked.host.name}"):
        options = list(manager.QueryOptions() or ())
    listed = {option.key for option in options}
    for name in HIDDEN_OPTIONS:
        if name in listed:
            continue
        try:
            with translated(asked.endpoint, f"reading option {name} of {asked.host.name}"):
                options += [option for option in manager.QueryOptions(name) or () if option.key == name]
        except NotThereError:
            continue  # this build has none of that name, which is an answer
    rows = Rows("host_option", **where)
    for option in options:
        if option.value is None:
            yield gap(asked.endpoint, f"option {option.key} of {asked.host.name}", "it has no value")
            continue
        rows.add(key=option.key, value=option_text(option.value), value_type=wire_type(option.value))
    yield from rows.batch()


def option_text(value: Any) -> str:
    """An option's value as the table keeps it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def wire_type(value: Any) -> str:
    """Name the type, long | int | string | boolean, as the value came over the wire."""
    name = type(value).__name__
    return _VALUE_TYPES.get(name, name)


def _modules(asked: _Host, managers: dict[str, Any], where: dict[str, str], drivers: frozenset[str] | None) -> None:
    from auditor.clients.vcenter import translated

    loaded: dict[str, bool] = {}

    def which_are_loaded() -> Iterator[Facts]:
        system = _manager(asked, managers, "configManager.kernelModuleSystem")
        with translated(asked.endpoint, f"listing the kernel modules of {asked.host.name}"):
            loaded.update((module.name, module.loaded) for module in system.QueryModules() or ())
        return iter(())

    listed = asked.ask("modules", "kernel modules", which_are_loaded)
    if drivers is None:
        asked.missing("modules", "kernel modules", "its adapters were not read, so which modules matter is not known")
    wanted = sorted((drivers or frozenset()) | ({SOFTWARE_ISCSI_MODULE} if asked.host.software_iscsi else frozenset()))
    rows = Rows("host_module", **where)
    for module in wanted:
        configured: list[str] = []

        def option_string(module: str = module, configured: list[str] = configured) -> Iterator[Facts]:
            system = _manager(asked, managers, "configManager.kernelModuleSystem")
            with translated(asked.endpoint, f"reading the options of module {module} of {asked.host.name}"):
                configured.append(system.QueryConfiguredModuleOptionString(module) or "")
            return iter(())

        if listed:  # what cannot be listed cannot be asked one by one either; the gap above tells it once
            asked.ask("modules", f"options of module {module}", option_string)
        rows.add(module=module, loaded=loaded.get(module), option_string=configured[0] if configured else None)
        understood = _parameters_of(module, where)
        asked.esxcli("modules", "system module parameters list", understood, module=module)
    asked.found += rows.batch()


def _parameters_of(module: str, where: dict[str, str]) -> Callable[[Records], Iterator[Facts]]:
    return lambda records: module_parameters(records, where, module)
