"""fleet.yaml: the endpoints of a fleet, what is declared about it, and its own values for rule parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlsplit

from auditor.endpoint_kinds import endpoint_type
from auditor.errors import ConfigurationError
from auditor.model import BulkTransport, Endpoint, EndpointKind, Limits, Scalar, Secret, Severity, Ssh, Tls
from auditor.yaml import YamlDocument, did_you_mean, load_yaml

NOTHING_READ = "nothing was read: a fleet that loads in part reports a clean fleet in part."

_TOP = ("endpoints", "params", "severity", "declared")
_ENDPOINT = ("name", "kind", "address", "username", "password", "api_token", "tls", "ssh", "limits", "lane", "params", "clusters")
_TLS = ("ca", "fingerprint", "verify")
_SSH = ("known_hosts", "fingerprint", "verify")
_LIMITS = ("concurrency", "timeout_seconds")
_DECLARED = ("devices", "model", "generation", "firmware")
_TIER = re.compile(r"IBM Cloud (0\.25|2|4|10) IOPS/GB")  # docs/domain/facts.md#2-6
_WORDS: Mapping[str | int, str] = {"password": "a password", "api_token": "an API token"}
_SECRET_WAYS = ("env", "file", "keyring", "command")
_MOST_CONCURRENCY = 256


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
    """What no API tells about some devices."""

    devices: str  # glob over canonical names, lower case
    model: str | None = None
    generation: str | None = None
    firmware: str | None = None


@dataclass(frozen=True, slots=True)
class Fleet:
    """Everything fleet.yaml says; no secret among it."""

    path: Path
    endpoints: tuple[Endpoint, ...]
    declared: tuple[Declared, ...] = ()
    params: tuple[ParamOverride, ...] = ()
    severities: tuple[SeverityOverride, ...] = ()


def with_lane(fleet: Fleet, lane: BulkTransport | None) -> Fleet:
    """`fleet` with every vCenter read by `lane`; None leaves what the file says."""
    if lane is None:
        return fleet
    forced = tuple(replace(one, lane=lane) if one.kind is EndpointKind.VCENTER else one for one in fleet.endpoints)
    return replace(fleet, endpoints=forced)


def load_fleet(path: Path) -> Fleet:
    """Read `path`; relative paths in it are relative to its folder.

    Raises:
        ConfigurationError: with the line, the mistake and the nearest right word.
    """
    reader = _Reader(load_yaml(path, ConfigurationError, why=NOTHING_READ, do=None))
    return reader.fleet()


@dataclass(frozen=True, slots=True)
class _Reader:
    document: YamlDocument

    def fleet(self) -> Fleet:
        data = self.document.data
        self._keys(data, _TOP)
        endpoints = tuple(self._endpoint(i, entry) for i, entry in enumerate(self._list(data.get("endpoints"), "endpoints")))
        if not endpoints:
            self._stop("no endpoints are listed", "endpoints")
        for i, endpoint in enumerate(endpoints):
            if endpoint.name in {earlier.name for earlier in endpoints[:i]}:
                self._stop(f'a second endpoint is named "{endpoint.name}"', "endpoints", i, "name")
        declared = tuple(self._declared(i, entry) for i, entry in enumerate(self._list(data.get("declared"), "declared")))
        params = [*self._params(data.get("params"), ("params",))]
        for i, entry in enumerate(data["endpoints"]):
            name = endpoints[i].name
            params += self._params(entry.get("params"), ("endpoints", i, "params"), endpoint=name)
            clusters = self._mapping(entry.get("clusters"), "endpoints", i, "clusters")
            for cluster, what in clusters.items():
                at = ("endpoints", i, "clusters", cluster)
                self._keys(self._mapping(what, *at), ("params",), *at)
                params += self._params(what.get("params"), (*at, "params"), endpoint=name, cluster=cluster)
        return Fleet(self.document.path, endpoints, declared, tuple(params), self._severities(data.get("severity")))

    def _endpoint(self, index: int, entry: Any) -> Endpoint:
        at = ("endpoints", index)
        entry = self._mapping(entry, *at)
        self._keys(entry, _ENDPOINT, *at)
        told = self._text(entry, "kind", *at)
        if told not in set(EndpointKind):
            self._stop(f'kind "{told}" is not known{did_you_mean(told, list(EndpointKind))}', *at, "kind")
        kind = EndpointKind(told)
        address, port = self._address(self._text(entry, "address", *at), kind, *at)
        token = endpoint_type(kind).login == "api_token"
        ssh = endpoint_type(kind).protocol == "ssh"
        for key in ("username", "password") if token else ("api_token",):
            if key in entry:
                self._stop(f"{key} is not what {kind} logs in with; it takes {'api_token' if token else 'username and password'}", *at, key)
        for key, others in (("tls", "ssh"), ("ssh", "tls")):
            if key in entry and ssh == (key == "tls"):
                self._stop(f"{key} is not how {kind} is reached; give {others}", *at, key)
        secret = "api_token" if token else "password"
        return Endpoint(
            name=self._text(entry, "name", *at),
            kind=kind,
            address=address,
            port=port,
            username="" if token else self._text(entry, "username", *at),
            password=self._secret(entry.get(secret), *at, secret),
            tls=self._tls(entry.get("tls"), *at, "tls"),
            limits=self._limits(entry.get("limits"), *at, "limits"),
            ssh=self._ssh(entry.get("ssh"), *at, "ssh") if ssh else None,
            lane=self._lane(entry.get("lane"), kind, *at, "lane"),
        )

    def _address(self, text: str, kind: EndpointKind, *at: str | int) -> tuple[str, int]:
        ssh = endpoint_type(kind).protocol == "ssh"
        if "@" in text:
            # The text itself is not repeated: a password may stand before the host.
            self._stop("address holds a user or a password; give the host alone, and log in by username and password", *at, "address")
        if ssh and "://" in text:
            self._stop(f'address "{text}" is a URL, and {kind} is reached over SSH: give a host or host:port', *at, "address")
        if "://" in text and not text.startswith("https://"):
            self._stop(f'address "{text}" is not https; nothing is asked in clear', *at, "address")
        try:
            # A bare IPv6 address has colons and no brackets.
            bare = text.count(":") > 1 and not text.startswith(("[", "https://"))
            parts = urlsplit(text if "://" in text else f"https://{f'[{text}]' if bare else text}")
            host, port = parts.hostname, parts.port
        except ValueError:
            host, port = None, None
            parts = None
        if parts is None or not host or parts.query or parts.path not in ("", "/", "/sdk"):
            self._stop(f'address "{text}" is not a host, host:port or https URL', *at, "address")
        return host, port or endpoint_type(kind).port

    def _secret(self, entry: Any, *at: str | int) -> Secret:
        if isinstance(entry, str):
            # The text itself is not repeated: it may be a password.
            self._stop(f"{_WORDS[at[-1]]} is written into the file; give a reference instead: {{env: NAME}}, {{file: PATH}}, ...", *at)
        entry = self._mapping(entry, *at)
        self._keys(entry, _SECRET_WAYS, *at)
        if len(entry) != 1:
            self._stop(f"{at[-1]} needs exactly one of env, file, keyring, command", *at)
        [(way, value)] = entry.items()
        if way == "command":
            words = self._list(value, *at, way)
            if not words or not all(isinstance(word, str) for word in words):
                self._stop("command is a list of words, for example [pass, show, vcenter]", *at, way)
            return Secret(way, tuple(words))
        if not isinstance(value, str) or not value:
            self._stop(f"{way} names a place, as text", *at, way)
        return Secret(way, (self._path(value) if way == "file" else value,))

    def _tls(self, entry: Any, *at: str | int) -> Tls:
        entry = self._mapping(entry, *at)
        self._keys(entry, _TLS, *at)
        verify = entry.get("verify", True)
        if not isinstance(verify, bool):
            self._stop("verify is true or false", *at, "verify")
        ca, fingerprint = entry.get("ca"), entry.get("fingerprint")
        if (ca is not None) + (fingerprint is not None) + (not verify) > 1:
            self._stop("tls takes one of ca, fingerprint, verify: false", *at)
        if ca is not None and not isinstance(ca, str):
            self._stop("ca is the path of a PEM file", *at, "ca")
        if fingerprint is not None:
            fingerprint = str(fingerprint).lower().replace("sha256:", "").replace(":", "")
            if not re.fullmatch(r"[0-9a-f]{64}", fingerprint):
                self._stop('fingerprint is "sha256:" and 64 hexadecimal digits', *at, "fingerprint")
            fingerprint = f"sha256:{fingerprint}"
        return Tls(self._path(ca) if ca else None, fingerprint, verify)

    def _ssh(self, entry: Any, *at: str | int) -> Ssh:
        entry = self._mapping(entry, *at)
        self._keys(entry, _SSH, *at)
        verify = entry.get("verify", True)
        if not isinstance(verify, bool):
            self._stop("verify is true or false", *at, "verify")
        known_hosts, fingerprint = entry.get("known_hosts"), entry.get("fingerprint")
        if (known_hosts is not None) + (fingerprint is not None) + (not verify) > 1:
            self._stop("ssh takes one of known_hosts, fingerprint, verify: false", *at)
        if known_hosts is not None and not isinstance(known_hosts, str):
            self._stop("known_hosts is the path of a file in OpenSSH's form", *at, "known_hosts")
        if fingerprint is not None and not re.fullmatch(r"SHA256:[A-Za-z0-9+/]{43}", str(fingerprint)):
            self._stop('fingerprint is what ssh-keygen -l prints: "SHA256:" and 43 characters', *at, "fingerprint")
        return Ssh(self._path(known_hosts) if known_hosts else None, fingerprint, verify)

    def _lane(self, told: Any, kind: EndpointKind, *at: str | int) -> BulkTransport | None:
        if told is None:
            return None
        if kind is not EndpointKind.VCENTER:
            self._stop(f"lane is for a vCenter; {kind} has one way of being read", *at)
        if told not in set(BulkTransport):
            self._stop(f'lane "{told}" is not known{did_you_mean(str(told), list(BulkTransport))}', *at)
        return BulkTransport(told)

    def _limits(self, entry: Any, *at: str | int) -> Limits:
        entry = self._mapping(entry, *at)
        self._keys(entry, _LIMITS, *at)
        concurrency, seconds = entry.get("concurrency", Limits().concurrency), entry.get("timeout_seconds", Limits().timeout_seconds)
        if not isinstance(concurrency, int) or isinstance(concurrency, bool) or not 1 <= concurrency <= _MOST_CONCURRENCY:
            self._stop(f"concurrency is a whole number from 1 to {_MOST_CONCURRENCY}", *at, "concurrency")
        if not isinstance(seconds, int | float) or isinstance(seconds, bool) or not 0 < seconds <= 3600:
            self._stop("timeout_seconds is a number above 0, at most 3600", *at, "timeout_seconds")
        return Limits(concurrency, float(seconds))

    def _declared(self, index: int, entry: Any) -> Declared:
        at = ("declared", index)
        entry = self._mapping(entry, *at)
        self._keys(entry, _DECLARED, *at)
        texts: dict[str, str | None] = {key: self._text(entry, key, *at) for key in entry}
        devices = self._text(entry, "devices", *at).lower()
        if len(texts) == 1:
            self._stop("declares nothing: give model, generation or firmware", *at)
        model = texts.get("model") or ""
        if model.lower().startswith("ibm cloud") and not _TIER.fullmatch(model):
            # Rules leave out every queue of a tier but those of tiers that they know: one in other words would be judged by none.
            self._stop(f'"{model}" is no tier; write IBM Cloud 0.25, 2, 4 or 10 IOPS/GB', *at, "model")
        return Declared(devices, texts.get("model"), texts.get("generation"), texts.get("firmware"))

    def _params(
        self, entry: Any, at: tuple[str | int, ...], *, endpoint: str | None = None, cluster: str | None = None
    ) -> list[ParamOverride]:
        found = []
        for rule, values in self._mapping(entry, *at).items():
            for name, value in self._mapping(values, *at, rule).items():
                several = tuple(value) if isinstance(value, list) else (value,)
                if not several or not all(isinstance(one, bool | int | float | str) for one in several):
                    self._stop(f"{rule}: {name} needs a value, or a list of values", *at, rule, name)
                told = several if isinstance(value, list) else value
                found.append(ParamOverride(self.document.where(*at, rule, name), rule, name, told, endpoint, cluster))
        return found

    def _severities(self, entry: Any) -> tuple[SeverityOverride, ...]:
        found = []
        for rules, word in self._mapping(entry, "severity").items():
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
            found.append(SeverityOverride(self.document.where("severity", rules), rules, Severity(word)))
        return tuple(found)

    def _path(self, text: str) -> str:
        return str((self.document.path.parent / Path(text).expanduser()).resolve())

    def _text(self, entry: Mapping[str, Any], key: str, *at: str | int) -> str:
        value = entry.get(key)
        if not isinstance(value, str) or not value:
            self._stop(f"{key} is missing" if key not in entry else f"{key} is text", *at, key)
        return value

    def _mapping(self, value: Any, *at: str | int) -> dict[str, Any]:
        if value is not None and not isinstance(value, dict):
            self._stop(f"{at[-1]} must be a mapping of keys to values", *at)
        return value or {}

    def _list(self, value: Any, *at: str | int) -> list[Any]:
        if value is not None and not isinstance(value, list):
            self._stop(f"{at[-1]} must be a list", *at)
        return value or []

    def _keys(self, entry: Mapping[str, Any], known: tuple[str, ...], *at: str | int) -> None:
        for key in entry:
            if key not in known:
                self._stop(f'unknown key "{key}"{did_you_mean(str(key), known)}', *at, key)

    def _stop(self, what: str, *at: str | int) -> NoReturn:
        raise ConfigurationError(
            f"{self.document.where(*at)}: {what}", why=NOTHING_READ, do=f"correct line {self.document.line(*at)} of {self.document.path}."
        )
