"""What the registry of endpoint kinds holds of one kind: data alone, and nothing of its client.

`auditor.model.endpoint_kinds` is the registry, and has all names of this module.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from auditor.errors import ConfigurationError
from auditor.model.timed import TookTooLongError, within

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor.model.endpoints import EndpointKind
    from auditor.model.settings import Setting

CONTRACT = 1
"""What a plugin's TYPE names as `contract`: it grows when a plugin has to be changed for a newer auditor."""

IMPORT_SECONDS = 10.0
"""How long a module of a plugin may take to be imported; all that a whole audit imports takes two or three, on a busy machine."""

NVME_MODEL_LENGTH = 16
"""Characters of an NVMe controller's model that ESXi shows: 'Lexar SSD NM790 2TB' is 'Lexar SSD NM790' there. Not verified on an array."""

MULTIPATH_TOOLS = "multipath-tools hwtable.c at c2fcdaf (docs/domain/facts.md#11)"
DEVICE_NAMES = "docs/domain/arrays.md#device-names"
NVME_NAMES = (
    "NVMe: multipath-tools hwtable.c; ESXi shows the vendor as NVMe and 16 characters of the model, as recorded from local NVMe disks"
)


@dataclass(frozen=True, slots=True)
class Family:
    """Arrays that rules treat as one.

    Attributes:
        name: the word in the column `family`.
        label: what people call it.
        inquiries: (vendor, model) each, as regular expressions: the whole vendor, the beginning of the model, as ESXi shows them, trimmed.
        names: beginnings of canonical device names that no other family has, as regular expressions; empty when there are none.
        sources: where all this stands.
        array_digits: how many characters of a volume's device name are the same for all volumes of one array; None when not known.
    """

    name: str
    label: str
    inquiries: tuple[tuple[str, str], ...]
    names: tuple[str, ...]
    sources: tuple[str, ...]
    array_digits: int | None = None


def nvme_inquiry(model: str) -> tuple[str, str]:
    """The inquiry of an NVMe controller of that model, as `Family.inquiries` has it."""
    return ("(?i)nvme", model[:NVME_MODEL_LENGTH].rstrip())


@dataclass(frozen=True, slots=True)
class Roles:
    """Roles of an array's accounts as its API names them, in lower case; one that is in neither may be allowed anything.

    What an account may read is tried, as that writes nothing; this is for what cannot be tried, and for advice.

    Attributes:
        read: may write nothing.
        write: may write what is fixed.
    """

    read: frozenset[str]
    write: frozenset[str]
    source: str


NO_ROLES = Roles(frozenset(), frozenset(), "none are known")


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a kind cannot be used: what happened, why it matters, what to do."""

    what: str
    why: str
    do: str

    def error(self) -> ConfigurationError:
        """It as an error."""
        return ConfigurationError(self.what, why=self.why, do=self.do)


@dataclass(frozen=True, slots=True)
class EndpointType:
    """One kind of endpoint.

    Attributes:
        opener: "module:function" within the kind's folder; takes an `Endpoint`, gives a context manager around its session.
        collector: likewise; takes the session, the endpoint and what is needed of it, gives batches and gaps.
        topics: what a reading of it consists of; the collector has each of them.
        asked_by: a topic that is asked for the objects of another one, and cannot be asked alone -> that other topic.
        settings: what can be fixed on it, by the name of its remediator.
        steps: what is done on the way and no rule may ask for, such as a reboot; likewise.
        family: of the volumes that hosts see from it; None for a vCenter and a host, which have none.
        roles: what its accounts may do; a vCenter's privileges stand with its settings, and in `auditor.endpoints.vcenter.privileges`.
        protocol: below its API; with HTTPS goes `tls:` of fleet.yaml, with SSH goes `ssh:`.
        login: what fleet.yaml gives: a user name and a password, or an API token alone; none: fleet.yaml has no such endpoints.
        health: "module:function" as above; takes the session, the keys of targets and the time from which load counts, gives
            `auditor.endpoints.common.health.Health` by object. Empty: no health of such an endpoint is read.
        culprits: likewise; takes the session and a change that did not stay, says in words who may have put it back. Empty: nobody knows.
        tuned_by: services that change its settings by themselves: a part of the key, in lower case, under which one is registered with a
            vCenter, and what it does in words.
        kept_fields: "module:text" as above, the names of fields of its answers that a recording keeps as they are, with spaces between
            them; all others are masked. Empty: what such an endpoint answers cannot be recorded.
        kept_forms: "module:value" as above, an `auditor.endpoints.common.kept_forms.KeptForms`: what is particular to its answers; empty:
            nothing is.
        kept_lines: "module:value" as above, what a recording keeps of the answers of a command line; empty: it answers JSON or XML.
        settings_of: the kind whose settings and steps these are, with their modules in its folder; None: they are its own.
        is_incremental: its collector takes a fourth argument, what to compare with, and reads only what changed since.
        rules: of a plugin: the folder within its package that holds its rules, as KIND/NAME.yaml; empty: it has none.
        views: of a plugin: likewise the folder that holds its views, as NAME.sql; empty: it has none.
        contract: of a plugin: the `CONTRACT` that it was written for.
        package: of a plugin: the Python package that holds it; put in when it is found.
        plugin: of a plugin: the distribution that it came with and its version, for example "auditor-acme 1.2"; put in likewise.
        fault: why the plugin cannot be used; None: nothing is wrong. A kind with a fault has every topic, and none of them can be read.
    """

    kind: EndpointKind
    opener: str
    collector: str
    topics: tuple[str, ...]
    asked_by: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    settings: Mapping[str, Setting] = field(default_factory=lambda: MappingProxyType({}))
    steps: Mapping[str, Setting] = field(default_factory=lambda: MappingProxyType({}))
    family: Family | None = None
    roles: Roles = NO_ROLES
    protocol: Literal["https", "ssh"] = "https"
    login: Literal["password", "api_token", "none"] = "password"
    health: str = ""
    culprits: str = ""
    tuned_by: tuple[tuple[str, str], ...] = ()
    kept_fields: str = ""
    kept_forms: str = ""
    kept_lines: str = ""
    settings_of: EndpointKind | None = None
    is_incremental: bool = False
    rules: str = ""
    views: str = ""
    contract: int | None = None
    package: str = ""
    plugin: str = ""
    fault: Fault | None = None

    @property
    def is_array(self) -> bool:
        """Whether it is a storage array, and neither a vCenter nor a host."""
        return self.family is not None

    @property
    def port(self) -> int:
        """The port that its protocol has unless fleet.yaml names another."""
        return 22 if self.protocol == "ssh" else 443

    @property
    def folder(self) -> str:
        """The package that holds everything about the kind, for example auditor.endpoints.dell_sc."""
        return self.package or folder_of(self.kind)

    def load(self, name: str) -> Any:
        """What "module:attribute" names in the folder of this kind; the module is imported on first use.

        A module that begins with a dot is in the folder of a neighbour: ".vcenter.health:read_health".

        Raises:
            ConfigurationError: the kind is of a plugin that cannot be used, or that does not import the module in its time.
        """
        if self.fault is not None:
            raise self.fault.error()
        module, _, attribute = name.partition(":")
        if not self.plugin:
            return getattr(import_module(f".{module}", self.folder), attribute)
        try:
            return getattr(within(IMPORT_SECONDS, lambda: import_module(f".{module}", self.folder)), attribute)
        except TookTooLongError:
            raise ConfigurationError(
                f"{self.plugin} did not import its module {module} within {IMPORT_SECONDS:g} s",
                why="what it was to read, or to write, is not known.",
                do=f"install another release of {self.plugin.rpartition(' ')[0]}, or tell its author.",
            ) from None

    def takes(self, remediator: str, of: EndpointKind) -> bool:
        """Whether a remediator of that name, which is of the kind `of`, works on endpoints of this one."""
        return of is self.kind or (of is self.settings_of and (remediator in self.settings or remediator in self.steps))


def folder_of(kind: EndpointKind) -> str:
    """The package of a kind that comes with auditor."""
    return f"auditor.endpoints.{kind.value.replace('-', '_')}"
