"""Privileges that the account of a vCenter lacks, and the rules and fixes that are lost without them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from auditor.doctor.affected_rules import named
from auditor.doctor.connection import shortly
from auditor.endpoints.vcenter.privileges import ESXCLI_TOPICS, READ_ONLY, fixes_of, lost_without, reads_of
from auditor.errors import EndpointError, PermissionMissingError
from auditor.model import Check, Health

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.doctor.affected_rules import AffectedRules
    from auditor.model import Endpoint

Held = Mapping[str, frozenset[str]]
"""Managed object id -> the privileges held there."""

_ELSEWHERE = "A role given further down, or taken away there, is seen only where it was looked."


def read_checks(
    endpoint: Endpoint, affected: AffectedRules, held: Held | EndpointError, root: str, hosts: Mapping[str, str], *, esxcli_answers: bool
) -> Iterator[Check]:
    """Yield a check "read" for each privilege that is missing for what the rules need, or one that says that none is.

    Args:
        endpoint: whose account it is.
        affected: what rests on which topic.
        held: what is held on the root folder and on `hosts`, or why that is not known; the root folder may be missing in it.
        root: id of the root folder.
        hosts: names of the hosts looked at, by their ids.
        esxcli_answers: whether esxcli was tried and answered, whatever the privileges say.
    """
    at = partial(Check, endpoint.name, "read")
    if isinstance(held, EndpointError):
        yield at(Health.UNKNOWN, shortly(held, endpoint), "which privileges are missing for reading is not known.", held.do)
        return
    wanted, reads = affected.topics_of(endpoint.kind), reads_of(endpoint.kind)
    needed = [name for name in _in_order(reads.values()) if lost_without([name], reads) & wanted]
    missing = [name for name in needed if lacking(name, held, root, hosts)]
    for name in missing:
        if not _is_known(name, held, root, hosts):
            yield at(
                Health.UNKNOWN,
                f"whether {name} is held is not known: nothing may be asked of the root folder",
                affected.lost_without(lost_without([name], reads) & wanted, endpoint.kind),
                f"audit, and look at the gaps; or give {endpoint.who} System.View on the root folder.",
                facts={"privilege": name},
            )
            continue
        topics = (lost_without([name], reads) & wanted) - (ESXCLI_TOPICS if esxcli_answers else frozenset())
        where = lacking(name, held, root, hosts)
        yield at(
            Health.PROBLEM if topics else Health.WARNING,
            f"{name} is missing on {where}",
            affected.lost_without(topics, endpoint.kind) if topics else "esxcli answers all the same, so nothing is lost.",
            f"give {endpoint.who} a role that has {name}{_read_only(name)}, propagated from the root folder. {_ELSEWHERE}",
            facts={"privilege": name, "topics": ", ".join(sorted(topics))},
        )
    if not missing:
        yield at(Health.OK, f"all {len(needed)} privileges are held on {_looked_at(held, root, hosts)}")


def fix_check(endpoint: Endpoint, affected: AffectedRules, held: Held | EndpointError, root: str, hosts: Mapping[str, str]) -> Check:
    """The check "fix": a warning where fixes would be refused, as an account that only reads is a fine thing too."""
    at = partial(Check, endpoint.name, "fix")
    if isinstance(held, EndpointError):
        return at(Health.UNKNOWN, shortly(held, endpoint), "which privileges are missing for --fix is not known.", held.do)
    fixes = fixes_of(endpoint.kind)
    needed = _in_order(fixes.values())
    missing = [name for name in needed if lacking(name, held, root, hosts)]
    if not missing:
        return at(Health.OK, f"all {len(needed)} privileges are held on {_looked_at(held, root, hosts)}")
    refused = sorted(lost_without(missing, fixes))
    rules = affected.rules_fixed_by(refused)
    by = f"rules that would stay unfixed: {named(rules)}" if rules else "no rule is fixed by them"
    return at(
        Health.WARNING,
        f"{len(missing)} of {len(needed)} privileges are missing: {named(missing)}",
        f"--fix would be refused for {named(refused, len(refused))}; {by}.",
        f"nothing, where {endpoint.who} is not to write; else give it a role that has them. {_ELSEWHERE}",
        facts={"privileges": ", ".join(missing), "remediators": ", ".join(refused)},
    )


def esxcli_check(endpoint: Endpoint, affected: AffectedRules, tried: Any) -> Check:
    """The check "esxcli"; `tried` is the host that answered, None when there was none to ask, or the EndpointError.

    It is tried, because which privilege it asks for is not documented.
    """
    at = partial(Check, endpoint.name, "esxcli")
    wanted = ESXCLI_TOPICS & affected.all_topics
    if tried is None:
        return at(Health.UNKNOWN, "no connected host to try it on", "whether esxcli is answered is not known.", "see hosts.")
    if not isinstance(tried, EndpointError):
        return at(Health.OK, f"answered by {tried}", facts={"host": str(tried)})
    if isinstance(tried, PermissionMissingError):
        return at(Health.PROBLEM, shortly(tried, endpoint), affected.lost_without(wanted, endpoint.kind), tried.do)
    return at(
        Health.UNKNOWN, shortly(tried, endpoint), "whether esxcli is answered on any host is not known.", "audit, and look at the gaps."
    )


def lacking(privilege: str, held: Held, root: str, hosts: Mapping[str, str]) -> str:
    """Where a privilege is missing, in words; "" where it is held.

    A privilege on hosts is looked up there, as that is where it is asked for; any other on the root folder, where that may be asked. What
    hosts have of the system's own privileges counts too: a role may begin below the root folder.
    """
    hosts_asked = {moid: name for moid, name in hosts.items() if moid in held}
    without = [name for moid, name in hosts_asked.items() if privilege not in held[moid]]
    at_root = root in held and privilege in held[root]
    if hosts_asked and (privilege.startswith("Host.") or privilege in READ_ONLY):
        if not without:
            return ""
        where = f"{len(without)} of {len(hosts_asked)} hosts looked at"
        return f"the root folder and {where}" if root in held and not at_root else f"{where}: {named(without)}"
    return "" if at_root else "the root folder"


def _is_known(privilege: str, held: Held, root: str, hosts: Mapping[str, str]) -> bool:
    """Whether the place was looked at on which a privilege is asked for."""
    on_hosts = privilege.startswith("Host.") or privilege in READ_ONLY
    return root in held or (on_hosts and any(moid in held for moid in hosts))


def _looked_at(held: Held, root: str, hosts: Mapping[str, str]) -> str:
    number = sum(moid in held for moid in hosts)
    parts = ["the root folder"] if root in held else []
    parts += [f"the {number} hosts looked at" if number > 1 else "the host looked at"] if number else []
    return " and ".join(parts)


def _in_order(needed: Collection[Any]) -> list[str]:
    return list(dict.fromkeys(name for one in needed for name in one.privileges))


def _read_only(name: str) -> str:
    return " (the built-in Read-only does)" if name in READ_ONLY else ""
