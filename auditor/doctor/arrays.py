"""An array, once logged in: version, account, what it may read and write, clock."""

from __future__ import annotations

import re
import time
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from auditor.doctor.affected_rules import named
from auditor.doctor.attempt import attempt, circuit_of
from auditor.doctor.clocks import clock_check
from auditor.doctor.connection import shortly
from auditor.errors import EndpointError
from auditor.facts.needs import SOURCES, Needs
from auditor.model import Check, Gap, Health
from auditor.model.endpoint_kinds import endpoint_type

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from auditor.doctor.affected_rules import AffectedRules
    from auditor.endpoints.common.circuit import Circuit
    from auditor.endpoints.common.sessions import Session
    from auditor.model import Endpoint

Role: TypeAlias = "str | EndpointError | None"
"""The roles of the account; None where the array does not report them, the error where it could not be asked."""


def examine_array(session: Session, endpoint: Endpoint, affected: AffectedRules) -> Iterator[Check]:
    """Yield the checks "account", "read", "version", "fix" and "clock".

    `session` is an array's client. It negotiated its version when it was opened, so an array that is too old or too new has failed at the
    login already.
    """
    circuit = circuit_of(endpoint)
    clock = clock_check(endpoint.name, partial(attempt, circuit, session.clock))  # first, while nothing else is going on
    role: Role = attempt(circuit, session.role)
    yield _account(endpoint, role)
    yield _read(session, endpoint, affected, circuit)
    identity = attempt(circuit, session.identity)  # after the reading, which has mostly read it
    known = identity if isinstance(identity, str) else None
    yield Check(endpoint.name, "version", Health.OK, session.release, facts={"release": session.release, "identity": known})
    yield _fix(endpoint, affected, role)
    yield clock


def _account(endpoint: Endpoint, role: Role) -> Check:
    at = partial(Check, endpoint.name, "account")
    who = endpoint.username or endpoint.who
    if isinstance(role, EndpointError):
        return at(Health.UNKNOWN, f"{who}; its role: {shortly(role, endpoint)}", "what it may do is not known.", role.do)
    if role is None:
        return at(Health.OK, f"{who}; the array does not report its role", facts={"user": endpoint.username})
    return at(Health.OK, f"{who}, role {role}", facts={"user": endpoint.username, "role": role})


def _read(session: Session, endpoint: Endpoint, affected: AffectedRules, circuit: Circuit) -> Check:
    """The check "read", by trying: what a role may read is documented for few arrays, and people make roles of their own."""
    at = partial(Check, endpoint.name, "read")
    wanted = affected.topics_of(endpoint.kind)
    if circuit.opened_by is not None:
        return at(Health.UNKNOWN, shortly(circuit.opened_by, endpoint), "what the account may read is not known.", circuit.opened_by.do)
    if not wanted:
        return at(Health.OK, f"no rule needs anything of endpoints of kind {endpoint.kind}")
    lost = _tried(session, endpoint, wanted)
    topics = ", ".join(sorted(wanted))
    if not lost:
        return at(Health.OK, f"tried: each of the {len(wanted)} topics that rules need is answered", facts={"topics": topics})
    known = endpoint_type(endpoint.kind).roles
    return at(
        Health.PROBLEM,
        f"{len(lost)} of the {len(wanted)} topics that rules need cannot be read: {named(lost)}; {next(iter(lost.values()))}",
        affected.lost_without(lost, endpoint.kind),
        f"give the account a role that may read them; roles that may write too: {', '.join(sorted(known.write))} ({known.source}).",
        facts={"topics": topics, "lost": ", ".join(lost)},
    )


def _tried(session: Session, endpoint: Endpoint, topics: Collection[str]) -> dict[str, str]:
    """Those of `topics` whose first answer is a gap, and why; the answers after the first are not asked for.

    An endpoint that lets one request run into its timeout is not asked again. What is asked for the objects of another topic, such as the
    histograms of volumes, is left out where these cannot be read.
    """
    asked_by = endpoint_type(endpoint.kind).asked_by
    lost: dict[str, str] = {}
    timed_out = ""
    for topic in sorted(topics, key=lambda one: (one in asked_by, one)):
        if timed_out:
            lost[topic] = timed_out
        elif asked_by.get(topic) not in lost:
            began = time.monotonic()
            gap = _first_gap(session, endpoint, topic)
            if gap is not None:
                lost[topic] = gap.why.removeprefix(f"endpoint {endpoint.name}: ")
                timed_out = lost[topic] if time.monotonic() - began >= endpoint.limits.timeout_seconds else ""
    return lost


def _first_gap(session: Session, endpoint: Endpoint, topic: str) -> Gap | None:
    """The gap that comes in place of the first rows of a topic; None where rows come."""
    kind = endpoint_type(endpoint.kind)
    before = kind.asked_by.get(topic)
    tables = {table for table, source in SOURCES.items() if source.topic == topic}
    # Nothing is joined here, so what the topic rests on is left out, but for the objects that it is asked for.
    needs = Needs(frozenset((table, "") for table in tables), frozenset({topic} if before is None else {topic, before}))
    gap: Gap | None = None
    for item in kind.load(kind.collector)(session, endpoint, needs):
        if isinstance(item, Gap):
            gap = item
        elif item.table in tables:
            return None
        if gap is not None and before is None:
            break
    return gap


def _fix(endpoint: Endpoint, affected: AffectedRules, role: Role) -> Check:
    """The check "fix", by the role: nothing is written to find out."""
    at = partial(Check, endpoint.name, "fix")
    kind = endpoint_type(endpoint.kind)
    remediators = sorted(kind.settings)
    if not remediators:
        return at(Health.OK, f"nothing on endpoints of kind {endpoint.kind} is ever written")
    known = kind.roles
    held = frozenset(re.split(r",\s*", role.lower())) if isinstance(role, str) else frozenset()  # Element has several
    if held & known.write:
        return at(Health.OK, f"role {role} may write what is fixed: {named(remediators)}")
    rules = affected.rules_fixed_by(remediators)
    by = f"rules that would stay unfixed: {named(rules)}" if rules else "no rule is fixed by them"
    only_reads = bool(held) and held <= known.read
    return at(
        Health.WARNING,
        f"role {role} only reads" if only_reads else "whether the account may write is not known",
        f"--fix {'would' if only_reads else 'might'} be refused for {named(remediators, len(remediators))}; {by}.",
        f"nothing, where the account is not to write; roles that may: {', '.join(sorted(known.write))} ({known.source}).",
    )
