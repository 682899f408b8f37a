"""What only the host itself reports: advanced options, kernel modules, and esxcli."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING

from auditor.endpoints.common.circuit import Circuit
from auditor.endpoints.vcenter.collect.esxcli import Records, lockmodes, module_parameters, offload, scheduling
from auditor.endpoints.vcenter.collect.multipath import device_policies, iscsi_portals, satp_rules
from auditor.endpoints.vcenter.collect.rows import MODULE_SYSTEM, OPTION_MANAGER, Facts, HostSeen, Rows, columns, gap, readings
from auditor.errors import EndpointError, NotThereError
from auditor.model import Gap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from auditor.endpoints.vcenter.bulk.shapes import Ref
    from auditor.endpoints.vcenter.collect.esxcli import Layout
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.model import Endpoint

HIDDEN_OPTIONS = ("DataMover.MaxHWTransferSize",)
"""Options no listing shows; they answer to their exact name. Source: docs/domain/facts.md#3-7, absent from the listings of 42 builds."""

SOFTWARE_ISCSI_MODULE = "iscsi_vmk"

PATIENCE = 2
"""Questions in a row that a host may leave unanswered, each for the whole timeout, before the others are not put."""

_COMMANDS = (
    ("device_scheduling", "storage core device list", scheduling),
    ("device_offload", "storage core device vaai status get", offload),
    ("lockmode", "storage vmfs lockmode list", lockmodes),
    ("multipathing", "storage nmp device list", device_policies),
    ("multipathing", "storage nmp satp rule list", satp_rules),
    ("port_binding", "iscsi networkportal list", iscsi_portals),
)
"""One call a host each. Paths come with their policies from vCenter; how a policy is set, and the claim rules, only esxcli reports."""

LIVE_TOPICS = ("options", "modules", *dict.fromkeys(topic for topic, _, _ in _COMMANDS))


class _Host:
    """The reader of one host; collects its facts and gaps."""

    def __init__(self, vcenter: VCenter, endpoint: Endpoint, host: HostSeen, circuit: Circuit) -> None:
        self.vcenter = vcenter
        self.endpoint = endpoint
        self.host = host
        self.facts: list[Facts] = []
        self.complete: dict[str, bool] = {}
        self._circuits = (Circuit(PATIENCE), circuit)  # of this host, of the whole vCenter

    def ask(self, topic: str, what: str, question: Callable[[], Iterator[Facts]]) -> bool:
        """Put one question, unless the host has been silent for too long. Returns whether there was an answer."""
        self.complete.setdefault(topic, True)
        lost = next((one.opened_by for one in self._circuits if one.opened_by is not None), None)
        if lost is not None:
            self.missing(topic, what, lost)
            return False
        try:
            answer = list(question())
        except EndpointError as error:
            for circuit in self._circuits:
                circuit.failed(error)
            self.missing(topic, what, error)
            return False
        for circuit in self._circuits:
            circuit.answered()
        self.facts += answer
        if any(isinstance(item, Gap) for item in answer):
            self.complete[topic] = False
        return True

    def missing(self, topic: str, what: str, why: EndpointError | str) -> None:
        """Note a gap in `topic`."""
        self.complete[topic] = False
        self.facts.append(gap(self.endpoint, f"{what} of {self.host.name}", why))

    def esxcli(self, topic: str, command: str, layout: Layout, where: Mapping[str, str], **arguments: str) -> None:
        """Put one question to esxcli; a gap names the command with its arguments."""
        asked = " ".join([f"esxcli {command}", *(f"--{name}={value}" for name, value in arguments.items())])

        def question() -> Iterator[Facts]:
            records = Records(self.vcenter.esxcli(self.host.id).select(command, layout.fields, **arguments))
            yield from layout(records, where)
            if records.parse_errors:
                yield gap(self.endpoint, f"{asked} on {self.host.name}", records.summary())

        self.ask(topic, asked, question)

    def manager(self, path: str) -> Ref:
        """An object of the host's configManager.

        Raises:
            NotThereError: vCenter does not name one.
        """
        reference = self.host.managers.get(path, "vCenter does not name it")
        if isinstance(reference, str):
            raise NotThereError(f"{path}: {reference}", why="what it holds was not read.", do="check the role of the account that audits.")
        return reference


def read_live(
    vcenter: VCenter,
    endpoint: Endpoint,
    host: HostSeen,
    drivers: frozenset[str] | None,
    *,
    circuit: Circuit,
    topics: frozenset[str] = frozenset(LIVE_TOPICS),
) -> list[Facts]:
    """The facts and readings that one host gives itself, as far as `topics` asks for them.

    `drivers` are the kernel modules its adapters use, None when that is not known. Nothing is raised for what the host does not answer:
    it becomes a gap, and its topic is not complete.
    """
    host_reader = _Host(vcenter, endpoint, host, circuit)
    where = {"endpoint": endpoint.name, "host_id": host.id}
    if "options" in topics:
        host_reader.ask("options", "advanced options", lambda: _options(host_reader, where))
    if "modules" in topics:
        _modules(host_reader, where, drivers)
    for topic, command, layout in _COMMANDS:
        if topic in topics:
            host_reader.esxcli(topic, command, layout, where)
    if host_reader.complete:
        host_reader.facts.append(readings(endpoint, host.id, host_reader.complete))
    return host_reader.facts


def _options(host_reader: _Host, where: Mapping[str, str]) -> Iterator[Facts]:
    """Table `host_option`, from the host itself.

    Not from `config.option`: that is vCenter's copy, which may lag behind a write (docs/domain/peers.md#traps), and an audit that follows a
    fix would see the old value.
    """
    from auditor.endpoints.vcenter.host_answers import query_options
    from auditor.endpoints.vcenter.translation import translated

    manager, stub = host_reader.manager(OPTION_MANAGER), host_reader.vcenter.stub
    with translated(host_reader.endpoint, f"reading the options of {host_reader.host.name}"):
        options = query_options(stub, manager)
    keys: list[str | None] = [*options.keys]
    values, types = [*options.values], [*options.types]
    for name in HIDDEN_OPTIONS:
        if name in keys:
            continue
        try:
            with translated(host_reader.endpoint, f"reading option {name} of {host_reader.host.name}"):
                hidden = query_options(stub, manager, name)
        except NotThereError:
            continue  # this build has none of that name, which is an answer
        if name in hidden.keys:
            at = hidden.keys.index(name)
            keys, values, types = [*keys, name], [*values, hidden.values[at]], [*types, hidden.types[at]]
    if None in values:
        for key in (key for key, value in zip(keys, values, strict=True) if value is None):
            yield gap(host_reader.endpoint, f"option {key} of {host_reader.host.name}", "it has no value")
        has_value = [value is not None for value in values]
        keys, values, types = ([*compress(column, has_value)] for column in (keys, values, types))
    yield from columns("host_option", where, key=keys, value=values, value_type=types)


def _modules(host_reader: _Host, where: Mapping[str, str], drivers: frozenset[str] | None) -> None:
    from auditor.endpoints.vcenter.host_answers import Module, query_modules
    from auditor.endpoints.vcenter.translation import translated

    known: dict[str, Module] = {}

    def list_modules() -> Iterator[Facts]:
        system = host_reader.manager(MODULE_SYSTEM)
        with translated(host_reader.endpoint, f"listing the kernel modules of {host_reader.host.name}"):
            known.update(query_modules(host_reader.vcenter.stub, system))
        return iter(())

    listed = host_reader.ask("modules", "kernel modules", list_modules)
    if drivers is None:
        host_reader.missing("modules", "kernel modules", "its adapters were not read, so which modules matter is not known")
    wanted = sorted((drivers or frozenset()) | ({SOFTWARE_ISCSI_MODULE} if host_reader.host.software_iscsi else frozenset()))
    rows = Rows("host_module", **where)
    for module in wanted:
        seen = known.get(module)
        # What cannot be listed cannot be asked one by one either; the gap above reports it once.
        text = seen.option_string if seen else _option_string(host_reader, module) if listed else None
        rows.add(module=module, loaded=seen.loaded if seen else None, option_string=text, version=seen.version if seen else None)
        host_reader.esxcli("modules", "system module parameters list", module_parameters, {**where, "module": module}, module=module)
    host_reader.facts += rows.batch()


def _option_string(host_reader: _Host, module: str) -> str | None:
    """The option string of a module that is not listed, as one that is configured and not loaded may be."""
    from pyVmomi import vim

    from auditor.endpoints.vcenter.translation import translated

    texts: list[str] = []

    def question() -> Iterator[Facts]:
        system = host_reader.vcenter.object(vim.host.KernelModuleSystem, host_reader.manager(MODULE_SYSTEM).value)
        with translated(host_reader.endpoint, f"reading the options of module {module} of {host_reader.host.name}"):
            texts.append(system.QueryConfiguredModuleOptionString(module) or "")
        return iter(())

    host_reader.ask("modules", f"options of module {module}", question)
    return texts[0] if texts else None
