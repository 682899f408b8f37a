"""Writes the scaffold of a new rule's file: every key, with a word for everything its author has to fill in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from auditor.authoring.schema_docs import DescribedColumn
from auditor.bounds.files import read_text
from auditor.engine.rules.types import Family, family_of
from auditor.errors import RuleError
from auditor.facts.views import RESOURCE_COLUMNS

_BLANK = re.compile(r"<fill in: [^>]*>")


def draft(rule_id: str, view: str, about: str, columns: Sequence[DescribedColumn]) -> str:
    """The text of a file for the rule `rule_id` over `view`; each `<fill in: ...>` in it is to be replaced."""
    listed = "\n".join(f"#   {column.name} ({family_of(column.type)}): {column.what}" for column in columns)
    column = _first_column(columns)
    return _TEMPLATE.format(id=rule_id, topic=rule_id.partition("/")[0], view=view, about=about, columns=listed, column=column)


def blanks(text: str) -> Iterator[tuple[int, str]]:
    """Every line that still has to be filled in, from 1, and the words that stand there; comments do not count."""
    for number, line in enumerate(text.splitlines(), 1):
        if not line.lstrip().startswith("#"):
            for blank in _BLANK.findall(line):
                yield number, blank


def refuse_blanks(directories: Sequence[Path]) -> None:
    """Refuse rule files that are not filled in.

    Raises:
        RuleError: each place is named with file and line.
    """
    unfilled = []
    for directory in directories:
        for path in sorted(directory.rglob("*.yaml")) if directory.is_dir() else ():
            text = read_text(path, errors="replace")
            unfilled += [f"{path}:{line}: {what} still stands here" for line, what in blanks(text)]
    if unfilled:
        raise RuleError(
            "\n       ".join(unfilled),
            why="nothing was tested: people will act on the texts that replace these words.",
            do="write what each asks for, in its place, then test again.",
        )


def _first_column(columns: Sequence[DescribedColumn]) -> str:
    """A column that a rule could be about, for the words of the template."""
    settings = [c.name for c in columns if c.name not in RESOURCE_COLUMNS and not c.name.endswith("_id")]
    numbers = [c.name for c in columns if c.name in settings and family_of(c.type) is Family.WHOLE]
    return (numbers or settings)[0]


_TEMPLATE = """\
# A rule over {view}. {about}
# Its columns:
{columns}
# What stands in <fill in: ...> is yours to write; `auditor rules test` says what is left, then whether the examples hold,
# and `auditor rules mutate {id}` whether they would notice a mistake. A column that is NULL was not read: then the
# verdict is unknown, by itself. See also rules of this kind: `auditor rules show RULE`.
id: {id}
title: "<fill in: what is so where all is well, as a sentence without a full stop>"
failure_title: "<fill in: what is so where it fails, likewise>"
severity: medium  # critical, high, medium, low or info: what it costs when it fails
tags: [{topic}]
over: {view}
# For which releases it is known to be right: the columns of applies, holds or the fix that ask for it, or only why it needs none.
# releases: {{gate: [version], why: "the guide is of the time of ESXi 7 and 8"}}
# Which queues a failure is about and what its fix changes, for its impact: scope device, driver, endpoints, datastore, disk or volume, with
# cure dsnro, queue_depth, both, no_sioc or host_limit; or scope pool or copy. `value` is the depth that is set where no column has it.
# Or why nothing counts it: {{none: "it is not about a queue in which commands can be seen to wait"}}.
# impact: {{scope: device, cure: dsnro, value: 256}}
# Which load shows it (`auditor reproduce`), or why none does: throttled neighbour, Storage I/O Control against array QoS, queue depth,
# background work, hardware offload; endpoint_lesson is that of a protocol endpoint, where it is another.
# reproduction: {{lesson: queue depth}}  # or {{why_not: "it shows when a path fails"}}
lesson: |
  <fill in: what happened to whom, and why; in the words of the people whom it hurt>
sources:
  # One at least: an incident, a vendor's document, a measurement. Add `url:` where there is one.
  - {{what: "<fill in: who says so>"}}
# Where a vendor's document, a STIG or a hardening guide asks for it: its number or section, and only what you have read.
# documents: [{{kind: vendor, title: VMware Knowledge Base, number: KB 311232, section: its title}}]  # or stig, hardening
# A value that a fleet may want otherwise; write $wanted where it counts, or take this part out.
params:
  wanted:
    default: <fill in: the value>
    bounds: {{least: <fill in: the smallest>, most: <fill in: the largest>, source: "<fill in: who says so, or that it is policy>"}}
    unit: "<fill in: its unit>"
    why: "<fill in: why this value, in one sentence>"
    # Where no document states it: policy: true instead of source, and nothing is written to a host for its sake.
    source: "<fill in: the document that states it>"
# An expression that stands in several places, or makes another hard to read, gets a name, which the fix and the message may say too.
# let: {{needed: {column} * 4}}
# SQL over one row. Rows where it is false are not judged. Take it out, and not_applicable below, if every row is.
applies: "<fill in: a condition that says which rows it is about>"
# SQL over one row: true passes, false fails.
holds: "<fill in: a condition, for example {column} = $wanted>"
observed: "<fill in: what is shown as found, for example {column}>"
desired: "<fill in: what is shown as wanted, for example $wanted>"
# What is wrong with a row that fails, in one sentence: which thing, what was seen with its unit, what is wanted. {{name}} is a column,
# observed or desired, {{$name}} a param; {{name:unit}} gives its unit, {{name:unit|word}} also what stands where it is NULL,
# {{name:yes|no}} both words of a column that is true or false. For example "{{resource_name}}: {{{column}}}, wanted {{$wanted}}".
message: "<fill in: what is wrong, as a sentence with the row's values>"
# What a person does about a failure. A rule whose setting a remediator writes has `fix:` as well; see `auditor rules show`.
by_hand: |
  <fill in: what to do, where, and what to look at first>
if_unknown: "<fill in: what to do so that it can be judged>"
# Each verdict needs one, or more: columns left out are NULL.
examples:
  passes:
    - name: "<fill in: why this row passes>"
      row: {{<fill in: columns and values, for example {column}: 1>}}
  fails:
    - name: "<fill in: why this row fails>"
      row: {{<fill in: columns and values>}}
  unknown:
    - name: "<fill in: what was not read>"
      row: {{<fill in: columns and values>}}
  not_applicable:
    - name: "<fill in: why it is not about this row>"
      row: {{<fill in: columns and values>}}
"""
