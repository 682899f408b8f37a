"""The lab's endpoint of the Dot Hill family: commands as addresses over HTTPS, JSON or XML, a login by hash or basic authentication."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import unquote
from xml.sax.saxutils import escape, quoteattr

from auditor_lab.arrays.dothill.records import SHOWN, maps_of_initiator
from auditor_lab.wire import Answer, Request, WireServer

if TYPE_CHECKING:
    import ssl

    from auditor_lab.arrays.dothill.description import DotHillDescription

Alteration: TypeAlias = Callable[[dict[str, Any]], Any]

_SESSION_SECONDS = 1800.0  # Dell ME5 CLI guide, as alexandergott-afk/jt-pve-storage-dellemc, docs/TESTING.md, has it
_NO_SESSION = ("Error: The user is not recognized on this system.", -10027)
_UNKNOWN = ("Error: The command was not recognized.", -10008)  # code and words are not verified
_NAMED = frozenset({"pools", "volumes"})  # of these one may be asked for by its name


class DotHillServer(WireServer):
    """Serves one array at one address, until `stop`; it reads alone.

    Args:
        description: what the array holds.
        tls_context: the server's certificate.
        username, password: of its only account; only compared, never sent.
        session_seconds: after this time without a request a session ends.

    Attributes:
        alterations: by operation ("show volumes"), a function that changes the objects of an answer before it is sent.
        expects_md5: whether the login takes a hash by MD5, as older firmware does, and as OpenStack cinder's client sends it.
    """

    def __init__(
        self,
        description: DotHillDescription,
        tls_context: ssl.SSLContext,
        username: str,
        password: str,
        *,
        session_seconds: float = _SESSION_SECONDS,
        expects_md5: bool = False,
    ) -> None:
        self.description = description
        self.alterations: dict[str, Alteration] = {}
        self.expects_md5 = expects_md5
        self._account = (username, password)
        self._seconds = session_seconds
        self._sessions: dict[str, float] = {}  # key -> time.monotonic of its last request
        self._lock = threading.Lock()
        super().__init__(self._answer, _operation, tls_context)

    def expire_sessions(self) -> None:
        """End every session at once, as the restart of a management controller does."""
        with self._lock:
            self._sessions.clear()

    def _answer(self, request: Request) -> Answer:
        words = _words(request)
        as_json = not self.description.answers_xml and request.headers.get("datatype") == "json"
        with self._lock:
            objects = self._do(request, words)
        objects = self.alterations.get(_operation(request), dict)(objects)
        return Answer(json.dumps(objects).encode(), "application/json") if as_json else Answer(_xml(objects), "text/xml")

    def _do(self, request: Request, words: list[str]) -> dict[str, Any]:
        if words[:1] == ["login"]:
            return self._login(request, words)
        key, now = request.headers.get("sessionkey", ""), time.monotonic()
        used = self._sessions.get(key)
        if used is None or now - used > self._seconds:
            self._sessions.pop(key, None)
            return _status(*_NO_SESSION)
        self._sessions[key] = now
        if words in (["exit"], ["logout"]):
            del self._sessions[key]
            return _status("Command completed successfully.", 0)
        return self._show(words)

    def _show(self, words: list[str]) -> dict[str, Any]:
        if words[:1] != ["show"] or len(words) < 2:
            return _status(*_UNKNOWN)
        if words[1] == "sessions":
            own = {"object-name": "sessions", "username": self._account[0], "roles": self.description.role}
            return {"sessions": [own], **_status("Command completed successfully.", 0)}
        reader = SHOWN.get(words[1])
        if reader is None or (words[1] == "alerts" and not self.description.has_alerts):
            return _status(*_UNKNOWN)
        if words[1:3] == ["maps", "initiator"] and len(words) == 4:
            return {**maps_of_initiator(self.description, words[3]), **_status("Command completed successfully.", 0)}
        found: dict[str, Any] = dict(reader(self.description))
        if words[1] in _NAMED and len(words) == 3:
            wanted = unquote(words[2]).strip('"')
            found = {kind: [one for one in listed if wanted in (one.get("name"), one.get("volume-name"))] for kind, listed in found.items()}
            if not any(found.values()):
                return _status(f"Error: The name was not found. - {wanted}", -10075)
        return {**found, **_status("Command completed successfully.", 0)}

    def _login(self, request: Request, words: list[str]) -> dict[str, Any]:
        pair = "_".join(self._account).encode()
        digest = (hashlib.md5 if self.expects_md5 else hashlib.sha256)(pair).hexdigest()  # MD5 is what such firmware takes
        basic = f"Basic {base64.b64encode(':'.join(self._account).encode()).decode()}"
        given = words[1] if len(words) == 2 else ""
        by_hash = hmac.compare_digest(given.encode(), digest.encode())
        by_basic = not given and hmac.compare_digest(request.headers.get("authorization", "").encode(), basic.encode())
        if not by_hash and not by_basic:
            return _status("Authentication Unsuccessful", 1, is_error=True)
        key = secrets.token_hex(16)
        self._sessions[key] = time.monotonic()
        return _status(key, 1)


def _words(request: Request) -> list[str]:
    return [one for one in request.path.partition("?")[0].removeprefix("/api").split("/") if one]


def _operation(request: Request) -> str:
    words = _words(request)
    return words[0] if words[:1] == ["login"] else " ".join(words[:2])


def _status(text: str, code: int, *, is_error: bool = False) -> dict[str, Any]:
    """The object that ends each answer. A login has return code 1, however it ended (OpenStack cinder, test_seagate.py)."""
    is_error = is_error or code not in (0, 1)
    entry = {
        "object-name": "status",
        "response-type": "Error" if is_error else "Success",
        "response-type-numeric": int(is_error),
        "response": text,
        "return-code": code,
        "component-id": "",
        "time-stamp-numeric": int(time.time()),
    }
    return {"status": [entry]}


def _xml(objects: dict[str, Any]) -> bytes:
    """The same as XML: objects one after another, and in front of each what it is a part of."""
    lines = ['<?xml version="1.0" encoding="UTF-8" standalone="yes"?>', '<RESPONSE VERSION="L100">']
    number = 0

    def put(kind: str, one: dict[str, Any], part_of: int) -> None:
        nonlocal number
        number += 1
        own = number
        lines.append(f'<COMP G="{part_of}" P="{own}"/>')
        lines.append(f'<OBJECT basetype={quoteattr(kind)} name={quoteattr(str(one.get("object-name", kind)))} oid="{own}" format="rows">')
        for name, value in one.items():
            if name != "object-name" and not isinstance(value, list):
                lines.append(f"<PROPERTY name={quoteattr(name)}>{escape(str(value))}</PROPERTY>")
        lines.append("</OBJECT>")
        for inner, listed in one.items():
            for each in listed if isinstance(listed, list) else ():
                put(inner, each, own)

    for kind, listed in objects.items():
        for one in listed:
            put(kind, one, 0)
    return "\n".join([*lines, "</RESPONSE>"]).encode()
