"""The ways into a vCenter: a password, a token of its single sign-on, or a session that somebody else has opened.

Imports pyVmomi: import it only to open a session.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from pyVmomi import vim

from auditor.endpoints.common.secrets import password_of
from auditor.endpoints.vcenter.security_header import with_token
from auditor.endpoints.vcenter.session_key import session_key_of
from auditor.endpoints.vcenter.sso import token_of
from auditor.errors import CredentialsError
from auditor.model import OpenSession, Sso

if TYPE_CHECKING:
    from collections.abc import Callable

    from auditor.endpoints.vcenter.stub import Stub
    from auditor.model import Endpoint

_NOT_READ = "nothing on it was read."


def login_of(endpoint: Endpoint, stub: Stub, content: Any) -> Callable[[], Any]:
    """What logs in by the way of `endpoint`, and gives the UserSession. Secrets are looked up anew at each call, and not kept.

    It raises CredentialsError, or vim.fault.InvalidLogin where a password is refused.
    """
    sessions = content.sessionManager
    if isinstance(endpoint.login, OpenSession):
        return lambda: _joined(endpoint, stub, sessions)
    if isinstance(endpoint.login, Sso):
        sso = endpoint.login
        return lambda: _by_token(endpoint, sso, stub, sessions)
    return lambda: sessions.Login(endpoint.username, password_of(endpoint), None)


def _joined(endpoint: Endpoint, stub: Stub, sessions: Any) -> Any:
    """Go on with a session that is open already. Where it ended, this is called again, and the key may have been replaced."""
    stub.wire.join_session(session_key_of(endpoint))
    try:
        session = sessions.currentSession
    except vim.fault.NotAuthenticated:
        session = None
    if session is None:
        do = "open a new one, and put its key where fleet.yaml says."
        raise CredentialsError(f"endpoint {endpoint.name}: the session of `session:` is not open there, or no longer", why=_NOT_READ, do=do)
    return session


def _by_token(endpoint: Endpoint, sso: Sso, stub: Stub, sessions: Any) -> Any:
    """Open a session with a token.

    Source: vSphere Web Services API, SessionManager.LoginByToken: the token is in the header of the request, which its owner signs where
    the token asks for that.
    """
    token, signer = token_of(endpoint, sso)
    moid = escape(sessions._moId)  # noqa: SLF001  pyVmomi offers no other name for it
    body = f'<LoginByToken xmlns="urn:vim25"><_this type="SessionManager">{moid}</_this></LoginByToken>'
    decode = partial(stub.decoded, "LoginByToken", vim.UserSession)
    return stub.ask("LoginByToken", with_token(body, token, signer), decode, repeatable=True)
