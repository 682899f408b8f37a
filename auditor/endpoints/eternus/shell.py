"""An SSH shell on an ETERNUS DX, as a plain synchronous object: asyncssh runs on an event loop in a thread of its own.

Nothing here knows what a command means. The host key is checked as `ssh` of the endpoint says, and never accepted because it is new.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.answer_limits import MOST_BYTES, WHOLE_ANSWER_TIMEOUTS, too_large
from auditor.endpoints.common.host_keys import ssh_trust
from auditor.endpoints.common.routes import dial
from auditor.endpoints.common.secrets import password_of
from auditor.endpoints.common.time_limits import addresses_of
from auditor.endpoints.eternus.answers import PROMPT
from auditor.endpoints.eternus.login import known_hosts, login_of
from auditor.errors import CredentialsError, EndpointError, EndpointUnreachableError, MalformedAnswerError
from auditor.model import Exchange

if TYPE_CHECKING:
    from collections.abc import Coroutine

    import asyncssh

    from auditor.model import Endpoint

_PIECE = 1 << 16
_TERMINAL = (512, 9999)  # columns and lines: what is shown shall neither be broken nor paged
_LONGEST_LINE = 200  # characters
_PAGER = re.compile(r"(?:press|hit) [^\r\n]{0,60}(?:key|enter|space)[^\r\n]{0,80}$|-- ?more ?--[^\r\n]{0,20}$", re.IGNORECASE)
"""What a shell ends a page with. No public source has the array's own words; not verified."""
_LAST_RESORT = "+aes256-cbc,aes192-cbc,aes128-cbc,3des-cbc"
"""Ciphers for arrays that offer nothing better; appended, so a better one wins. Source: Fujitsu's OpenSDS driver appends 3des-cbc."""


@dataclass(frozen=True, slots=True)
class Lost:
    """There was no whole answer.

    Attributes:
        sent: the command may have reached the array.
        in_part: the answer had begun.
        in_time: False when the array stayed silent for too long; true when the connection ended.
        paged: the answer stopped for a key, as one does that is shown a page at a time.
    """

    reason: str
    sent: bool
    in_part: bool = False
    in_time: bool = True
    paged: bool = False


class Shell:
    """One shell at a time on one array; opened by `connect`. Not safe to use from several threads at once.

    Raises:
        ConfigurationError: the endpoint's known_hosts file cannot be read.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._known_hosts = known_hosts(endpoint)
        self._connection: asyncssh.SSHClientConnection | None = None
        self._process: asyncssh.SSHClientProcess[str] | None = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=f"eternus-shell-{endpoint.name}", daemon=True)
        self._thread.start()

    @property
    def is_open(self) -> bool:
        """Whether there is a shell, as far as this side knows."""
        return self._process is not None and not self._process.is_closing()

    def connect(self) -> None:
        """Log in, and wait for the first prompt.

        Raises:
            CredentialsError: the password cannot be looked up, or is refused.
            EndpointUnreachableError: no connection, no prompt in time, or a host key that does not verify.
        """
        self._run(self._hang_up())
        problem = self._run(self._connect(password_of(self._endpoint)))
        if problem is not None:
            self._run(self._hang_up())
            raise problem

    def ask(self, line: str) -> str | Lost:
        """Everything from sending `line` to the next prompt, which is its last word; after a `Lost` the shell is closed."""
        answer: str | Lost = self._run(self._exchange(line))
        if isinstance(answer, Lost):
            self._run(self._hang_up())
        elif self._endpoint.tap is not None:
            self._endpoint.tap(Exchange(line, "SSH", "", line.encode(), 0, {}, answer.encode()))
        return answer

    def close(self) -> None:
        """Hang up and end the thread."""
        if self._thread.is_alive():
            self._run(self._hang_up())
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _connect(self, password: str) -> EndpointError | None:
        """None when there is a prompt. Errors are returned, not raised: outside the handler no exception holds the password."""
        import asyncssh

        endpoint = self._endpoint
        login = login_of(endpoint, password)
        line = None
        try:
            async with asyncio.timeout(endpoint.limits.timeout_seconds):
                if endpoint.route is not None:
                    line = await asyncio.to_thread(dial, endpoint)
                else:
                    # The loop's own way to look up a name would keep this process alive until the resolver gives up.
                    await asyncio.to_thread(addresses_of, endpoint.address, endpoint.port, endpoint.limits.timeout_seconds)
                self._connection = await asyncssh.connect(
                    endpoint.address,
                    endpoint.port,
                    sock=None if line is None else line.socket,
                    username=endpoint.username,
                    client_factory=lambda: login,
                    known_hosts=self._known_hosts,
                    client_keys=None,
                    agent_path=None,
                    gss_host=None,
                    config=None,
                    preferred_auth="password,keyboard-interactive",
                    encryption_algs=_LAST_RESORT,
                )
                self._process = await self._connection.create_process(
                    term_type="vt100", term_size=_TERMINAL, encoding="utf-8", errors="replace"
                )
        except asyncssh.PermissionDenied:
            return CredentialsError(
                f"endpoint {endpoint.name}: it refused the login of {endpoint.username}",
                why="nothing on it was read.",
                do="check the user name and the secret of this endpoint in fleet.yaml, and that the account is not locked.",
            )
        except asyncssh.HostKeyNotVerifiable:
            return self._unverified(login.shown)
        except TimeoutError:
            return self._unreachable(f"no login within {endpoint.limits.timeout_seconds:g} s")
        except (OSError, asyncssh.Error) as error:
            trouble = await asyncio.to_thread(line.trouble, error) if line is not None else None
            return self._unreachable(str(trouble or error) or type(error).__name__)
        finally:
            login.forget()
        reply = await self._until_prompt("")
        return self._unreachable(f"logged in, and then {reply.reason}") if isinstance(reply, Lost) else None

    async def _exchange(self, line: str) -> str | Lost:
        import asyncssh

        if self._process is None or self._process.is_closing():
            return Lost("the connection had ended", sent=False)
        try:
            self._process.stdin.write(f"{line}\n")
        except (OSError, asyncssh.Error) as error:
            return Lost(str(error) or type(error).__name__, sent=False)
        return await self._until_prompt(line)

    async def _until_prompt(self, line: str) -> str | Lost:
        """What comes up to a prompt at the very end. A prompt alone does not answer a line: it is one that came late."""
        import asyncssh

        if self._process is None:
            return Lost("the connection had ended", sent=False)
        seconds = self._endpoint.limits.timeout_seconds
        deadline = self._loop.time() + WHOLE_ANSWER_TIMEOUTS * seconds
        pieces: list[str] = []
        held, tail = 0, ""
        while self._loop.time() < deadline:
            try:
                async with asyncio.timeout(seconds):
                    piece = await self._process.stdout.read(_PIECE)
            except TimeoutError:
                return Lost(f"no prompt within {seconds:g} s", sent=True, in_part=_begun(pieces, line), in_time=False)
            except (OSError, asyncssh.Error) as error:
                return Lost(str(error) or type(error).__name__, sent=True, in_part=_begun(pieces, line))
            if not piece:
                return Lost("the connection ended", sent=True, in_part=_begun(pieces, line))
            pieces.append(piece)
            held += len(piece)
            if held > MOST_BYTES:
                return Lost(too_large(), sent=True, in_part=True)
            tail = (tail + piece)[-_LONGEST_LINE:]
            if _PAGER.search(tail):
                return Lost("the answer is shown a page at a time", sent=True, in_part=True, paged=True)
            if tail.endswith(PROMPT):
                text = "".join(pieces)
                if not line or text.removesuffix(PROMPT).strip():
                    return text
        return Lost("the answer arrives too slowly to be awaited", sent=True, in_part=True, in_time=False)

    async def _hang_up(self) -> None:
        connection, self._connection, self._process = self._connection, None, None
        if connection is not None:
            connection.abort()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._endpoint.limits.timeout_seconds):
                    await connection.wait_closed()

    def _unverified(self, shown: str) -> EndpointUnreachableError:
        endpoint = self._endpoint
        pinned = ssh_trust(endpoint).fingerprint
        wanted = f"not {pinned}" if pinned else "which is not in the known_hosts file"
        return EndpointUnreachableError(
            f"endpoint {endpoint.name}: {endpoint.address}:{endpoint.port} shows host key {shown or 'of an unknown kind'}, {wanted}",
            why="it may be somebody else, so no password was sent and nothing was read.",
            do="compare it with what the array's own console shows, then set `ssh: {fingerprint: ...}` of this endpoint in fleet.yaml.",
        )

    def _unreachable(self, reason: str) -> EndpointUnreachableError:
        endpoint = self._endpoint
        return EndpointUnreachableError(
            f"endpoint {endpoint.name}: {endpoint.address}:{endpoint.port} gives no shell: {reason}",
            why="the request was never sent.",
            do="check the address, that SSH is open on the array, and the network between, or raise `limits: {timeout_seconds}`.",
        )


def _begun(pieces: list[str], line: str) -> bool:
    """Whether anything came behind the echo."""
    text, echo = "".join("".join(pieces).split()), "".join(line.split())
    return bool(text.partition(echo)[2] if echo in text else text)


def lost(endpoint: Endpoint, command: str, trouble: Lost, why: str) -> EndpointError:
    """The error for an answer that did not come: a broken one makes no sense, a missing one means that nobody answers."""
    if trouble.in_part and trouble.in_time:
        return MalformedAnswerError(
            f"endpoint {endpoint.name}: its answer to {command!r} broke off: {trouble.reason}",
            why=why,
            do="ask again; if it stays, look at the array's own events.",
        )
    return EndpointUnreachableError(
        f"endpoint {endpoint.name}: {endpoint.address}:{endpoint.port} did not answer {command!r}: {trouble.reason}",
        why=why if trouble.sent else "the request was never sent.",
        do="check the network between, or raise `limits: {timeout_seconds}` of this endpoint.",
    )
