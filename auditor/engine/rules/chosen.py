"""Which rules are left when some are named by globs, excluded, or are not severe enough."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from auditor.errors import ConfigurationError
from auditor.yaml.reading import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Collection

    from auditor.engine.rules.rule import RuleSet
    from auditor.model import Severity

_NOTHING = "nothing was judged: what was requested does not exist."
_LIST = "see `auditor rules list`."


def with_globs(rules: RuleSet, named: Collection[str]) -> tuple[str, ...]:
    """`named` with the ids that each glob among them fits in its place; an id stays as it is, whether there is such a rule or not.

    Raises:
        ConfigurationError: a glob fits no rule.
    """
    ids: dict[str, None] = {}
    for name in named:
        fitting = _fitting(rules, name, "--only") if set(name) & set("*?[") else [name]
        ids.update(dict.fromkeys(fitting))
    return tuple(ids)


def without(rules: RuleSet, excluded: Collection[str]) -> RuleSet:
    """The rules that no glob of `excluded` fits.

    Raises:
        ConfigurationError: a glob fits no rule, or no rule is left.
    """
    if not excluded:
        return rules
    gone = {rule_id for glob in excluded for rule_id in _fitting(rules, glob, "--exclude")}
    left = [rule_id for rule_id in rules.rules if rule_id not in gone]
    if not left:
        raise ConfigurationError(
            f"--exclude {' --exclude '.join(excluded)} leaves no rule",
            why="nothing was judged: a fleet judged by no rule has no failures.",
            do="exclude less, or drop --only and --tag.",
        )
    return rules.only(left)


def at_least(rules: RuleSet, severity: Severity | None) -> RuleSet:
    """The rules whose failures are of this severity or worse; None: all of them.

    Raises:
        ConfigurationError: there is none.
    """
    if severity is None:
        return rules
    left = [rule.id for rule in rules if rule.severity.rank <= severity.rank]
    if not left:
        worst = min((rule.severity for rule in rules), key=lambda one: one.rank)
        raise ConfigurationError(
            f"--severity {severity.value}: no rule that was chosen is so severe",
            why="nothing was judged: a fleet judged by no rule has no failures.",
            do=f"--severity {worst.value}, which is the worst of them; or choose other rules.",
        )
    return rules.only(left)


def _fitting(rules: RuleSet, glob: str, option: str) -> list[str]:
    """The ids that `glob` fits, of the rules that are judged; one that fits only rules that are left out anyway fits none, and is fine."""
    fitting = [rule_id for rule_id in rules.rules if fnmatchcase(rule_id, glob)]
    if fitting or any(fnmatchcase(rule_id, glob) for rule_id in rules.left_out):
        return fitting
    known = {*rules.rules, *rules.left_out}
    topics = {f"{rule_id.partition('/')[0]}/*" for rule_id in known}
    topic = f"{glob}/*" if f"{glob}/*" in topics else None
    hint = f'; did you mean "{topic}"?' if topic else did_you_mean(glob, known | topics)
    raise ConfigurationError(f'{option} {glob}: no rule is called like "{glob}"{hint}', why=_NOTHING, do=_LIST)
