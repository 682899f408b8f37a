"""How every array is read: topic by topic, each of them whole or with a gap."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from auditor.endpoints.common.circuit import Circuit
from auditor.errors import CredentialsError, EndpointError
from auditor.facts.schema import Batch
from auditor.model import Gap

if TYPE_CHECKING:
    from auditor.facts.needs import Needs
    from auditor.model import Endpoint

Row: TypeAlias = dict[str, Any]
T = TypeVar("T")

PATIENCE = 2
"""Topics in a row that may reach nothing before the others are not asked."""


def read_topics(endpoint: Endpoint, needs: Needs, topics: Mapping[str, Callable[[], Iterator[Batch | Gap]]]) -> Iterator[Batch | Gap]:
    """Yield what the readers in `topics` yield, of the topics that are needed and in their order, and one row of `reading` for each.

    A topic whose reader yields a gap is not complete. One that cannot be asked leaves a gap, and the next one is tried, until the endpoint
    has stopped answering or refuses our credentials.
    """
    circuit = Circuit(PATIENCE)
    for topic, read in topics.items():
        if topic not in needs.topics:
            continue
        complete = True
        try:
            if circuit.opened_by is not None:
                yield Gap(endpoint.name, topic, "not asked: the endpoint had stopped answering")
                complete = False
            else:
                for item in read():
                    complete = complete and not isinstance(item, Gap)
                    yield item
                circuit.answered()
        except EndpointError as error:
            complete = False
            circuit.failed(error)
            yield Gap(endpoint.name, topic, error.what)
        row: Row = {"scope": "", "topic": topic, "complete": complete, "read_at": datetime.now(UTC)}
        yield batch("reading", endpoint.name, [row])


def optional(endpoint: str, what: str, read: Callable[[], T]) -> Generator[Gap, None, T | None]:
    """Return what `read` returns; where it fails, yield a gap about `what` and return None, as its topic can do without it.

    Raises:
        CredentialsError: each further request could lock the account.
    """
    try:
        return read()
    except CredentialsError:
        raise
    except EndpointError as error:
        yield Gap(endpoint, what, error.what)
        return None


def batch(table: str, endpoint: str, rows: list[Row]) -> Batch:
    """Rows, all with the same columns, as columns; each row marked with its endpoint."""
    names = list(rows[0]) if rows else []
    return Batch(table, {"endpoint": [endpoint] * len(rows), **{name: [row[name] for row in rows] for name in names}})
