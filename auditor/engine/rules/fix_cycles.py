"""Whether the order that rules give their fixes (`fix.after`) can be kept: every name is known, and none waits for itself."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from auditor.yaml.reading import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from auditor.engine.rules.rule import Rule


def cycle_mistakes(rules: Mapping[str, Rule], remediators: Collection[str]) -> list[tuple[str, str]]:
    """(rule id, sentence) of each `fix.after` that names no rule, and of each circle of rules that wait for each other."""
    by_remediator: dict[str, list[str]] = defaultdict(list)
    for rule in rules.values():
        if rule.fix is not None:
            by_remediator[rule.fix.remediator].append(rule.id)
    mistakes, edges = [], dict[str, list[str]]()
    for rule in rules.values():
        for after in rule.fix.after if rule.fix is not None else ():
            if after.change not in rules and after.change not in remediators:
                mistakes.append((rule.id, f'fix.after: there is no rule "{after.change}"{did_you_mean(after.change, rules)}'))
            first = [after.change] if after.change in rules else by_remediator.get(after.change, [])
            edges.setdefault(rule.id, []).extend(first)
    seen = set[str]()
    for start in edges:
        circle = _circle(start, edges) if start not in seen else []
        if circle:
            seen |= set(circle)
            mistakes.append((start, f"fix.after: these fixes wait for each other: {' -> '.join([*circle, start])}"))
    return mistakes


def _circle(start: str, edges: Mapping[str, Iterable[str]]) -> list[str]:
    """The rules from `start` on to the one that waits for it again; empty where there is no way back."""
    trail, tried = [start], set[str]()
    ways = [iter(edges.get(start, ()))]
    while ways:
        step = next(ways[-1], None)
        if step is None:
            ways.pop()
            trail.pop()
        elif step == start:
            return trail
        elif step not in tried:
            tried.add(step)
            trail.append(step)
            ways.append(iter(edges.get(step, ())))
    return []
