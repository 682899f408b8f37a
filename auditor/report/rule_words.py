"""Texts about a rule that follow from its fields: what its fix interrupts, what it writes, and when to waive a failure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.model import FixClass

if TYPE_CHECKING:
    from auditor.engine.rules.rule import Param, Releases, Rule

COSTS = {
    FixClass.ONLINE: "In effect at once, without interrupting I/O.",
    FixClass.ONLINE_CAUTION: "In effect at once and without interrupting I/O, but running machines feel it: make it on few hosts first.",
    FixClass.REMOUNT: "In effect once the datastore was unmounted and mounted again: its machines have to leave it before.",
    FixClass.RECLAIM: "In effect once the device is claimed, or its session logged in, anew: paths go away for a moment.",
    FixClass.REBOOT: "In effect after the host was rebooted, so its machines have to leave it before.",
    FixClass.ARRAY: "Changed on the array: every host that uses it is concerned, in this vCenter or not.",
    FixClass.GUEST: "In effect inside the guest: the machine has to be changed or restarted.",
    FixClass.MANUAL: "Made by hand: auditor does not change it.",
    FixClass.RETUNE: "Reverts what somebody tuned: find out who did, and why, before it is allowed.",
}


def risk_text(rule: Rule) -> str:
    """What the fix interrupts, and what the rule's author adds to that."""
    cost = COSTS[FixClass.MANUAL if rule.fix is None else rule.fix.fix_class]
    if rule.fix is not None and rule.fix.retunes is not None:
        cost = f"{cost} {COSTS[FixClass.RETUNE]}"
    return f"{cost} {rule.risk}" if rule.risk else cost


def waive_text(rule: Rule) -> str:
    """When a failure of the rule may be waived."""
    sentences = [rule.waive_when] if rule.waive_when else []
    if rule.params:
        names = ", ".join(f"${name}" for name in rule.params)
        sentences.append(
            f"A fleet, endpoint or cluster that has decided on another value sets {names} under params: in fleet.yaml instead."
        )
    sentences.append("A single resource that is right as it is gets a waiver with owner, reason and end; never leave the rule out for it.")
    return " ".join(sentences)


def origin_text(param: Param) -> str:
    """The document that states the value of a param, or that none does; empty where the rule's author says neither."""
    if param.policy:
        return "Policy: this project's own choice, which no document states."
    return f"Source: {param.source}." if param.source else ""


def releases_text(releases: Releases) -> str:
    """For which releases the rule holds, and how it asks."""
    asks = f" It asks by {', '.join(releases.gate)}." if releases.gate else ""
    return f"{releases.why}{asks}"


def fix_sentence(rule: Rule, code: str = "") -> str:
    """What the fix writes, in one sentence; names and expressions stand between two `code`. Empty when nothing but a person fixes it."""
    if rule.fix is None or rule.fix.fix_class is FixClass.MANUAL:
        return ""
    named = dict.fromkeys(column for expression in rule.fix.target.values() for column in expression.columns)
    where = ", ".join(f"{code}{column}{code}" for column in named)
    only = f", where {code}{flat(rule.fix.when.shown)}{code}" if rule.fix.when is not None else ""
    at = f" of {where}" if where else ""
    setting = f"{code}{rule.fix.remediator}{code} sets {code}{rule.fix.column}{code}"
    return f"{setting}{at} to {code}{flat(rule.fix.value.shown)}{code}{only}"


def flat(text: str) -> str:
    """`text` on one line."""
    return " ".join(text.split())
