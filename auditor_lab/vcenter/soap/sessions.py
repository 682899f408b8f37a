"""Sessions, and what belongs to one: its views, filters and half-read results."""

from __future__ import annotations

import hmac
import time
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from pyVmomi import vim

_COOKIE = "vmware_soap_session"


@dataclass(slots=True)
class Session:
    """One login."""

    key: str
    user: str
    logged_in: datetime
    used: float  # time.monotonic of the last request
    views: list[Any] = field(default_factory=list)
    filters: dict[str, Any] = field(default_factory=dict)  # updates.Filter by its managed object id
    unread: dict[str, tuple[list[Any], int | None]] = field(default_factory=dict)  # token -> (results that are still to be sent, page size)

    def about(self) -> Any:
        """UserSession."""
        return vim.UserSession(
            key=self.key,
            userName=self.user,
            fullName=self.user,
            loginTime=self.logged_in,
            lastActiveTime=datetime.now(UTC),
            locale="en",
            messageLocale="en",
        )


class Sessions:
    """The sessions of one vCenter; one without requests for `seconds` ends."""

    def __init__(self, username: str, password: str, seconds: float) -> None:
        self.seconds = seconds
        self._username = username
        self._password = password
        self._open: dict[str, Session] = {}

    def login(self, username: str, password: str) -> Session:
        """Open a session.

        Raises:
            vim.fault.InvalidLogin: the name or the password is wrong; the fault does not say which.
        """
        good = hmac.compare_digest(username.encode(), self._username.encode()) and hmac.compare_digest(
            password.encode(), self._password.encode()
        )
        if not good:
            raise vim.fault.InvalidLogin(msg="Cannot complete login due to an incorrect user name or password.")
        session = Session(str(uuid.uuid4()), username, datetime.now(UTC), time.monotonic())
        self._open[session.key] = session
        return session

    def of(self, headers: Any) -> Session | None:
        """The session that a request's cookie names, if it is still open."""
        cookies = dict(part.strip().partition("=")[::2] for part in headers.get("cookie", "").split(";"))
        return self.named(cookies.get(_COOKIE, "").strip('"'))

    def named(self, key: str) -> Session | None:
        """The session with this key, if it is still open; its idle time starts again."""
        session = self._open.get(key)
        if session is None:
            return None
        if time.monotonic() - session.used > self.seconds:
            self.close(session)
            return None
        session.used = time.monotonic()
        return session

    def close(self, session: Session) -> None:
        """End one session."""
        self._open.pop(session.key, None)

    def expire(self) -> None:
        """End every session at once, as a vCenter does when it restarts."""
        self._open.clear()

    @property
    def count(self) -> int:
        """The number of open sessions."""
        return len(self._open)


def cookie(session: Session) -> tuple[str, str]:
    """The header that sends a session's cookie to the client."""
    return ("Set-Cookie", f'{_COOKIE}="{session.key}"; Path=/; HttpOnly; Secure')
