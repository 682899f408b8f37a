"""The JSON Schema of fleet.yaml, for editors: made from the shapes that the file is read by, with a text for each key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from auditor.fleet.logins import LOGIN_KEYS, OF_HOSTS
from auditor.fleet.shape import FleetShape, SsoBy
from auditor.model import EndpointKind, Severity
from auditor.model.endpoint_kinds import EndpointType, endpoint_types

FILE_NAME = "fleet.schema.json"
"""Its name beside fleet.yaml."""

_PARAMS = "own values for the parameters of rules: RULE: {PARAM: VALUE}"
_SECRET = "a reference to it, never the secret itself: {env: NAME}, {file: PATH}, {keyring: SERVICE}, {command: [WORD, ...]}, {vault: PATH} or {ask: true}"  # noqa: S105, E501
_CLOCK = 'a time of day in quotes, such as "22:00"'
_GLOB = "a glob"

_PLAIN_SECRET = {
    "env": "the name of an environment variable",
    "file": "the path of a file; relative to the folder of fleet.yaml",
    "keyring": "the service in the keyring of this account",
    "command": "a program and its arguments; what it prints",
}

TEXTS: Mapping[str, Mapping[str, str]] = {
    "FleetShape": {
        "endpoints": "what auditor logs in to: vCenters and storage arrays",
        "params": _PARAMS,
        "severity": "what failures weigh in this fleet, by rule or TOPIC/*",
        "declared": "what no API answers about some devices",
        "nfs_servers": "whose an NFS server is that hosts mount by name",
        "reboot": "how long each step of a host's reboot may take",
        "maintenance": "when it may be written to; without it: always",
        "protect": "what is never written, only proposed; all that an entry gives has to fit",
        "vault": "the HashiCorp Vault that {vault: PATH} is about",
        "sites": "which endpoints only the workers of a site read, by the name of the site",
    },
    "EndpointShape": {
        "name": "your own word for it; reports and waivers use it",
        "kind": "what it is",
        "address": "host, host:port or https URL",
        "username": "whom to log in as",
        "password": _SECRET,
        "api_token": _SECRET,
        "session": "of a vCenter or ESXi host, in the place of username and password: a reference to the key of a session that is open",
        "sso": "of a vCenter: it is logged in to by a token of its single sign-on (SAML)",
        "tls": "how its certificate is checked; by default against the system's certificate authorities",
        "ssh": "how its host key is checked; by default against your own known_hosts",
        "proxy": "an HTTP proxy that leads to it; no variable of the environment names one",
        "jump": "a host that leads to it by your own ssh: user@host, ssh://user@host:port, or a name of your ssh configuration",
        "limits": "how hard it may be asked",
        "lane": "how a vCenter is read; by default the fastest way that it offers",
        "params": _PARAMS,
        "clusters": "what counts in one cluster alone, by its name",
    },
    "ClusterShape": {"params": _PARAMS},
    "LoginSecretShape": {
        **_PLAIN_SECRET,
        "ask": "true: it is typed at the terminal, once a run; for a first try, as no job and no worker has it",
        "vault": "the path of a secret in the vault of this file, with #FIELD behind it where the field is not called like this key",
    },
    "TlsShape": {
        "ca": "the path of a PEM file with certificate authorities",
        "fingerprint": '"sha256:" and 64 hexadecimal digits; `auditor doctor` shows it',
        "verify": "false: the certificate is not checked, and every report says so",
    },
    "VaultShape": {
        "address": "https://HOST:PORT of a HashiCorp Vault",
        "namespace": "its namespace, where it has several",
        "mount": "where the engine for keys and values (KV) is mounted",
        "version": "of that engine",
        "tls": "how its certificate is checked; by default against the system's certificate authorities",
        "token": "a reference to a token",
        "approle": "the role that auditor logs in as, in the place of a token",
    },
    "SsoShape": {
        "by": "password: a token is got by username and password",
        "certificate": "the path of a PEM file: a token is got for the holder of its key; without username and password",
        "key": "the path of its key, PEM, RSA",
        "sts": "the path of the token service on the vCenter; in some the domain stands behind it: /sts/STSService/vsphere.local",
        "passphrase": "a reference to the passphrase of the key, where it has one",
        "token": "a reference to a token (a SAML 2.0 assertion) that others got; with certificate and key where it is for their holder",
    },
    "AppRoleShape": {
        "role_id": "the id of the role; it is no secret",
        "secret_id": "a reference to the secret of the role",
        "mount": "where the method AppRole is mounted",
    },
    "SecretShape": _PLAIN_SECRET,
    "ProxyShape": {
        "address": "HOST:PORT",
        "username": "whom to log in to it as; in clear, as HTTP has it",
        "password": "a reference to the password of that user",
    },
    "SshShape": {
        "known_hosts": "the path of a file in OpenSSH's form",
        "fingerprint": 'what ssh-keygen -l prints: "SHA256:" and 43 characters',
        "verify": "false: the host key is not checked, and every report says so",
    },
    "LimitsShape": {
        "concurrency": "how many requests may be under way, 1 to 256",
        "readers": "how many workers read the hosts of a vCenter side by side (--workers), 1 to `concurrency`, which they share",
        "timeout_seconds": "to connect, and for each part of an answer; above 0, at most 3600",
    },
    "RebootShape": {
        "evacuate_seconds": "to move the machines away and be in maintenance mode",
        "return_seconds": "from the reboot until the host is connected again",
        "in_force_seconds": "until every setting reads as in force",
        "leave_seconds": "to leave maintenance mode",
    },
    "WindowShape": {
        "days": "weekdays on which it begins; without it: each",
        "from": _CLOCK,
        "to": f'{_CLOCK}; at most "24:00"; before `from` it is on the next day',
        "time_zone": "an IANA name such as UTC or Europe/Berlin",
        "endpoint": f"{_GLOB}; without it: every endpoint",
        "cluster": f"{_GLOB}; without it: every cluster",
    },
    "ProtectionShape": {
        "reason": "why, as reports show it",
        "resource": f"{_GLOB} over names and ids",
        "host": _GLOB,
        "cluster": _GLOB,
        "endpoint": _GLOB,
        "tag": "of vCenter: TAG or CATEGORY:TAG",
    },
    "SiteShape": {"endpoints": "names of endpoints, or globs; an endpoint lies at one site at most"},
    "DeclaredShape": {
        "devices": f"{_GLOB} over canonical device names",
        "model": "the model of the array, or the tier of IBM Cloud",
        "generation": "the generation of the model",
        "firmware": "the firmware of the array",
    },
    "NfsServerShape": {
        "server": f"{_GLOB} over servers as hosts mount them",
        "address": "the address that the array knows itself by",
        "family": "whose it is, where its address is not known",
    },
}
"""Shape -> key -> what an editor shows for it."""

_OWN: Mapping[str, Mapping[str, Any]] = {
    "FleetShape": {"description": "The fleet that auditor reads."},
    "EndpointShape": {"description": "One address that auditor logs in to."},
    "LoginSecretShape": {"minProperties": 1, "maxProperties": 1},
    "SecretShape": {"minProperties": 1, "maxProperties": 1},
    "VaultShape": {"oneOf": [{"required": [key], "properties": {key: {"type": "object"}}} for key in ("token", "approle")]},
    "ProtectionShape": {"anyOf": [{"required": [key]} for key in ("resource", "host", "cluster", "endpoint", "tag")]},
    "DeclaredShape": {"anyOf": [{"required": [key]} for key in ("model", "generation", "firmware")]},
    "NfsServerShape": {"oneOf": [{"required": [key]} for key in ("address", "family")]},
}
"""What `problem` of a shape checks, as far as a schema can say it."""


def fleet_schema() -> dict[str, Any]:
    """The schema (draft 2020-12). It knows keys, words, ranges and what goes together; `load_fleet` checks more than that."""
    made = msgspec.json.schema(FleetShape)
    shapes = {
        name: shape_schema(shape, TEXTS[name], _OWN.get(name, {})) if name in TEXTS else words_schema(shape)
        for name, shape in made["$defs"].items()
    }
    fleet, endpoint = shapes.pop("FleetShape"), shapes["EndpointShape"]
    fleet["properties"]["endpoints"]["minItems"] = 1
    fleet["properties"]["severity"] = {
        "description": TEXTS["FleetShape"]["severity"],
        "type": ["object", "null"],
        "additionalProperties": {"enum": [one.value for one in Severity]},
    }
    kinds = [kind for kind in endpoint_types() if kind.login != "none"]
    shapes["EndpointKind"] = {"enum": sorted(kind.kind.value for kind in kinds)}
    endpoint["allOf"] = [_of_kind(kind) for kind in kinds]
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "urn:auditor:fleet:1", "title": "fleet.yaml of auditor"}
    return {**head, **{key: value for key, value in fleet.items() if key != "title"}, "$defs": shapes}


def shape_schema(shape: Mapping[str, Any], texts: Mapping[str, str], additions: Mapping[str, Any]) -> dict[str, Any]:
    """A shape as an editor needs it: no other keys, a text for each, and a key without a value where it may be left out.

    Args:
        shape: as msgspec makes it.
        texts: what an editor shows for each key.
        additions: what is put in besides.
    """
    properties = {}
    for key, made in shape["properties"].items():
        one = {word: value for word, value in made.items() if word not in ("description", "default")}
        if key not in shape["required"] and {"type": "null"} not in one.get("anyOf", ()):
            one = {"anyOf": [one, {"type": "null"}]}
        shown = {"default": made["default"]} if made.get("default") not in (None, {}, []) else {}
        properties[key] = {"description": texts[key], **one, **shown}
    return {**shape, "properties": properties, "additionalProperties": False, **additions}


def words_schema(words: Mapping[str, Any]) -> dict[str, Any]:
    """A list of words, without what its class says to developers."""
    return {key: value for key, value in words.items() if key == "enum"}


def _of_kind(kind: EndpointType) -> dict[str, Any]:
    """What an endpoint of one kind needs, and what it must not have."""
    ways: list[dict[str, Any]] = [_way("api_token")] if kind.login == "api_token" else [_way("username", "password")]
    if kind.kind in OF_HOSTS:
        ways.append(_way("session"))
    if kind.kind is EndpointKind.VCENTER:
        by_password = {"properties": {"by": {"enum": [one.value for one in SsoBy]}}, "required": ["by"]}
        ways.append(_way("username", "password", "sso", sso=by_password))
        ways.append(_way("sso", sso={"not": by_password}))
    unfit = {"tls" if kind.protocol == "ssh" else "ssh": {"type": "null"}}
    return {
        "if": {"properties": {"kind": {"const": kind.kind.value}}, "required": ["kind"]},
        "then": {"properties": unfit, "anyOf": ways},
    }


def _way(*needed: str, **more: Any) -> dict[str, Any]:
    """A login that needs these keys and has no others; `more` is said of their values."""
    others = {key: {"type": "null"} for key in LOGIN_KEYS if key not in needed}
    return {"required": list(needed), "properties": {**others, **more}}
