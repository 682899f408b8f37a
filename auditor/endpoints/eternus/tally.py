"""What one pass over an ETERNUS DX has seen so far, and how often."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from auditor.endpoints.common.records import Complaints

T = TypeVar("T")

UNKNOWN_FORM: Final = "is answered in the machine's form, whose fields are not public for this command; an account for people gets text"


@dataclass(slots=True)
class Seen:
    """Ids that later topics name; None until they were all read."""

    volumes: frozenset[str] | None = None
    hosts: frozenset[str] | None = None


def once_each(found: Iterable[T], key: Callable[[T], str], complaints: Complaints) -> Iterator[T]:
    """Those whose key has not been seen yet; a second one is complained about, since two rows would count one object twice."""
    seen: set[str] = set()
    for one in found:
        name = key(one)
        if name in seen:
            complaints.add("the number", name, "came twice; the second record was left out")
            continue
        seen.add(name)
        yield one
