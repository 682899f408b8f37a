"""The list of rules: one a line or as JSON for programs, wrapped to the terminal's width for people."""

from __future__ import annotations

import json
import shutil
import textwrap
from typing import TYPE_CHECKING, TextIO

from auditor.engine.rules.rule import ON_REQUEST
from auditor.report.documents import documents_json

if TYPE_CHECKING:
    from auditor.engine.rules.rule import RuleSet

SCHEMA_VERSION = 1
_SEVERITY = 9  # characters of the longest severity and a mark
_LEAST_TITLE = 30  # characters
_HELD_AGAINST = "What each was held against, and what is not verified: docs/domain/arrays.md."


def write_rule_list(rules: RuleSet, out: TextIO) -> None:
    """Write id, severity and title of each rule; on a terminal titles are wrapped, and rules judged on request are marked."""
    width = max((len(rule.id) for rule in rules), default=0)
    if not out.isatty():
        for rule in rules:
            print(f"{rule.id:<{width}}  {rule.severity:<{_SEVERITY}}  {rule.title}", file=out)
        return
    indent = width + _SEVERITY + 4
    columns = max(shutil.get_terminal_size().columns, indent + _LEAST_TITLE)
    for rule in rules:
        mark = "*" if ON_REQUEST in rule.tags else ""
        text = f"{rule.id:<{width}}  {rule.severity + mark:<{_SEVERITY}}  {rule.title}"
        print(textwrap.fill(text, columns, subsequent_indent=" " * indent, break_on_hyphens=False, break_long_words=False), file=out)
    later = sum(ON_REQUEST in rule.tags for rule in rules)
    packs = sorted({f"--tag {tag}" for rule in rules if ON_REQUEST in rule.tags for tag in rule.tags[:1]})
    footer = f"{len(rules)} rules. `auditor rules show RULE` says why, and what to do."
    footer += f" {later} marked * are judged on request: {', '.join(packs)}, or --tag all." if later else ""
    print(f"\n{textwrap.fill(footer, columns)}", file=out)
    print(textwrap.fill(f"Arrays that are read themselves: {', '.join(_array_kinds())}. {_HELD_AGAINST}", columns), file=out)


def _array_kinds() -> list[str]:
    """The kinds of arrays that auditor and installed plugins read, by name; no plugin is imported."""
    from auditor.model.endpoint_kinds import package_types
    from auditor.model.plugins import plugin_kinds

    return sorted({*(one.kind.value for one in package_types() if one.is_array), *plugin_kinds()})


def write_rule_list_json(rules: RuleSet, out: TextIO) -> None:
    """Write the rules for programs: JSON, schema version 1 (rule_list.schema.json). Fields are only ever added."""
    listed = [
        {
            "id": rule.id,
            "title": rule.title,
            **({"failure_title": rule.failure_title} if rule.failure_title else {}),
            "severity": rule.severity.value,
            "view": rule.over,
            "tags": list(rule.tags),
            "on_request": ON_REQUEST in rule.tags,
            "params": {name: param.default for name, param in rule.params.items()},
            "fix": None if rule.fix is None else {"remediator": rule.fix.remediator, "class": rule.fix.fix_class.value},
            "documents": documents_json(rule.documents),
        }
        for rule in rules
    ]
    json.dump({"schema_version": SCHEMA_VERSION, "rules": listed}, out, allow_nan=False, indent=2)
    out.write("\n")
