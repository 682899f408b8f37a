"""What every state machine of the lab shares: a line to a server, what a fault of the wire does to a request, how long to search.

How much is tried: `search(machine, sequences, steps)`. As it is, the search is derandomized: CI and everybody else run the very same
sequences, and a failure belongs to the change that brought it. HYPOTHESIS_EXAMPLES=20 in the environment multiplies the sequences and makes
them random: the longer hunt, for example before a release. Hypothesis prints the steps of a failure, which are good to copy into a test.

Failures are shrunk: a sequence of 30 steps takes some tenths of a second, since a machine starts its server anew in milliseconds, all in
one process, and speaks to it over one connection. Hypothesis gives up shrinking after five minutes.
"""

from __future__ import annotations

import http.client
import os
import random
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from auditor_lab.wire import Fault
from tests.waiting import PATIENCE_SECONDS

if TYPE_CHECKING:
    import ssl

    from auditor_lab.wire import Faults

OK, BUSY, NOTHING = "ok", "busy", "nothing"
"""What a client may learn of a write: that it was done, that the server is busy, nothing it could understand. Else the refusal's name."""

_NEVER_ARRIVES = ("status", "drop", "garbage")
_IS_NOT_TOLD = ("lose", "truncate")
ON_THE_WIRE = (*_NEVER_ARRIVES, *_IS_NOT_TOLD)
"""Kinds of faults that every HTTP endpoint has: the first three keep a write from being done, the others only its answer from arriving."""


_A_SEARCH = 10  # sequences
_IN_A_CHECK = 0.4  # of the sequences that each machine asks for: a check has minutes, and the seeds are always the same


class LostError(Exception):
    """There was no answer, or none that could be understood."""


class Line:
    """One connection to a server on loopback, opened anew after it was lost."""

    def __init__(self, port: int, context: ssl.SSLContext) -> None:
        self._connection = http.client.HTTPSConnection("127.0.0.1", port, context=context, timeout=PATIENCE_SECONDS)

    def ask(self, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> tuple[int, http.client.HTTPMessage, bytes]:
        """Status, headers and body of the answer.

        Raises:
            LostError: it did not come, or not whole.
        """
        try:
            self._connection.request(method, path, body, dict(headers))
            response = self._connection.getresponse()
            return response.status, response.headers, response.read()
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()
            raise LostError from error

    def close(self) -> None:
        self._connection.close()


def done(trouble: str | None) -> bool:
    """Whether a request that this happens to reaches the endpoint at all."""
    return trouble not in _NEVER_ARRIVES


def seen(trouble: str | None, answer: str) -> str:
    """What the client learns when the endpoint answers `answer` and this happens to the wire."""
    if trouble == "status":
        return BUSY
    return NOTHING if trouble in (*_NEVER_ARRIVES, *_IS_NOT_TOLD) else answer


def troubled(faults: Faults, trouble: str | None, operation: str, ask: Callable[[], str], **about: Any) -> str:
    """What `ask` brings when a fault of this kind hits its `operation`, once; the fault must have hit it."""
    armed = [] if trouble is None else [Fault(trouble, operation=operation, times=1, **about)]
    faults.replace(armed)
    try:
        answer = ask()
    except LostError:
        answer = NOTHING
    assert all(fault.times == 0 for fault in armed), f"{trouble} did not hit {operation}"
    faults.replace([])
    return answer


def troubles(*kinds: str) -> st.SearchStrategy[str | None]:
    """Two of three writes are left in peace; the others have one of these, or one of the wire's."""
    return st.one_of(st.none(), st.none(), st.sampled_from((*ON_THE_WIRE, *kinds)))


def search(machine: type[RuleBasedStateMachine], sequences: int, steps: int, **given: Any) -> None:
    """Run `sequences` of up to `steps` rules of a machine that has `given` as attributes of its class.

    It is many short searches with seeds of their own: after its tenth sequence, Hypothesis makes five of six by copying pieces of the one
    before, and of 80 sequences only some 15 would be new.
    """
    asked = float(os.environ.get("HYPOTHESIS_EXAMPLES", "0"))
    times = asked or _IN_A_CHECK
    how = settings(
        max_examples=_A_SEARCH,
        stateful_step_count=steps,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
    )
    first = random.SystemRandom().randrange(1 << 32) if asked else 0
    for number in range(first, first + max(1, round(sequences * times / _A_SEARCH))):
        run_state_machine_as_test(seed(number)(type(machine.__name__, (machine,), given)), settings=how)
