"""The client's side of workers: finds the scheduler, and sees that its workers are of the client's own version."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from auditor.endpoints.common.time_limits import connected as tcp_connected
from auditor.endpoints.common.time_limits import within
from auditor.errors import ConfigurationError
from auditor.workers.address import parse_address
from auditor.workers.dispatcher import Dispatcher
from auditor.workers.plain import PLAIN_FORMS, RemoteError
from auditor.workers.security import certificates_folder, security_for
from auditor.workers.versions import full_version_text, is_version_text

if TYPE_CHECKING:
    from pathlib import Path

    from distributed import Client

    from auditor.endpoints.collect import RemoteReader
    from auditor.fleet.loading import Fleet

CONNECT_SECONDS = 10.0
_VERSION_SECONDS = 10.0
_CLOSE_SECONDS = 2.0
_MOST_SHOWN = 5
_NOT_INSTALLED = frozenset({"ImportError", "ModuleNotFoundError", "AttributeError"})
_WHY = "nothing was read."
_begun = threading.Event()


def was_begun() -> bool:
    """Whether this process had a client of Dask: its threads may still wait for a scheduler that is gone."""
    return _begun.is_set()


@contextmanager
def workers_of(address: str | None, certificates: Path | None, fleet: Fleet) -> Iterator[RemoteReader | None]:
    """What has the endpoints of `fleet` read by the workers of the scheduler at `address`; None where there is none, for threads.

    Raises:
        ConfigurationError: the address or the certificates have a mistake, no scheduler answers, or a worker is of another version.
    """
    if address is None:
        yield None
        return
    with connected(address, certificates) as client:
        _check_versions(client)
        yield Dispatcher(client, fleet.site_of)


@contextmanager
def connected(address: str, certificates: Path | None = None) -> Iterator[Client]:
    """A client of the scheduler at `address`, for as long as the block lasts; what it waits for is cancelled with it.

    Raises:
        ConfigurationError: the address or the certificates have a mistake, or no scheduler answers.
    """
    scheduler = parse_address(address, "--workers")
    client = _client(str(scheduler), security_for(scheduler, certificates_folder(certificates), "client"))
    try:
        yield client
    finally:
        with suppress(Exception):  # a scheduler that is gone must not hide what the block ended with
            client.close(timeout=_CLOSE_SECONDS)


def _client(where: str, security: Any) -> Client:
    from auditor.workers.plain_comms import PlainClient, plain_address

    # What it logs of lost connections is said in the report.
    for name in ("distributed", "distributed.client", "distributed.core", "distributed.comm"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    problem = ""
    try:
        _check_listens(where)  # Dask would try again and again until its time is over
        _begun.set()
        # Dask's own limit does not count for what accepts a connection and then says nothing.
        return within(
            CONNECT_SECONDS + _CLOSE_SECONDS,
            lambda: PlainClient(  # type: ignore[no-untyped-call]
                plain_address(where),
                security=security,
                timeout=CONNECT_SECONDS,
                set_as_default=False,
                direct_to_workers=False,
                serializers=PLAIN_FORMS,
                deserializers=PLAIN_FORMS,
            ),
        )
    except (OSError, TimeoutError) as error:
        problem = _first_line(error)
    raise ConfigurationError(
        f"no scheduler can be used at {where}: {problem}",
        why=_WHY,
        do="check the address, that `auditor workers scheduler` runs there, and that its certificates are of the same authority as yours.",
    )


def _check_listens(where: str) -> None:
    """See that something listens at an address.

    Raises:
        OSError: nothing does.
    """
    parts = urlsplit(where)
    with tcp_connected((parts.hostname or "", parts.port or 0), CONNECT_SECONDS):
        pass


def _first_line(error: BaseException) -> str:
    """What is wrong, by the error that the others came from: Dask's own says only that time is over."""
    while error.__cause__ is not None:
        error = error.__cause__
    return (str(error) or "it did not answer in time").splitlines()[0]


def _check_versions(client: Client) -> None:
    """See that workers have what the client has, before anything is read. One that does not answer in time is asked again by each task.

    Raises:
        ConfigurationError: a worker has another version, or no auditor.
    """
    try:
        answers = within(_VERSION_SECONDS, lambda: client.run(full_version_text, on_error="return"))
    except TimeoutError:
        return
    own = full_version_text()
    wrong = {worker: answer for worker, answer in answers.items() if answer != own}
    if not wrong:
        return
    shown = [f"{worker} has {_version_text(answer)}" for worker, answer in sorted(wrong.items())[:_MOST_SHOWN]]
    more = f" and {len(wrong) - _MOST_SHOWN} more" if len(wrong) > _MOST_SHOWN else ""
    raise ConfigurationError(
        f"{len(wrong)} of {len(answers)} workers are not of this version: {'; '.join(shown)}{more}; here is {own}",
        why=f"{_WHY} What another version read could be taken for something else.",
        do="install the same auditor on the client and on all workers, and start the workers again.",
    )


def _version_text(answer: object) -> str:
    if isinstance(answer, RemoteError):
        return "no auditor, or a much older one" if answer.name in _NOT_INSTALLED else answer.name
    return answer if isinstance(answer, str) and is_version_text(answer) else "an answer that is no version"
