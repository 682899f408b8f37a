"""Checks of fleet.yaml as a whole; no endpoint is asked."""

from __future__ import annotations

import re
from functools import partial
from itertools import combinations
from pathlib import PurePath
from typing import TYPE_CHECKING

from auditor.doctor.affected_rules import named
from auditor.doctor.permissions import writable_by_others
from auditor.model import Check, EndpointKind, Health
from auditor.model.endpoint_kinds import endpoint_type, is_array
from auditor.model.identity import is_same
from auditor.pipeline.unmatched import Seen, unmatched_places, unmatched_windows
from auditor.system.shell import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from auditor.doctor.affected_rules import AffectedRules
    from auditor.doctor.vcenter import Places
    from auditor.fleet.loading import Fleet
    from auditor.model import Endpoint

_PRINTERS = frozenset({"echo", "printf"})
_DEVICE_NAME = re.compile(r"[*?\[]|naa\.|eui\.|t10\.|mpx\.|vml\.|uuid\.")
"""How canonical device names begin. Source: docs/domain/arrays.md#device-names; `uuid.` is NVMe's."""


def examine_fleet(fleet: Fleet, affected: AffectedRules) -> Iterator[Check]:
    """Yield checks on "rules", "addresses", "declared" and "fleet.yaml"."""
    yield _rules(fleet, affected)
    yield from _file(fleet)
    yield from _addresses(fleet)
    yield from _declared(fleet)


def examine_identities(endpoints: Sequence[Endpoint], checks: Sequence[Check]) -> Iterator[Check]:
    """Yield a check on "identity" for every two entries of fleet.yaml that turned out to be one endpoint, which an audit refuses.

    Args:
        endpoints: of fleet.yaml.
        checks: on them; those on "version" hold what each endpoint says of itself.
    """
    identities = {
        check.endpoint: str(check.facts["identity"]) for check in checks if check.topic == "version" and check.facts.get("identity")
    }
    for one, other in combinations([endpoint for endpoint in endpoints if endpoint.name in identities], 2):
        if one.kind is other.kind and is_same(identities[one.name], identities[other.name]):
            yield Check(
                "",
                "identity",
                Health.PROBLEM,
                f"{one.name} and {other.name} are one {one.kind}: {identities[one.name]}",
                "an audit refuses this fleet: everything there would be counted, and fixed, twice.",
                "keep one of them in fleet.yaml, or correct its address.",
            )


def examine_entries(fleet: Fleet, places: Places) -> Iterator[Check]:
    """Yield a check on "protect" or "maintenance" for each entry of fleet.yaml that names no host, cluster or endpoint that is there."""
    with_hosts = {endpoint.name for endpoint in fleet.endpoints if not is_array(endpoint.kind)}
    names = [endpoint.name for endpoint in fleet.endpoints]
    hosts = [place for several in places.seen.values() for place in several]
    seen = Seen([*hosts, *((name, None, None) for name in names)], names, frozenset(with_hosts - set(places.seen)))
    do = "correct the name; the names are those that vCenter shows, and * stands for anything."
    for sentence in unmatched_places(fleet.protected, seen):
        yield Check("", "protect", Health.WARNING, sentence, "it protects nothing: a fix asks, and stops where nobody answers.", do)
    for sentence in unmatched_windows(fleet.maintenance, seen):
        yield Check("", "maintenance", Health.WARNING, sentence.rstrip("."), "nothing is written by it.", do)


def _rules(fleet: Fleet, affected: AffectedRules) -> Check:
    """Whether some rules need topics that no endpoint of fleet.yaml has."""
    at = partial(Check, "", "rules")
    readable = frozenset().union(*(affected.topics_of(kind) for kind in {endpoint.kind for endpoint in fleet.endpoints}))
    lost = affected.rules_on(affected.all_topics - readable)
    if not lost:
        return at(Health.OK, f"{len(affected.topics)} rules, and endpoints of every kind that they need")
    lacking = [kind.value for kind in EndpointKind if endpoint_type(kind).login != "none" and affected.topics_of(kind) - readable]
    return at(
        Health.WARNING,
        f"{len(lost)} of {len(affected.topics)} rules look at facts that no endpoint of fleet.yaml reports: {named(lost)}",
        "what hosts see of an array that is not in fleet.yaml cannot be joined to it, and is unknown.",
        f"add the arrays your hosts use (kind: {', '.join(lacking)}).",
    )


def _file(fleet: Fleet) -> Iterator[Check]:
    """Whether fleet.yaml holds a secret, and whether others may change it."""
    at = partial(Check, "", "fleet.yaml")
    path = quoted(str(fleet.path))
    if writers := writable_by_others(fleet.path):
        yield at(
            Health.WARNING,
            f"{fleet.path} can be changed by {writers}",
            "it names the addresses that passwords are sent to, and commands that are run: everybody who can change it gets the passwords.",
            f"`chmod go-w {path}`.",
        )
    printing = [
        one.name for one in fleet.endpoints if one.password.way == "command" and PurePath(one.password.argument[0]).name in _PRINTERS
    ]
    if printing:
        yield at(
            Health.WARNING,
            f"the commands that give the secrets of {named(printing)} print what stands in the command itself",
            f"{fleet.path} holds these secrets then, and so does every copy of it, and the list of processes.",
            "give a file, a keyring entry or the command of a password store.",
        )


def _addresses(fleet: Fleet) -> Iterator[Check]:
    seen: dict[tuple[object, ...], str] = {}
    for endpoint in fleet.endpoints:
        place = (endpoint.address.casefold(), endpoint.port, endpoint.route)  # another way may lead to another machine of that address
        if place in seen:
            yield Check(
                "",
                "addresses",
                Health.WARNING,
                f"{seen[place]} and {endpoint.name} are one address, {endpoint.address}:{endpoint.port}",
                "an audit refuses two entries that are one endpoint: everything on it would be counted twice.",
                "keep one of them in fleet.yaml.",
            )
        seen.setdefault(place, endpoint.name)


def _declared(fleet: Fleet) -> Iterator[Check]:
    at = partial(Check, "", "declared")
    strange = [one.devices for one in fleet.declared if not _DEVICE_NAME.match(one.devices)]
    if strange:
        yield at(
            Health.WARNING,
            f"no device can be named like {named(strange)}",
            "what is declared there reaches no device.",
            "write names as hosts do, for example naa.600000e00d*.",
        )
    elif fleet.declared:
        entries = f"{len(fleet.declared)} {'entry' if len(fleet.declared) == 1 else 'entries'}"
        yield at(Health.OK, f"{entries}, taken on trust; an audit tells which of them reach no device")
