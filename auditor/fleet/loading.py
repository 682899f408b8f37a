"""fleet.yaml: the endpoints of a fleet, what is declared about it, and its own values for rule parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from msgspec.structs import asdict

from auditor.errors import ConfigurationError
from auditor.fleet.endpoints import EndpointReader
from auditor.fleet.settings_file import FILE_NAME as SETTINGS_FILE
from auditor.fleet.settings_file import DeclaredSetting, load_settings
from auditor.fleet.shape import SITE_NAME, FleetShape
from auditor.fleet.windows import DAYS, MaintenanceWindow, minutes_of
from auditor.model import BulkTransport, Endpoint, EndpointKind, Protection, RebootLimits, Scalar, Severity, Span
from auditor.model.endpoint_kinds import is_known
from auditor.model.plugins import plugin_kinds
from auditor.text.addresses import in_short_form
from auditor.text.names import fits, glob_for_sql
from auditor.yaml.reading import YamlDocument, did_you_mean
from auditor.yaml.shapes import Mistake, load_shaped, mistakes_error

if TYPE_CHECKING:
    from auditor.fleet.shape import DeclaredShape, Params, WindowShape

NOTHING_READ = "nothing was read: a fleet that loads in part reports a clean fleet in part."

_TIER = re.compile(r"IBM Cloud (0\.25|2|4|10) IOPS/GB")  # docs/domain/facts.md#2-6
_SECRETS = {"password": "a password", "api_token": "an API token", "session": "the key of a session"}


@dataclass(frozen=True, slots=True)
class ParamOverride:
    """A fleet's own value for one parameter of one rule; the narrowest scope that fits a row counts."""

    where: str  # file:line
    rule: str
    name: str
    value: Scalar | tuple[Scalar, ...]
    endpoint: str | None = None  # None: the whole fleet
    cluster: str | None = None  # None: the whole endpoint


@dataclass(frozen=True, slots=True)
class SeverityOverride:
    """How much failures of some rules weigh in this fleet, whatever their authors thought."""

    where: str  # file:line
    rules: str  # the id of one, or TOPIC/* for all of a topic
    severity: Severity


@dataclass(frozen=True, slots=True)
class Declared:
    """What no API says about some devices."""

    devices: str  # glob over canonical names, lower case
    model: str | None = None
    generation: str | None = None
    firmware: str | None = None


@dataclass(frozen=True, slots=True)
class NfsServer:
    """Whose an NFS server is that hosts mount by name: it has an address, or a family."""

    server: str  # glob over servers as mounts name them, lower case; an IPv6 address in its short form, as mounts have it
    address: str | None = None  # likewise; several with commas between
    family: str | None = None  # ontap | other


@dataclass(frozen=True, slots=True)
class Site:
    """Endpoints that only the workers of one place read."""

    name: str
    endpoints: tuple[str, ...]  # globs over their names


@dataclass(frozen=True, slots=True)
class Fleet:
    """Everything fleet.yaml says; no secret among it."""

    path: Path
    endpoints: tuple[Endpoint, ...]
    declared: tuple[Declared, ...] = ()
    params: tuple[ParamOverride, ...] = ()
    severities: tuple[SeverityOverride, ...] = ()
    nfs_servers: tuple[NfsServer, ...] = ()
    reboot: RebootLimits = RebootLimits()  # noqa: RUF009  frozen, so one for all is fine
    maintenance: tuple[MaintenanceWindow, ...] = ()  # when it may be written to; empty: always
    protected: tuple[Protection, ...] = ()
    sites: tuple[Site, ...] = ()
    settings: tuple[DeclaredSetting, ...] = ()  # of the settings.yaml beside it

    def site_of(self, endpoint: str) -> str | None:
        """The site whose workers read the endpoint of that name; None: any worker may."""
        return next((site.name for site in self.sites if any(fits(endpoint, glob) for glob in site.endpoints)), None)


def with_transport(fleet: Fleet, transport: BulkTransport | None) -> Fleet:
    """`fleet` with every vCenter read by `transport`; None leaves what the file says."""
    if transport is None:
        return fleet
    forced = tuple(replace(one, lane=transport) if one.kind is EndpointKind.VCENTER else one for one in fleet.endpoints)
    return replace(fleet, endpoints=forced)


def with_history(fleet: Fleet, span: Span | None) -> Fleet:
    """`fleet` with every endpoint asked for the counters of `span` as well; None leaves it as it is."""
    if span is None:
        return fleet
    return replace(fleet, endpoints=tuple(replace(one, history=span) for one in fleet.endpoints))


def load_fleet(path: Path) -> Fleet:
    """Read `path`; relative paths in it are relative to its folder.

    Raises:
        ConfigurationError: it, or the settings.yaml beside it, has a mistake; the error names every one in the file's form, else the first
            one in what it says.
    """
    fleet = _Reader(*load_shaped(path, FleetShape, _first_mistakes, ConfigurationError, why=NOTHING_READ)).fleet()
    return replace(fleet, settings=load_settings(path.with_name(SETTINGS_FILE)))


def _addresses(text: str) -> str:
    """One address or several, each in the spelling that arrays' addresses have."""
    return ",".join(in_short_form(each.strip()) for each in text.split(","))


def _first_mistakes(data: dict[str, Any]) -> Iterator[Mistake]:
    """Secrets that are written into the file, whose text is not repeated, and kinds that neither auditor nor an installed package has."""
    endpoints = data.get("endpoints")
    for index, entry in enumerate(endpoints if isinstance(endpoints, list) else ()):
        if not isinstance(entry, dict):
            continue
        for key, noun in _SECRETS.items():
            if isinstance(entry.get(key), str | int | float):
                what = f"{noun} is written into the file; give a reference instead: {{env: NAME}}, {{file: PATH}}, ..."
                yield Mistake(("endpoints", index, key), what)
        kind = entry.get("kind")
        if isinstance(kind, str) and not is_known(kind):
            words = [*EndpointKind, *plugin_kinds()]
            advice = did_you_mean(kind, words)
            if "did you mean" not in advice:
                advice += "; a kind of a plugin needs the plugin in the environment of auditor"
            yield Mistake(("endpoints", index, "kind"), f'there is no kind "{kind}"{advice}')


@dataclass(frozen=True, slots=True)
class _Reader:
    """Turns a file of the right form into a fleet, or stops at the first key that does not fit the others."""

    document: YamlDocument
    shape: FleetShape

    def fleet(self) -> Fleet:
        read = EndpointReader(self.document.path.parent, self._stop).with_vault(self.shape.vault)
        endpoints = tuple(read.endpoint(entry, "endpoints", index) for index, entry in enumerate(self.shape.endpoints))
        if not endpoints:
            self._stop("no endpoints are listed", "endpoints")
        for index, endpoint in enumerate(endpoints):
            if endpoint.name in {earlier.name for earlier in endpoints[:index]}:
                self._stop(f'a second endpoint is named "{endpoint.name}"', "endpoints", index, "name")
        declared = tuple(self._declared(index, entry) for index, entry in enumerate(self.shape.declared))
        servers = tuple(
            NfsServer(
                glob_for_sql(in_short_form(each.server.strip())),
                each.address and _addresses(each.address),
                each.family and each.family.value,
            )
            for each in self.shape.nfs_servers
        )
        return Fleet(
            self.document.path,
            endpoints,
            declared,
            tuple(self._all_params()),
            tuple(self._severities()),
            servers,
            RebootLimits(**asdict(self.shape.reboot)),
            tuple(self._window(index, entry) for index, entry in enumerate(self.shape.maintenance)),
            tuple(
                Protection(**asdict(entry), where=self.document.where("protect", index)) for index, entry in enumerate(self.shape.protect)
            ),
            tuple(self._sites(endpoints)),
        )

    def _sites(self, endpoints: tuple[Endpoint, ...]) -> Iterator[Site]:
        """The sites; each of their globs names an endpoint, and no endpoint lies at two."""
        site_of: dict[str, str] = {}
        for name, shape in self.shape.sites.items():
            if not re.fullmatch(SITE_NAME, name):
                what = f'"{name}" is not a name that a site can have: letters, digits, dots, hyphens and underscores, at most 63'
                self._stop(what, "sites", name)
            for index, glob in enumerate(shape.endpoints):
                fitting = [endpoint.name for endpoint in endpoints if fits(endpoint.name, glob)]
                if not fitting:
                    near = did_you_mean(glob, [endpoint.name for endpoint in endpoints])
                    self._stop(f'no endpoint is named "{glob}"{near}', "sites", name, "endpoints", index)
                for endpoint in fitting:
                    if site_of.setdefault(endpoint, name) != name:
                        what = f'"{endpoint}" lies at two sites, {site_of[endpoint]} and {name}'
                        self._stop(what, "sites", name, "endpoints", index)
            yield Site(name, shape.endpoints)

    def _window(self, index: int, entry: WindowShape) -> MaintenanceWindow:
        try:
            ZoneInfo(entry.time_zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            what = f'time_zone "{entry.time_zone}" is not known here; give an IANA name such as UTC or Europe/Berlin'
            self._stop(what, "maintenance", index, "time_zone")
        days = tuple(sorted({DAYS.index(day) for day in entry.days}))
        times = minutes_of(entry.begins), minutes_of(entry.ends)
        return MaintenanceWindow(days, *times, entry.time_zone, entry.endpoint, entry.cluster, self.document.where("maintenance", index))

    def _declared(self, index: int, entry: DeclaredShape) -> Declared:
        model = entry.model or ""
        if model.lower().startswith("ibm cloud") and not _TIER.fullmatch(model):
            # Rules leave out every queue of a tier but those of tiers that they know: one in other words would be judged by none.
            self._stop(f'"{model}" is no tier; write IBM Cloud 0.25, 2, 4 or 10 IOPS/GB', "declared", index, "model")
        return Declared(entry.devices.lower(), entry.model, entry.generation, entry.firmware)

    def _all_params(self) -> Iterator[ParamOverride]:
        """The overrides, widest scope first."""
        yield from self._params(self.shape.params, ("params",))
        for index, entry in enumerate(self.shape.endpoints):
            at = ("endpoints", index)
            yield from self._params(entry.params, (*at, "params"), endpoint=entry.name)
            for cluster, shape in entry.clusters.items():
                if shape is not None:
                    yield from self._params(shape.params, (*at, "clusters", cluster, "params"), endpoint=entry.name, cluster=cluster)

    def _params(
        self, params: Params, at: tuple[str | int, ...], *, endpoint: str | None = None, cluster: str | None = None
    ) -> Iterator[ParamOverride]:
        for rule, values in params.items():
            for name, value in (values or {}).items():
                yield ParamOverride(self.document.where(*at, rule, name), rule, name, value, endpoint, cluster)

    def _severities(self) -> Iterator[SeverityOverride]:
        for rules, word in self.shape.severity.items():
            # YAML 1.1 takes a bare `off` for false.
            if word is False or word in ("off", "none", "ignore", "skip"):
                self._stop(
                    f"{rules}: a severity does not switch a rule off; a waiver says who answers for what stays as it is, and until when",
                    "severity",
                    rules,
                )
            if not isinstance(word, str) or word not in set(Severity):
                self._stop(
                    f'{rules}: "{word}" is not a severity{did_you_mean(str(word), list(Severity))}; there are {", ".join(Severity)}',
                    "severity",
                    rules,
                )
            yield SeverityOverride(self.document.where("severity", rules), rules, Severity(word))

    def _stop(self, what: str, *at: str | int) -> NoReturn:
        raise mistakes_error([Mistake(at, what)], self.document, ConfigurationError, why=NOTHING_READ)
