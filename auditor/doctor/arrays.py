"""An array, once logged in: version, account, what it may read and write, clock."""

from __future__ import annotations

import re
import time
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from auditor.doctor.affected_rules import named
from auditor.doctor.clocks import clock_check
from auditor.doctor.connection import shortly
from auditor.doctor.probes import Patience
from auditor.endpoints.collect import ways_of
from auditor.endpoints.settings import REMEDIATORS, remediator_for
from auditor.endpoints.vcenter.privileges import ARRAY_ROLES
from auditor.errors import EndpointError
from auditor.facts.needs import SOURCES, Needs
from auditor.model import Check, Gap, Health

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from auditor.doctor.affected_rules import Stakes
    from auditor.model import Endpoint

Role: TypeAlias = "str | EndpointError | None"
"""As the array tells it; None where it does not, the error where it could not be asked."""


def examine_array(session: Any, endpoint: Endpoint, stakes: Stakes) -> Iterator[Check]:
    """Yield the checks "version", "account", "read", "fix" and "clock".

    `session` is an array's client; one without `clock` or `role` does not tell. A client negotiates its version when it opens, so what is
    too old or too new to be spoken to has failed as a login, in words.
    """
    patience = Patience(endpoint.limits.timeout_seconds)
    clock = clock_check(endpoint.name, partial(patience.ask, getattr(session, "clock", None)))  # first, while nothing else is going on
    yield Check(endpoint.name, "version", Health.OK, session.release, facts={"release": session.release})
    role: Role = patience.ask(getattr(session, "role", None))
    yield _account(endpoint, role)
    yield _read(session, endpoint, stakes, patience)
    yield _fix(endpoint, stakes, role)
    yield clock


def _account(endpoint: Endpoint, role: Role) -> Check:
    at = partial(Check, endpoint.name, "account")
    who = endpoint.username or "the account of the API token"
    if isinstance(role, EndpointError):
        return at(Health.UNKNOWN, f"{who}; its role: {shortly(role, endpoint)}", "what it may do is not known.", role.do)
    if role is None:
        return at(Health.OK, f"{who}; the array does not tell its role", facts={"user": endpoint.username})
    return at(Health.OK, f"{who}, role {role}", facts={"user": endpoint.username, "role": role})


def _read(session: Any, endpoint: Endpoint, stakes: Stakes, patience: Patience) -> Check:
    """By trying: what a role may read is documented for few arrays, and roles can be made."""
    at = partial(Check, endpoint.name, "read")
    wanted = stakes.wanted_of(endpoint.kind)
    if patience.lost is not None:
        return at(Health.UNKNOWN, shortly(patience.lost, endpoint), "what the account may read is not known.", patience.lost.do)
    if not wanted:
        return at(Health.OK, f"no rule needs anything of endpoints of kind {endpoint.kind}")
    lost = _tried(session, endpoint, wanted)
    topics = ", ".join(sorted(wanted))
    if not lost:
        return at(Health.OK, f"tried: each of the {len(wanted)} topics that rules need is answered", facts={"topics": topics})
    known = ARRAY_ROLES[endpoint.kind]
    return at(
        Health.PROBLEM,
        f"{len(lost)} of the {len(wanted)} topics that rules need cannot be read: {named(lost)}; {next(iter(lost.values()))}",
        stakes.lost_without(lost),
        f"give the account a role that may read them; roles that may write too: {', '.join(sorted(known.write))} ({known.source}).",
        facts={"topics": topics, "lost": ", ".join(lost)},
    )


def _tried(session: Any, endpoint: Endpoint, topics: Collection[str]) -> dict[str, str]:
    """Those of `topics` whose first answer is none, and why; what more they would tell is not asked for.

    An endpoint that lets one question run into its timeout is asked no more.
    """
    module, name = ways_of(endpoint.kind)[1].split(":")
    collect = getattr(import_module(module), name)
    lost: dict[str, str] = {}
    silent = ""
    for topic in sorted(topics):
        if silent:
            lost[topic] = silent
            continue
        facts = frozenset((table, "") for table, source in SOURCES.items() if source.topic == topic)
        began = time.monotonic()
        # Without what the topic rests on: nothing is joined here.
        item = next(collect(session, endpoint, Needs(facts, frozenset({topic}))), None)
        if isinstance(item, Gap):
            lost[topic] = item.why.removeprefix(f"endpoint {endpoint.name}: ")
            silent = lost[topic] if time.monotonic() - began >= endpoint.limits.timeout_seconds else ""
    return lost


def _fix(endpoint: Endpoint, stakes: Stakes, role: Role) -> Check:
    """By the role: nothing is written to find out."""
    at = partial(Check, endpoint.name, "fix")
    known = ARRAY_ROLES[endpoint.kind]
    remediators = [name for name in REMEDIATORS if remediator_for(name).kind is endpoint.kind]
    if not remediators:
        return at(Health.OK, f"nothing on endpoints of kind {endpoint.kind} is ever written")
    held = frozenset(re.split(r",\s*", role.lower())) if isinstance(role, str) else frozenset()  # Element has several
    if held & known.write:
        return at(Health.OK, f"role {role} may write what is fixed: {named(remediators)}")
    rules = stakes.rules_mended_by(remediators)
    by = f"rules that would stay unmended: {named(rules)}" if rules else "no rule is mended by them"
    only_reads = bool(held) and held <= known.read
    return at(
        Health.WARNING,
        f"role {role} only reads" if only_reads else "whether the account may write is not known",
        f"--fix {'would' if only_reads else 'might'} be refused for {named(remediators, len(remediators))}; {by}.",
        f"nothing, where the account is not to write; roles that may: {', '.join(sorted(known.write))} ({known.source}).",
    )
