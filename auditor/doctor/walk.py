"""Runs every check of every endpoint, and collects the diagnosis."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from auditor.doctor.affected_rules import AffectedRules
from auditor.doctor.arrays import examine_array
from auditor.doctor.connection import NOT_AUDITED, examine_connection, shortly
from auditor.doctor.fleetwide import examine_entries, examine_fleet, examine_identities
from auditor.doctor.single_host import HOST_ONLY, examine_single_host
from auditor.doctor.vcenter import Places, examine_vcenter
from auditor.endpoints.bugs import call_plugin
from auditor.endpoints.common.secrets import ask_first
from auditor.endpoints.common.sessions import open_session
from auditor.errors import ConfigurationError, EndpointError
from auditor.model import Check, Diagnosis, EndpointKind, Health
from auditor.model.endpoint_kinds import endpoint_type, plugin_faults, plugin_types
from auditor.pipeline.plugin_rules import plugin_rules
from auditor.stopping import pool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from auditor.engine.rules.rule import RuleSet
    from auditor.fleet.loading import Fleet
    from auditor.model import Endpoint


_FIRST, _LAST = (
    ("plugin", "name", "port", "tls", "host key", "secret", "login", "version", "lane"),
    ("account", "read", "esxcli", "fix", "clock"),
)
TOPICS = (*_FIRST, *HOST_ONLY, *_LAST, "hosts")
"""The topics of the checks on an endpoint, in this order; it has "tls" or "host key", and arrays have no "lane", "esxcli" and "hosts". A
single host has no "lane", and it alone has those of `HOST_ONLY`. "plugin" is for kinds that come with other packages."""

MOST_REQUESTS = 19
"""Sent to one vCenter: content, login, clock; the list of hosts (3) and their states (4, by VI/JSON, which has a release to agree on and a
session of its own); a host by SOAP; whose session it is, its permissions, the roles; whose session again, its privileges; esxcli on one
host (2); logout.

More only where a session expires meanwhile, a transport fails, or the vCenter splits the states of very many hosts over several answers."""

MOST_REQUESTS_TO_A_HOST = 23
"""Sent to a single host: it has neither VI/JSON nor, perhaps, a request for privileges, so the roles on two objects are asked for (3); and
how it stands (4), and its licences."""

MOST_REQUESTS_TO_AN_ARRAY = 48
"""Sent to one array of the lab: login, version, role, clock, and what it takes until each topic that rules need has its first answer. On
an array whose reader gathers several pages before it reports anything, those are asked for too; counters that a busy ONTAP reports late are
read again, which a slow machine shows: 36 as a rule, 42 were seen."""

_MOST_ENDPOINTS_AT_ONCE = 32


def examine(fleet: Fleet, rules: RuleSet, progress: Callable[[str, str], None], only: str | None = None) -> Diagnosis:
    """Examine every endpoint of `fleet`, or `only` that one, each in a thread of its own; nothing is written.

    What cannot be asked is a check of its own and never an error: the other endpoints are examined all the same.

    Args:
        fleet: as fleet.yaml has it.
        rules: what the fleet would be judged by; a check on something missing names the rules that need it.
        progress: called with the endpoint's name and what is being done there.
        only: name of an endpoint; what is about the fleet as a whole is then left out.

    Raises:
        ConfigurationError: no endpoint is called `only`.
    """
    started = datetime.now(UTC)
    affected, places = AffectedRules.of(rules), Places.of(fleet)
    endpoints = _chosen(fleet, only)
    ask_first(endpoints)
    with pool(max(1, min(len(endpoints), _MOST_ENDPOINTS_AT_ONCE)), "doctor") as threads:
        examined = list(threads.map(lambda endpoint: _examined(endpoint, affected, progress, places), endpoints))
    checks = [check for several in examined for check in several]
    if only is None:
        checks += examine_fleet(fleet, affected)
        checks += examine_plugins(fleet)
        checks += examine_identities(endpoints, checks)
        checks += examine_entries(fleet, places)
    return Diagnosis(started, datetime.now(UTC), endpoints, tuple(checks))


def exit_code(diagnosis: Diagnosis) -> int:
    """0 when everything would be audited, warnings or not; 2 when something would not be, or could not be asked."""
    return 2 if diagnosis.count(Health.PROBLEM) or diagnosis.count(Health.UNKNOWN) else 0


def _chosen(fleet: Fleet, only: str | None) -> tuple[Endpoint, ...]:
    if only is None:
        return fleet.endpoints
    chosen = tuple(endpoint for endpoint in fleet.endpoints if endpoint.name == only)
    if not chosen:
        raise ConfigurationError(
            f"no endpoint of {fleet.path} is called {only!r}",
            why="nothing was asked.",
            do=f"--endpoint takes one of: {', '.join(endpoint.name for endpoint in fleet.endpoints)}.",
        )
    return chosen


def _examined(endpoint: Endpoint, affected: AffectedRules, progress: Callable[[str, str], None], places: Places) -> list[Check]:
    """Every check of one endpoint; one that could not be made says why."""
    progress(endpoint.name, "connecting")
    plugin = list(examine_plugin(endpoint))
    is_usable = all(check.state is Health.OK for check in plugin)
    checks = [*plugin, *(examine_connection(endpoint) if is_usable else ())]
    barred = next((check.what for check in checks if check.state in (Health.PROBLEM, Health.UNKNOWN)), None)
    if barred is None:
        progress(endpoint.name, "logging in")
        more, barred = _logged_in(endpoint, affected, places)
        checks += more
    if barred is not None:
        seen = {check.topic for check in checks}
        rest = (topic for topic in topics_of(endpoint.kind) if topic not in seen)
        checks += (Check(endpoint.name, topic, Health.UNKNOWN, f"not asked: {barred}") for topic in rest)
    progress(endpoint.name, "looked at")
    return sorted(checks, key=lambda check: TOPICS.index(check.topic))


def topics_of(kind: EndpointKind) -> tuple[str, ...]:
    """The topics of the checks on an endpoint of this kind, in order."""
    registered = endpoint_type(kind)
    left_out = {"tls"} if registered.protocol == "ssh" else {"host key"}
    if not registered.plugin and registered.fault is None:
        left_out.add("plugin")
    if registered.is_array:
        left_out |= {"lane", "esxcli", "hosts"}
    left_out |= {"lane"} if kind is EndpointKind.ESXI else set(HOST_ONLY)
    return tuple(topic for topic in TOPICS if topic not in left_out)


def _logged_in(endpoint: Endpoint, affected: AffectedRules, places: Places) -> tuple[list[Check], str | None]:
    """The checks that need a session, from one login; and the error that prevented the rest of them, None where nothing did."""
    at = partial(Check, endpoint.name, "login")
    checks: list[Check] = []
    try:
        with open_session(endpoint) as session:
            checks.append(at(Health.OK, f"as {endpoint.username or endpoint.who}", facts={"account": endpoint.username}))
            if endpoint_type(endpoint.kind).is_array:
                plugin = endpoint_type(endpoint.kind).plugin
                checks += call_plugin(endpoint.name, plugin, lambda: list(examine_array(session, endpoint, affected)))
            else:
                checks += examine_vcenter(session, endpoint, affected, places)
            if endpoint.kind is EndpointKind.ESXI:
                checks += examine_single_host(session, endpoint)
    except (EndpointError, ConfigurationError) as error:
        why = shortly(error, endpoint)
        return checks or [at(Health.PROBLEM, why, NOT_AUDITED, error.do)], why
    return checks, None


def examine_plugin(endpoint: Endpoint) -> Iterator[Check]:
    """Yield the check "plugin" of an endpoint whose kind does not come with auditor."""
    kind = endpoint_type(endpoint.kind)
    at = partial(Check, endpoint.name, "plugin")
    if kind.fault is not None:
        yield at(Health.PROBLEM, kind.fault.what, kind.fault.why, kind.fault.do)
    elif kind.plugin:
        facts = {"plugin": kind.plugin}
        yield at(Health.OK, f"kind {endpoint.kind} is read by {kind.plugin}, which is no part of auditor and gets its secret", facts=facts)


def examine_plugins(fleet: Fleet) -> Iterator[Check]:
    """Yield a check "plugins" on each kind of an installed package; one that is unfit is a warning where no endpoint is of it."""
    at = partial(Check, "", "plugins")
    for one in plugin_types():
        can = f"reads {len(one.topics)} topics and can change {len(one.settings)} settings"
        what = f"kind {one.kind} comes with {one.plugin} (package {one.package}), {can}"
        yield at(Health.OK, what, facts={"plugin": one.plugin, "kind": one.kind.value})
    used = {endpoint_type(kind).fault for kind in {endpoint.kind for endpoint in fleet.endpoints}}
    for fault in (*plugin_faults(), *plugin_rules().faults):
        if fault not in used:
            yield at(Health.WARNING, fault.what, fault.why, fault.do)
