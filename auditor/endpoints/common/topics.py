"""How every array is read: topic by topic, each of them whole or with a gap."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeAlias

from auditor.errors import CredentialsError, EndpointError, EndpointUnreachableError
from auditor.facts.schema import Batch
from auditor.model import Gap

if TYPE_CHECKING:
    from auditor.facts.needs import Needs
    from auditor.model import Endpoint

Row: TypeAlias = dict[str, Any]

_GIVE_UP_AFTER = 2  # topics in a row that got no answer: the others would each wait for their own timeout


def read_topics(endpoint: Endpoint, needs: Needs, topics: Mapping[str, Callable[[], Iterator[Batch | Gap]]]) -> Iterator[Batch | Gap]:
    """Yield what `topics` read, those that are needed and in their order, and one row of `reading` for each.

    A topic that yields a gap is not complete. One that cannot be asked leaves a gap, and the next one is tried, until the endpoint has
    fallen silent or refuses our credentials.
    """
    silent = 0
    for topic, read in topics.items():
        if topic not in needs.topics:
            continue
        complete = True
        try:
            if silent >= _GIVE_UP_AFTER:
                yield Gap(endpoint.name, topic, "not asked: the endpoint had stopped answering")
                complete = False
            else:
                for item in read():
                    complete = complete and not isinstance(item, Gap)
                    yield item
                silent = 0
        except EndpointError as error:
            complete = False
            silent = _silence(silent, error)
            yield Gap(endpoint.name, topic, error.what)
        row: Row = {"scope": "", "topic": topic, "complete": complete, "read_at": datetime.now(UTC)}
        yield batch("reading", endpoint.name, [row])


def _silence(before: int, error: EndpointError) -> int:
    """How many topics in a row got no answer; refused credentials settle it for all, and locking the account must not be risked."""
    if isinstance(error, CredentialsError):
        return _GIVE_UP_AFTER
    return before + 1 if isinstance(error, EndpointUnreachableError) else 0


def batch(table: str, endpoint: str, found: list[Row]) -> Batch:
    """Rows, all with the same columns, as columns; each row marked with its endpoint."""
    names = list(found[0]) if found else []
    return Batch(table, {"endpoint": [endpoint] * len(found), **{name: [row[name] for row in found] for name in names}})
