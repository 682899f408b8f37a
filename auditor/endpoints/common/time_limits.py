"""Time limits for what has none of its own: the system's resolver of names, a keyring that asks at the screen.

The work goes on in a thread of its own after its time; nobody waits for it, and it does not keep this process alive.
"""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class UnresolvedNameError(TimeoutError):
    """The system's resolver took too long; the text says with which name."""


def within(seconds: float, work: Callable[[], T]) -> T:
    """What `work` returns, or raises.

    Raises:
        TimeoutError: it did neither within so many seconds.
    """
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:  # noqa: BLE001  it is raised where it is waited for
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    if errors:
        raise errors[0]
    if not results:
        raise TimeoutError
    return results[0]


def addresses_of(host: str, port: int, seconds: float) -> list[str]:
    """The addresses of a name, as the system's resolver gives them, each once.

    Raises:
        UnresolvedNameError: it did not answer within so many seconds.
        OSError, UnicodeError: it has none.
    """
    with suppress(ValueError, OSError):
        socket.inet_pton(socket.AF_INET6 if ":" in host else socket.AF_INET, host)
        return [host]
    try:
        found = within(seconds, lambda: socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
    except TimeoutError:
        raise UnresolvedNameError(f"the name {host} was not resolved within {seconds:g} s") from None
    return list(dict.fromkeys(str(one[4][0]) for one in found))


def connected(address: tuple[str, int], timeout: float, source_address: Any = None) -> socket.socket:
    """As `socket.create_connection`, with the same limit for looking up the name.

    Raises:
        UnresolvedNameError: as `addresses_of`.
        TimeoutError: no address answered in time.
        OSError: none of them can be connected to.
    """
    host, port = address
    last: OSError | None = None
    for one in addresses_of(host, port, timeout):
        try:
            return socket.create_connection((one, port), timeout, source_address)
        except OSError as error:
            last = error
    raise last if last is not None else OSError(f"the name {host} has no address")
