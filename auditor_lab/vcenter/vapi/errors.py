"""Standard errors of the vSphere Automation API.

Source: names, fields and HTTP statuses from the client that VMware publishes (com.vmware.vapi.std.errors_client; vmware-vapi-runtime 9.1,
rest/lib.py). Ids and texts of messages: authentication, authorization and missing fields from its settings/runtime.properties,
cis.tagging.objectNotFound.error from govmomi's simulator; others, and what `data` of unauthorized holds, are the lab's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from auditor_lab.vcenter.vapi.values import Optional, Structure

_SPACE = "com.vmware.vapi.std.errors."
CHALLENGE = 'Basic realm="VAPI endpoint"'
_STATUSES: Mapping[str, int] = MappingProxyType(
    {
        "unauthenticated": 401,
        "unauthorized": 403,
        "not_found": 404,
        "operation_not_found": 404,
        "concurrent_change": 409,
        "internal_server_error": 500,
        "service_unavailable": 503,
        "timed_out": 504,
    }
)


class VapiError(Exception):
    """An operation fails with a standard error.

    Attributes:
        kind: its short name, for example not_found.
        value: the whole error as a data value.
        status: the HTTP status it has over REST.
    """

    def __init__(self, kind: str, messages: list[Structure], data: Structure | None = None) -> None:
        super().__init__(kind)
        self.kind = kind
        self.status = _STATUSES.get(kind, 400)
        fields: dict[str, Any] = {"messages": messages, "data": Optional(data), "error_type": Optional(kind.upper())}
        if kind in ("unauthenticated", "unauthorized"):
            fields["challenge"] = Optional(CHALLENGE if kind == "unauthenticated" else None)
        self.value = Structure(_SPACE + kind, fields, error=True)


def message(key: str, text: str, *args: str) -> Structure:
    """A localizable message; `text` with %s for each of `args`."""
    fields = {"id": key, "default_message": text % args, "args": list(args), "params": Optional(), "localized": Optional()}
    return Structure("com.vmware.vapi.std.localizable_message", fields)


def unauthenticated() -> VapiError:
    """The error for a request without a valid login; it does not say why."""
    return VapiError("unauthenticated", [message("vapi.security.authentication.invalid", "Unable to authenticate user")])


def unauthorized(privilege: str, resource: str) -> VapiError:
    """The account lacks `privilege` on `resource`; both are in the message's arguments and in `data`."""
    text = message("vapi.security.authorization.invalid", "Unable to authorize user: %s needs the privilege %s", resource, privilege)
    return VapiError("unauthorized", [text], Structure("lab.missing_privilege", {"privilege": privilege, "resource": resource}))


def unreadable(resource: str) -> VapiError:
    """The error for an object that does not exist. Source: govmomi, vapi/tags: "a generic 403 Forbidden error"."""
    return VapiError("unauthorized", [message("vapi.security.authorization.invalid", "Unable to authorize user: %s", resource)])


def not_found(what: str) -> VapiError:
    """The error for an id that does not exist."""
    return VapiError("not_found", [message("lab.not_found", "%s was not found.", what)])


def invalid_argument(why: str) -> VapiError:
    """The error for an invalid argument."""
    return VapiError("invalid_argument", [message("lab.invalid_argument", "%s", why)])


def missing_field(structure: str, field: str) -> VapiError:
    """The error for a structure that lacks a required field, or has another type there."""
    text = message("vapi.data.structure.field.missing", 'Structure %s is missing a field "%s"', structure, field)
    return VapiError("invalid_argument", [message("vapi.method.input.invalid", "Invalid input to method"), text])
