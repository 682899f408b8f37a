"""Serves the site of the jobs, `/healthz` and `/metrics`, beside the schedule and in a thread of its own.

It reads: nothing can be changed through it. On addresses other than loopback it wants a token. On loopback without one it answers only to
the names of loopback and to the site's own: a page of somebody else's in a browser of this machine cannot read it under a name of its own.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import ipaddress
import os
import shlex
import socket
import stat
import threading
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from auditor.bounds.files import read_text
from auditor.bounds.limits import SECRET_BYTES
from auditor.errors import ConfigurationError
from auditor.job.site.metrics import CONTENT_TYPE, metrics_text
from auditor.job.site.rooms import with_rooms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

    from auditor.job.job_status import JobStatuses
    from auditor.job.notices import Notifier

LEAST_TOKEN = 16
"""Characters that a token has at least."""
_LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]", "::1"})
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".json": "application/json",
    ".csv": "text/csv; charset=utf-8",
    ".xml": "application/atom+xml; charset=utf-8",
}
"""What is served: the kinds of files that the job publishes."""
_HEADERS = {
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-cache",
}
"""Of every answer; the pages carry the policy for their own script and style."""
_LEAVE_SECONDS = 2
"""When the schedule ends, answers that are on their way have this long."""
_END_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Listen:
    """Where and how the site is served.

    Attributes:
        host: an address of this machine.
        port: 0 takes a free one.
        token: what a reader has to show, as a bearer token or as the password of basic authentication; None: nothing.
        url: where people open the site; its name is answered to as well.
    """

    host: str
    port: int
    token: str | None = None
    url: str | None = None


def parse_listen(text: str, token_file: Path | None, url: str | None = None) -> Listen:
    """Where ``HOST:PORT`` is, with the token of a file.

    Raises:
        ConfigurationError: it is no address and port; the token cannot be read, is too short, or is missing where it is needed.
    """
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    try:
        address = ipaddress.ip_address("127.0.0.1" if host == "localhost" else host)
        number = int(port) if colon and port.isascii() and port.isdigit() else -1
    except ValueError:
        number = -1
    if not 0 <= number <= 65535:
        raise _refused(f'--listen "{text}" is not an address and a port', "--listen 127.0.0.1:8080, or --listen [::1]:8080")
    token = None if token_file is None else _token(token_file)
    if token is None and not address.is_loopback:
        what = f"--listen {text} is reached from other machines, and there is no token"
        raise _refused(what, "write one into a file (openssl rand -hex 32 > token) and add --token-file token.")
    return Listen(str(address), number, token, url)


def _token(path: Path) -> str:
    try:
        token = read_text(path.expanduser(), SECRET_BYTES, encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not ASCII"
        # Somebody may have given the token in the place of its file.
        name = f" {path}" if os.path.lexists(path.expanduser()) else ""
        raise _refused(f"--token-file{name}: {reason}", "openssl rand -hex 32 > token") from error
    if len(token) < LEAST_TOKEN or not token.isprintable() or " " in token:
        what = f"--token-file {path}: its token has blanks, or fewer than {LEAST_TOKEN} characters"
        raise _refused(what, "openssl rand -hex 32 > token")
    return token


def token_warning(path: Path) -> str:
    """What is wrong with who may read the file of the token; "" where nobody else may."""
    if not path.expanduser().stat().st_mode & stat.S_IROTH:  # a group may: secrets of Kubernetes are read so
        return ""
    repair = f"`chmod 600 {shlex.quote(str(path))}`, and write a new token if others have logged in meanwhile"
    return f"--token-file {path}: everybody on this machine may read it, and with its token every report; {repair}"


def _refused(what: str, do: str) -> ConfigurationError:
    return ConfigurationError(what, why="nothing was scheduled: reports name every weakness of a fleet.", do=do)


@dataclass(frozen=True, slots=True)
class Served:
    """What is served.

    Attributes:
        roots: the folder of the pages under each first part of an address; "" is the site's own top.
        statuses: how the jobs are.
        folders: by the job's name, its folder in the state directory.
        notifier: whom notices reach.
    """

    roots: Mapping[str, Path]
    statuses: JobStatuses
    folders: Mapping[str, Path]
    notifier: Notifier


@contextmanager
def serving(listen: Listen, served: Served) -> Iterator[str]:
    """Serve in a thread until the block ends; gives the address.

    Raises:
        ConfigurationError: the port is taken, or the address is not this machine's.
    """
    import uvicorn

    from auditor.job.site.slow_readers import limited_protocol, limited_server

    family = socket.AF_INET6 if ":" in listen.host else socket.AF_INET
    try:
        listener = socket.create_server((listen.host, listen.port), family=family)
    except OSError as error:
        raise _refused(f"--listen {listen.host}:{listen.port}: {error.strerror or error}", "name a free port, for example 8081.") from error
    port = listener.getsockname()[1]
    quiet: dict[str, Any] = {"log_config": None, "access_log": False, "server_header": False, "lifespan": "off"}
    limits: dict[str, Any] = {"timeout_keep_alive": 5, "timeout_graceful_shutdown": _LEAVE_SECONDS}
    config = uvicorn.Config(with_rooms(application(listen, served)), **quiet, **limits, http=limited_protocol(), ws="none")
    server = limited_server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True, name="site")
    thread.start()
    try:
        yield f"http://{f'[{listen.host}]' if family == socket.AF_INET6 else listen.host}:{port}"
    finally:
        server.should_exit = True
        thread.join(_END_SECONDS)
        listener.close()


def application(listen: Listen, served: Served, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> Starlette:
    """The site as an ASGI application."""
    from starlette.applications import Starlette
    from starlette.responses import JSONResponse, PlainTextResponse
    from starlette.routing import Route

    def guarded(answer: Callable[[Request], Response]) -> Callable[[Request], Response]:
        def endpoint(request: Request) -> Response:
            refusal = _refusal(listen, request)
            response = answer(request) if refusal is None else PlainTextResponse(refusal[1], refusal[0])
            if refusal is not None and refusal[0] == 401:
                response.headers["WWW-Authenticate"] = 'Basic realm="auditor", charset="UTF-8"'
            response.headers.update(_HEADERS)
            return response

        return endpoint

    async def healthz(request: Request) -> Response:  # no thread of the pool, which readers of pages may have taken
        # Without the token a probe gets the state and no names.
        is_well = served.statuses.is_well(now())
        whole = served.statuses.record(now())
        shown = whole if _may_read(listen, request) else {"status": whole["status"]}
        return JSONResponse(shown, 200 if is_well else 503, headers=dict(_HEADERS))

    def metrics(_request: Request) -> Response:
        text = metrics_text(served.statuses, served.folders, dict(served.notifier.deliveries), now())
        return PlainTextResponse(text, media_type=CONTENT_TYPE)

    def page(request: Request) -> Response:
        return _file(served.roots, request)

    routes = [
        Route("/healthz", healthz, methods=["GET"]),
        Route("/metrics", guarded(metrics), methods=["GET"]),
        Route("/{path:path}", guarded(page), methods=["GET"]),
    ]
    return Starlette(routes=routes)


def _refusal(listen: Listen, request: Request) -> tuple[int, str] | None:
    """The status and text of the answer to somebody who may not read; None to others."""
    if listen.token is not None:
        return None if _may_read(listen, request) else (401, "a token is needed: Authorization: Bearer TOKEN, or the token as password.\n")
    return None if _may_read(listen, request) else (421, "this site is not served under that name; give it as the site's url.\n")


def _may_read(listen: Listen, request: Request) -> bool:
    """Whether the request shows the token; without one, whether it names a name of this site."""
    if listen.token is None:
        names = _LOOPBACK_NAMES | ({urlsplit(listen.url).hostname or ""} if listen.url else set()) | {listen.host}
        host = request.headers.get("host", "")
        with suppress(ValueError):
            return (urlsplit(f"//{host}").hostname or "") in names
        return False
    kind, _, text = request.headers.get("authorization", "").partition(" ")
    shown = text.strip()
    if kind.lower() == "basic":
        try:
            shown = base64.b64decode(shown, validate=True).decode().partition(":")[2]
        except (binascii.Error, UnicodeDecodeError):
            return False
    elif kind.lower() != "bearer":
        return False
    return hmac.compare_digest(shown.encode("utf-8", "surrogatepass"), listen.token.encode())


def _file(roots: Mapping[str, Path], request: Request) -> Response:
    """A published file; 404 for all else: folders, hidden files, links, devices, and what the job does not publish."""
    from starlette.responses import PlainTextResponse, RedirectResponse

    from auditor.job.site.file_answer import FileAnswer

    path = str(request.path_params["path"])
    parts = path.split("/")
    root = roots.get(parts[0]) if len(parts) > 1 or parts[0] in roots else None
    if root is not None and parts[0]:
        if len(parts) == 1:
            return RedirectResponse(f"/{parts[0]}/", 307)
        parts = parts[1:]
    else:
        root = roots.get("")
    name = parts[-1] or "index.html"
    suffix = f".{name.rpartition('.')[2]}"
    found = None if root is None or suffix not in _TYPES else opened_file(root, [*parts[:-1], name])
    if found is None:
        return PlainTextResponse("there is no such page.\n", 404)
    descriptor, size = found
    return FileAnswer(descriptor, size, _TYPES[suffix])


def opened_file(root: Path, parts: list[str]) -> tuple[int, int] | None:
    """A descriptor of the regular file below `root`, and its size; None where there is none.

    Each part is opened beneath the one before, and never followed where it is a link: neither ".." nor a link leads out of the folder.
    """
    if any(not part or part.startswith(".") or "\0" in part for part in parts):
        return None
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        for place, part in enumerate(parts):
            try:
                below = os.open(part, flags | (os.O_DIRECTORY if place < len(parts) - 1 else 0), dir_fd=descriptor)
            finally:
                os.close(descriptor)
            descriptor = below
    except (OSError, UnicodeEncodeError):
        return None
    about = os.fstat(descriptor)
    if not stat.S_ISREG(about.st_mode):
        os.close(descriptor)
        return None
    return descriptor, about.st_size
