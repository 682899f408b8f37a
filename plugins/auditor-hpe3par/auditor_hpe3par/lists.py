"""Lists of WSAPI: whether they are whole, and those that several topics need, which are asked for once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.records import ParseErrors, Record, objects
from auditor.errors import CredentialsError, EndpointError
from auditor.model import Gap
from auditor_hpe3par.qos import QosRule, rule_of

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping

    from auditor_hpe3par.client import Hpe3Par

Sets = dict[str, list[str]]


def listed(answer: Mapping[str, Any], errors: ParseErrors) -> Iterator[Mapping[str, Any]]:
    """The objects of a list; a list that counts more than it has, or does not count, is not whole.

    Source: the guide of WSAPI 1.3.1, p. 109: the total is the number of objects in the collection.
    """
    yield from (value for _, value in objects(answer, "members", errors))
    total, members = answer.get("total"), answer.get("members")
    if type(total) is not int:
        errors.add("total", "the answer", "is not a number: whether it is whole is not known")
    elif isinstance(members, list) and total > len(members):
        errors.add("total", "the answer", f"is {total:,}, and {len(members):,} were listed")


def named(found: Iterable[Mapping[str, Any]], kind: str, errors: ParseErrors, *, nameless: str = "") -> Iterator[Record]:
    """The records that have a name; others are parse errors, and left out.

    Args:
        found: of `listed`.
        kind: what people call one.
        errors: about the answer.
        nameless: a field; what lacks a name and this one is no such thing, and left out without a word.
    """
    for value in found:
        name = value.get("name")
        if isinstance(name, str) and name:
            yield Record(value, f"{kind} {name}", errors)
        elif not nameless or value.get(nameless) is not None or name is not None:
            errors.add("name", kind, "is missing or no string")


@dataclass(frozen=True, slots=True)
class Rules:
    """The QoS rules that were listed, and whether these are all."""

    rules: tuple[QosRule, ...]
    is_whole: bool


@dataclass(slots=True)
class Lists:
    """What several topics need of an array. Each topic that needs a list has its gaps; it is asked for once."""

    array: Hpe3Par
    endpoint: str
    _rules: Rules | None = None
    _sets: dict[str, Sets | None] = field(default_factory=dict)
    _gaps: dict[str, list[Gap]] = field(default_factory=dict)

    def rules(self) -> Generator[Gap, None, Rules]:
        """The QoS rules; yields why they are not known whole."""
        if self._rules is None:
            of_list, of_rules = ParseErrors("GET qos"), ParseErrors("GET qos")
            found = [Record(one.value, one.label, of_rules) for one in named(self._answer("qos", of_list), "rule", of_list)]
            self._rules = Rules(tuple(rule_of(record) for record in found), not of_list.any and not self._gaps.get("qos"))
            self._gaps.setdefault("qos", []).extend([*of_list.gaps(self.endpoint), *of_rules.gaps(self.endpoint)])
        yield from self._gaps["qos"]
        return self._rules

    def sets(self, path: str) -> Generator[Gap, None, Sets | None]:
        """The members of each set of "volumesets" or "hostsets", by its name; None, and why, where they are not known whole.

        A set that reports no members has none.
        """
        if path not in self._sets:
            errors = ParseErrors(f"GET {path}")
            found: Sets = {}
            for one in named(self._answer(path, errors), "set", errors):
                members = one.value.get("setmembers")
                if members is not None and not (isinstance(members, list) and all(isinstance(name, str) for name in members)):
                    errors.add("setmembers", one.label, "is not a list of names")
                found[one.value["name"]] = members if isinstance(members, list) else []
            self._sets[path] = None if errors.any or self._gaps.get(path) else found
            self._gaps.setdefault(path, []).extend(errors.gaps(self.endpoint))
        yield from self._gaps[path]
        return self._sets[path]

    def _answer(self, path: str, errors: ParseErrors) -> Iterator[Mapping[str, Any]]:
        """The objects of the list at `path`; none, and a gap, where it cannot be asked for.

        Raises:
            CredentialsError: each further request could lock the account.
        """
        try:
            answer = self.array.get(path)
        except CredentialsError:
            raise
        except EndpointError as error:
            self._gaps[path] = [Gap(self.endpoint, f"GET {path}", error.what)]
            return
        yield from listed(answer, errors)
