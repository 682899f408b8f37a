"""The page of what accounts have to be allowed: for each privilege of a vCenter what it is for, and the roles of each kind of array."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from auditor.doctor.affected_rules import AffectedRules, named
from auditor.endpoints.vcenter.privileges import READ_ONLY, VCENTER_READS, vcenter_fixes, vcenter_steps
from auditor.model import EndpointKind
from auditor.model.endpoint_kinds import EndpointType, endpoint_type, package_types
from auditor.model.settings import Needed
from auditor.pipeline.policy import load_rule_set
from docsite.markdown import code, escaped, table

_HEAD = """# Roles and privileges

What an account has to be allowed, and what each permission is for. Made from what `auditor doctor` and `auditor plan --privileges` go by: `auditor doctor --fleet fleet.yaml` says which of these your accounts lack and which rules rest on
them, `auditor plan --fleet fleet.yaml --privileges` prints the smallest roles that a plan needs, for `govc` and PowerCLI. An audit that changes nothing needs the privileges for reading alone.

Each line says who says so. *Not verified*: no vendor's document was found that does; it is what the simulated fleet was built on.

"""  # noqa: E501  paragraphs of Markdown
_READING = """The account has the role *Read-only* ({read_only}), propagated from the vCenter's root: what it cannot see is not there for it, and nothing can say so. That is enough for all that is not listed here.
Tags come from another service, for whoever may read what they are on.

"""  # noqa: E501
_NOTES = {
    EndpointKind.ELEMENT: "Whether a role that may write nothing is answered everything is not known: of the vendor's list, only `administrator` has all calls that an audit makes.",  # noqa: E501
    EndpointKind.ETERNUS: "No single account is answered everything: the role *Software* reads QoS and firmware, and not RAID groups or host affinities, which are gaps then.",  # noqa: E501
}
"""What docs/how-to/your-own-fleet.md#account says of a kind."""


def roles_page() -> str:
    """The whole page."""
    affected = AffectedRules.of(load_rule_set())
    reading = _READING.format(read_only=", ".join(map(code, READ_ONLY)))
    parts = [_HEAD, "## vCenter, to read\n\n", reading, _reads(affected), "## vCenter, to fix as well\n\n", _fixes(affected)]
    return "".join([*parts, *(_array(kind) for kind in package_types() if kind.is_array)])


def _reads(affected: AffectedRules) -> str:
    missing = set(endpoint_type(EndpointKind.VCENTER).topics) - {"tags"} - VCENTER_READS.keys()
    assert not missing, f"no privileges are known for {missing}"
    rows = [
        (code(privilege), escaped(affected.lost_without(topics, EndpointKind.VCENTER)), _source(needed))
        for privilege, needed, topics in _by_privilege(VCENTER_READS)
    ]
    return table(("privilege", "without it", "who says so"), rows)


def _fixes(affected: AffectedRules) -> str:
    rows = []
    for privilege, needed, names in _by_privilege({**vcenter_fixes(), **vcenter_steps()}):
        rules = affected.rules_fixed_by(names)
        use = f"fixes of {named(rules)}" if rules else "reboots of hosts" if set(names) <= vcenter_steps().keys() else "no rule of today"
        rows.append((code(privilege), ", ".join(map(code, names)), escaped(use), _source(needed)))
    return table(("privilege", "to write", "what for", "who says so"), rows)


def _source(needed: Needed) -> str:
    return escaped(needed.source if needed.verified or "not verified" in needed.source else f"{needed.source}; not verified")


def _by_privilege(needed: Mapping[str, Needed]) -> Iterator[tuple[str, Needed, list[str]]]:
    """Each privilege that the role Read-only does not have, with what asks for it, by who says so."""
    for privilege in sorted({name for one in needed.values() for name in one.privileges} - {*READ_ONLY}):
        by_source: dict[tuple[str, bool], list[str]] = {}
        for name, one in needed.items():
            if privilege in one.privileges:
                by_source.setdefault((one.source, one.verified), []).append(name)
        for names in by_source.values():
            yield privilege, needed[names[0]], names


def _array(kind: EndpointType) -> str:
    label = kind.family.label if kind.family is not None else kind.kind.value
    login = "an API token" if kind.login == "api_token" else "a user name and a password"
    read, write = (", ".join(map(code, sorted(roles))) or "none is known" for roles in (kind.roles.read, kind.roles.write))
    lines = [
        f"## {label}",
        "",
        f"Kind `{kind.kind.value}` in fleet.yaml. Logs in with {login}, over {kind.protocol.upper()}.",
        "",
        f"* To read: {', '.join(map(code, kind.topics))}. Roles that may write nothing, as its API calls them: {read}. `auditor doctor` asks each question once and says which are not answered.",  # noqa: E501
        f"* To fix: {', '.join(map(code, kind.settings)) or 'nothing is fixed there'}. Roles that may write that: {write}.",
        f"* Who says so: {escaped(kind.roles.source)}.",
        "",
    ]
    note = _NOTES.get(kind.kind)
    return "\n".join([*lines, *([note, ""] if note else []), ""])
