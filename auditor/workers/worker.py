"""Runs one of Dask's workers until a signal comes: waits for its scheduler, and begins anew when that has come back."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from auditor.errors import ConfigurationError
from auditor.workers.serving import CLOSE_SECONDS, NOTHING_STARTED, Say, cannot_listen, first_of, other_authority, root, until_signal
from auditor.workers.sites import resources_of
from auditor.workers.versions import version_text

if TYPE_CHECKING:
    from distributed.security import Security

    from auditor.workers.address import Address
    from auditor.workers.metrics import HttpServer

_ASK_SECONDS = 5.0  # to connect to the scheduler, before the next attempt
_PAUSE_SECONDS = 2.0  # between two attempts, and before a worker whose scheduler has gone begins anew
SETTINGS = {"distributed.worker.profile.enabled": False}
"""Dask's settings of a worker. Its profiler looks at the frames of all threads a hundred times a second, which Python 3.11 does not bear
where they run meanwhile: the process dies of it, or takes one object for another.

Source: https://github.com/dask/distributed/issues/8163; seen with 200 threads of reading in one worker, docs/scale.md
"""


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """How a worker reads."""

    scheduler: Address
    security: Security | None  # None: TCP on loopback
    http: HttpServer
    sites: tuple[str, ...] = ()  # whose endpoints it reads, besides those of no site
    threads: int = 4  # endpoints read at once
    memory_limit: str = "auto"  # as Dask takes it: "4GiB", "auto" for the machine's, "0" for none
    host: str | None = None  # where it listens; None: the address by which it reaches the scheduler
    port: int = 0  # of the worker, the next one is its nanny's; 0: any that are free
    name: str | None = None  # None: its address


def serve_worker(options: WorkerOptions, say: Say) -> None:
    """Run a worker until a signal comes: it waits for its scheduler, and for it to come back when it has gone.

    Raises:
        ConfigurationError: it cannot listen there, or the scheduler's certificate is of another authority.
    """
    resources_of(options.sites)
    asyncio.run(until_signal(lambda stop: _work(options, say, stop)))


async def _work(options: WorkerOptions, say: Say, stop: asyncio.Event) -> None:
    from auditor.workers.logs import set_up_logs

    set_up_logs()
    options.http.configure()
    while not stop.is_set():
        await first_of(stop.wait(), _reachable(options, say))
        if not stop.is_set():
            # Facts that do not fit into memory go there; Dask's own folder in $TMPDIR may be read by every account.
            with TemporaryDirectory(prefix="auditor-worker-", ignore_cleanup_errors=True) as folder:
                await _work_once(options, folder, say, stop)
        if not stop.is_set():
            say(f"the scheduler {options.scheduler} has gone; waiting for it")
            await first_of(stop.wait(), asyncio.sleep(_PAUSE_SECONDS))


async def _work_once(options: WorkerOptions, folder: str, say: Say, stop: asyncio.Event) -> None:
    """Serve one scheduler until it has gone, or until a signal comes."""
    import dask
    from distributed.nanny import Nanny

    from auditor.workers.logs import QuietLogs

    dask.config.set(SETTINGS)  # of this process: the nanny hands them on
    worker = Nanny(
        str(options.scheduler),
        nthreads=options.threads,
        memory_limit=options.memory_limit,
        resources=resources_of(options.sites),
        security=options.security,
        host=options.host,
        worker_port=options.port,
        port=options.port + 1 if options.port else 0,
        name=options.name,
        local_directory=folder,
        dashboard_address=options.http.address,
        startup_information={"auditor": version_text},
        plugins=(QuietLogs(),),
        silence_logs=logging.CRITICAL,
        death_timeout=60,
    )
    try:
        await worker
        of = ", ".join(options.sites) or "no site"
        reads = f"reads endpoints of {of}, {options.threads} at once, for {options.scheduler}"
        say(f"worker ready on {worker.worker_address}: {reads}{options.http.shown()}")
        await first_of(stop.wait(), worker.finished())
    except RuntimeError as error:
        mistake = cannot_listen(error, "--host and --port")
        if mistake is not None:
            raise mistake from None
        if not isinstance(root(error), OSError):
            raise
        # The scheduler has gone while the worker began.
    finally:
        with suppress(TimeoutError):
            await asyncio.wait_for(worker.close(timeout=CLOSE_SECONDS / 2), CLOSE_SECONDS)


async def _reachable(options: WorkerOptions, say: Say) -> None:
    """Wait until the scheduler answers.

    Raises:
        ConfigurationError: it answers, and is not one that this worker may trust, or the other way round.
    """
    from distributed.comm.core import FatalCommClosedError
    from distributed.core import rpc

    arguments = options.security.get_connection_args("worker") if options.security is not None else {}
    has_said = False
    while True:
        try:
            async with rpc(str(options.scheduler), connection_args=arguments, timeout=_ASK_SECONDS) as scheduler:
                await scheduler.identity(n_workers=0)
        except FatalCommClosedError:
            raise other_authority(options.scheduler) from None
        except OSError:
            if not has_said:
                say(f"waiting for the scheduler {options.scheduler}")
            has_said = True
            await asyncio.sleep(_PAUSE_SECONDS)
        else:
            return


def memory_limit_of(text: str) -> str:
    """A limit as Dask takes it: "auto", or a size such as 4GiB.

    Raises:
        ConfigurationError: it is none of them.
    """
    from auditor.workers.security import require_dask

    require_dask()
    from dask.utils import parse_bytes

    try:
        if text == "auto" or parse_bytes(text) >= 0:
            return text
    except ValueError:
        pass
    raise ConfigurationError(f'--memory-limit "{text}" is not a size', why=NOTHING_STARTED, do="--memory-limit 4GiB, or leave it out.")
