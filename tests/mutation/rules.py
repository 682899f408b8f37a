"""Tries mistakes in the rules that changed since they were scored, and in a few others: `python -m tests.mutation.rules --help`."""

import argparse
import hashlib
import sys
from collections.abc import Mapping
from pathlib import Path

from auditor.authoring.mutation import RuleScore, score_rules
from auditor.engine.rules.checked import rule_digest
from auditor.engine.rules.rule import Rule, RuleSet
from auditor.pipeline.policy import load_rule_set
from auditor.report.terminal.scores import write_scores
from tests.mutation.one_file import values, written

KEPT = Path(__file__).with_name("rule_scores.json")
"""By rule, the digest of what its score follows from, and the score in percent."""

LEAST = 90
"""The percentage that every rule is to reach."""

EVERY = 34
"""One of so many rules is tried each time, so that what the digests do not cover (DuckDB, sqlglot, the loading of rules) shows as well."""

ROOT = Path(__file__).parents[2]
TRYING = (
    "auditor/authoring/mutants.py",
    "auditor/authoring/mutation.py",
    "auditor/engine/probing/grid.py",
    "auditor/engine/verdict_sql.py",
)
"""The code that makes mistakes and judges them: where it changed, every score is old."""


def main() -> int:
    """Score, print, keep. 1 where too few mistakes in a rule are noticed."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation.rules", description=__doc__)
    parser.add_argument("--every", action="store_true", help="try every rule")
    parser.add_argument("--keep", action="store_true", help="write the scores to tests/mutation/rule_scores.json")
    options = parser.parse_args()
    rules = load_rule_set()
    digests = {rule.id: digest(rule, rules) for rule in rules}
    chosen = sorted(digests) if options.every else to_try(digests, values(KEPT) if KEPT.exists() else {})
    tried = rules.only(chosen)
    scores = list(score_rules(tried))
    write_scores(scores, tried, LEAST, sys.stdout, show_all=False)
    if options.keep:
        keep(scores, digests)
    return 1 if any(score.percent < LEAST for score in scores) else 0


def digest(rule: Rule, rules: RuleSet) -> str:
    """The digest of a rule's file, the columns of its view, and the code that makes mistakes."""
    code = b"".join((ROOT / name).read_bytes() for name in TRYING)
    return hashlib.sha256(rule_digest(rule.path.read_bytes(), rules.views[rule.over]).encode() + code).hexdigest()[:16]


def to_try(digests: Mapping[str, str], kept: Mapping[str, tuple[str, float]]) -> list[str]:
    """The rules whose score is missing, old or too low, and one of EVERY of all."""
    ids = sorted(digests)
    sound = {rule for rule in ids if rule in kept and kept[rule][0] == digests[rule] and kept[rule][1] >= LEAST}
    return [rule for place, rule in enumerate(ids) if rule not in sound or place % EVERY == 0]


def keep(scores: list[RuleScore], digests: Mapping[str, str]) -> None:
    """Write these scores in the place of older ones; those of rules that are gone are dropped."""
    before = values(KEPT) if KEPT.exists() else {}
    merged = before | {score.rule: [digests[score.rule], round(score.percent, 1)] for score in scores}
    KEPT.write_text(written({rule: merged[rule] for rule in sorted(merged) if rule in digests}), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
