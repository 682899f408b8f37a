"""com.vmware.cis.session: sessions of the vSphere Automation API, separate from those of SOAP.

They are opened with user name and password; that no other operation accepts these is the lab's choice, and SAML tokens are left out.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING

from pyVmomi import vim

from auditor_lab.vcenter.vapi.errors import unauthenticated
from auditor_lab.vcenter.vapi.operations import Operation
from auditor_lab.vcenter.vapi.values import Secret, Structure

if TYPE_CHECKING:
    from auditor_lab.vcenter.soap.sessions import Session
    from auditor_lab.vcenter.vapi.operations import Call

CREATE = "com.vmware.cis.session.create"


def _create(call: Call) -> Secret:
    if call.credentials is None:
        raise unauthenticated()
    try:
        return Secret(call.sessions.login(*call.credentials).key)
    except vim.fault.InvalidLogin:
        raise unauthenticated() from None


def _get(call: Call) -> Structure:
    session = _session(call)
    used = datetime.now(UTC) - timedelta(seconds=time.monotonic() - session.used)
    fields = {"user": session.user, "created_time": session.logged_in, "last_accessed_time": used}
    return Structure("com.vmware.cis.session.info", fields)


def _delete(call: Call) -> None:
    call.sessions.close(_session(call))


def _session(call: Call) -> Session:
    if call.session is None:
        raise unauthenticated()
    return call.session


OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {
        CREATE: Operation(_create, "POST", "/session", status=201, privilege="System.Anonymous", without_session=True),
        "com.vmware.cis.session.get": Operation(_get, "GET", "/session", privilege="System.Anonymous"),
        "com.vmware.cis.session.delete": Operation(_delete, "DELETE", "/session", privilege="System.Anonymous"),
    }
)
