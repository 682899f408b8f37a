"""Runs Dask's scheduler until a signal comes; and what its workers have in common with it."""

from __future__ import annotations

import asyncio
import errno
import signal
import socket
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from auditor.errors import ConfigurationError
from auditor.workers.metrics import HttpServer, register_sites

if TYPE_CHECKING:
    from distributed.security import Security

    from auditor.workers.address import Address

NOTHING_STARTED = "nothing was started."
_LOSSES = 2  # workers that may be lost with a task: what ends three is a gap, and ends no more of them
CLOSE_SECONDS = 10.0  # what is being read when the signal comes is not waited for

Say = Callable[[str], None]
"""Shows a line to the person who started the process."""


def serve_scheduler(listen: Address, security: Security | None, http: HttpServer, say: Say) -> None:
    """Run a scheduler until a signal comes; `say` gets one line once it can be reached.

    Raises:
        ConfigurationError: it cannot listen there.
    """
    asyncio.run(until_signal(lambda stop: _schedule(listen, security, http, say, stop)))


async def until_signal(run: Callable[[asyncio.Event], Coroutine[Any, Any, None]]) -> None:
    """Run a server with an event that a signal sets; a second one ends the process as ever."""
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}

    def end(number: signal.Signals) -> None:
        stop.set()
        loop.remove_signal_handler(number)
        signal.signal(number, signal.SIG_DFL)

    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            loop.add_signal_handler(number, end, number)
    await run(stop)


async def _schedule(listen: Address, security: Security | None, http: HttpServer, say: Say, stop: asyncio.Event) -> None:
    import dask
    from distributed.scheduler import Scheduler

    from auditor.workers.logs import set_up_logs

    set_up_logs()
    http.configure()
    dask.config.set({"distributed.scheduler.allowed-failures": _LOSSES})
    scheduler = Scheduler(
        host=listen.host,
        port=listen.port,
        protocol="tls" if listen.is_encrypted else "tcp",
        security=security,
        dashboard=False,
        dashboard_address=http.address,
    )
    register_sites(scheduler)
    try:
        await scheduler
    except RuntimeError as error:  # what Dask makes of every failure to begin
        raise cannot_listen(error, "--listen ADDRESS:PORT") or error from None
    say(f"scheduler ready on {scheduler.address}{http.shown()}")
    await first_of(stop.wait(), scheduler.finished())
    with suppress(TimeoutError):
        await asyncio.wait_for(scheduler.close(), CLOSE_SECONDS)


def cannot_listen(error: BaseException, option: str) -> ConfigurationError | None:
    """The mistake in an address that kept a server from listening; None: it failed for another reason."""
    cause = root(error)
    if not isinstance(cause, OSError) or cause.errno not in (errno.EADDRINUSE, errno.EADDRNOTAVAIL, errno.EACCES, socket.EAI_NONAME):
        return None
    return ConfigurationError(f"cannot listen there: {cause.strerror}", why=NOTHING_STARTED, do=f"give another {option}.")


def root(error: BaseException) -> BaseException:
    """What an error was raised for in the end."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def other_authority(scheduler: Address) -> ConfigurationError:
    """The error of a handshake that failed for a certificate."""
    return ConfigurationError(
        f"the scheduler {scheduler} has a certificate of another authority, or is none",
        why="nothing was sent to it: it cannot prove to be ours.",
        do="give all machines files of one set of `auditor workers certificates --out DIR`.",
    )


async def first_of(*waits: Coroutine[Any, Any, Any]) -> None:
    """Wait for the first of several; the others are given up. What the first one raises is raised."""
    tasks = [asyncio.ensure_future(wait) for wait in waits]
    done, others = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    for task in done:
        task.result()
