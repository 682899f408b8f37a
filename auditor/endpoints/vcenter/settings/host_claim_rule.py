"""One claim rule that somebody added on one host: whether it is there, and which path policy it gives."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from auditor.endpoints.common.remediator import Reading
from auditor.endpoints.common.setting_errors import refused
from auditor.endpoints.vcenter.esxcli_devices import write_by_esxcli
from auditor.errors import MalformedAnswerError
from auditor.model import EndpointKind

if TYPE_CHECKING:
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.model import Scalar, Target

ABSENT = "absent"
"""The value where there is no such rule."""

_POLICY = re.compile(r"(VMW_PSP_[A-Z]+)(?: ([A-Za-z0-9_=;,']+))?")
# The field of the list, and the key of the target, which is the structured name of the argument too. Source: public PowerCLI scripts.
_MATCHES = (("Name", "satp"), ("Vendor", "vendor"), ("Model", "model"), ("Options", "option"), ("ClaimOptions", "claimoption"))
_OTHERS = ("Device", "Driver", "Transport")


class HostClaimRule:
    """Reads and sets a rule of the group "user". Keys: host_id, satp, vendor, model, option, claimoption, description.

    The value is the path policy that the rule gives and its options, "VMW_PSP_RR iops=3", or "absent". Rules of the build are neither read
    nor written, and neither are those for one device, driver or transport. A rule counts for devices that are claimed from then on: those
    that are there keep what they have until the host reboots, or they are unclaimed.

    A host takes no second rule for what a rule names, so that another policy takes two commands: the rule is removed and added anew. Where
    the second is refused, reading back shows that the rule is absent.

    Source: esxcli storage nmp satp rule list, add and remove; HPE 3PAR VMware ESX Implementation Guide, p. 43; docs/domain/facts.md#5.
    """

    kind = EndpointKind.VCENTER

    def read(self, session: VCenter, target: Target) -> Reading:
        """The policy of the rule now; "absent" where there is no such rule.

        Raises:
            MalformedAnswerError: the host lists several such rules, or one without a policy.
        """
        found = [
            f"{row.get('DefaultPSP') or ''} {row.get('PSPOptions') or ''}".strip()
            for row in session.esxcli(target["host_id"]).run("storage nmp satp rule list")
            if str(row.get("RuleGroup", "")).strip() == "user"
            and all(str(row.get(field) or "").strip() == target[key] for field, key in _MATCHES)
            and not any(str(row.get(field) or "").strip() for field in _OTHERS)
        ]
        if len(found) > 1 or (found and not _POLICY.fullmatch(found[0])):
            raise MalformedAnswerError(
                f"endpoint {session.endpoint.name}: {_named(target)} reads {', '.join(found)[:80]!r}",
                why="what undo would have to bring back is not known, so nothing is written.",
                do="run `esxcli storage nmp satp rule list` on that host.",
            )
        return Reading(found[0] if found else ABSENT)

    def write(self, session: VCenter, target: Target, value: Scalar) -> None:
        """Remove the rule where there is one, and add it with `value` unless that is "absent"; each once.

        Raises:
            RefusedError: `value` is neither a policy with options nor "absent", or the host says no.
        """
        match = _POLICY.fullmatch(value) if isinstance(value, str) else None
        if match is None and value != ABSENT:
            raise refused(
                session, f"{_named(target)} cannot be {value!r}", f"give a policy and its options, like: VMW_PSP_RR iops=3; or: {ABSENT}."
            )
        now = self.read(session, target).value
        if isinstance(now, str) and now != ABSENT:
            write_by_esxcli(session, target, "storage nmp satp rule remove", _named(target), **_arguments(target, now))
        if match is not None:
            description = {"description": target["description"]} if target["description"] else {}
            arguments = _arguments(target, match[0]) | description
            write_by_esxcli(session, target, "storage nmp satp rule add", _named(target), **arguments)


def _arguments(target: Target, policy: str) -> dict[str, str]:
    """What names the rule and its policy; what is empty is left out."""
    psp, _, options = policy.partition(" ")
    named = {key: target[key] for _, key in _MATCHES} | {"psp": psp, "pspoption": options}
    return {name: text for name, text in named.items() if text}


def _named(target: Target) -> str:
    return f"the claim rule for {target['vendor']} {target['model']} by {target['satp']} on {target['host_id']}"
