# Copyright (c) 2026 The auditor authors
# SPDX-License-Identifier: MIT
"""The module auditor_audit: runs `auditor audit`, and returns what it found."""

from __future__ import annotations

DOCUMENTATION = r"""
module: auditor_audit
short_description: Audits the storage settings of a vSphere fleet
description:
  - Runs C(auditor audit) on the host of the task, which has auditor 0.3.0 or later and reaches the fleet. It never has it fix anything.
  - Reading is the same in check mode. O(state_dir) keeps each run, in check mode too.
  - The task fails where auditor ends with drift (1) or with something that it could not judge (2), unless O(accept) has it; and always
    where it judged nothing (3), or ended with a bug (70) or otherwise.
options:
  fleet:
    description: The fleet's file. One of O(fleet) and O(snapshot) is needed.
    type: path
  snapshot:
    description: Support bundles, saved outputs of esxcli or kept runs to judge instead, as C(--from) takes them.
    type: list
    elements: str
  rules:
    description: Folders of rules besides those that come with auditor.
    type: list
    elements: path
  waivers:
    description: The file of waivers, where it does not lie beside O(fleet).
    type: path
  only:
    description: Rules, or globs of rules, to judge by.
    type: list
    elements: str
  exclude:
    description: Rules, or globs of rules, to leave out.
    type: list
    elements: str
  tag:
    description: Only rules with one of these tags.
    type: list
    elements: str
  endpoint:
    description: Endpoints of O(fleet), or globs, to read.
    type: list
    elements: str
  cluster:
    description: Clusters, or globs, to report.
    type: list
    elements: str
  host:
    description: Hosts, or globs, to report.
    type: list
    elements: str
  severity:
    description: The mildest severity of the rules to judge by.
    type: str
    choices: [critical, high, medium, low, info]
  fail_on:
    description: The mildest severity whose failure is drift.
    type: str
    choices: [critical, high, medium, low, info]
  min_coverage:
    description: The share, 0 to 1, that has to be judged; without it everything.
    type: float
  accept:
    description: Ends with which the task does not fail.
    type: list
    elements: str
    choices: [drift, not_judged]
    default: []
  html:
    description: Write the report for a browser to this file as well.
    type: path
  state_dir:
    description: Where runs are kept; without it auditor's own default for the account.
    type: path
  secrets:
    description: Variables of the environment that O(fleet) names, with their passwords. They are in no log and no argument.
    type: dict
    default: {}
  executable:
    description: The program.
    type: str
    default: auditor
attributes:
  check_mode:
    support: full
    description: It reads and judges as always.
author: The auditor authors (!UNKNOWN)
"""

EXAMPLES = r"""
- name: Audit, and go on where there is drift
  auditor.fleet.auditor_audit:
    fleet: /etc/auditor/fleet.yaml
    cluster: [gold-*]
    accept: [drift]
    secrets:
      VC_EAST_PASSWORD: "{{ vault_vc_east_password }}"
  register: audit

- name: Show what is wrong
  ansible.builtin.debug:
    msg: "{{ ansible_facts.auditor.findings | selectattr('verdict', 'eq', 'fail') | map(attribute='message') }}"
  when: audit.exit_code == 1
"""

RETURN = r"""
exit_code:
  description: As auditor ended. 0 all holds, 1 drift, 2 not everything could be judged, 3 nothing was judged.
  type: int
  returned: always
ansible_facts:
  description: The report, as the reporter C(json) writes it. Unknown is never a pass.
  type: dict
  returned: when a report was written
  contains:
    auditor:
      description: C(findings) has failures, unknown and waived verdicts; C(summary), C(coverage), C(gaps), C(run) and C(notices) the rest.
      type: dict
stderr:
  description: What auditor said.
  type: str
  returned: always
"""

import json
import tempfile
from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

SEVERITIES = ["critical", "high", "medium", "low", "info"]
REPEATED = ["rules", "only", "exclude", "tag", "endpoint", "cluster", "host"]
SINGLE = ["fleet", "waivers", "severity", "fail_on", "min_coverage", "state_dir"]
ENDS = {1: "drift", 2: "not_judged"}
KEPT = ["run", "coverage", "summary", "findings", "gaps", "notices", "scope"]
"""What the facts have of a report; texts of rules and counts by rule are left out."""

ARGUMENTS = {
    "fleet": {"type": "path"},
    "snapshot": {"type": "list", "elements": "str"},
    "rules": {"type": "list", "elements": "path"},
    "waivers": {"type": "path"},
    "only": {"type": "list", "elements": "str"},
    "exclude": {"type": "list", "elements": "str"},
    "tag": {"type": "list", "elements": "str"},
    "endpoint": {"type": "list", "elements": "str"},
    "cluster": {"type": "list", "elements": "str"},
    "host": {"type": "list", "elements": "str"},
    "severity": {"type": "str", "choices": SEVERITIES},
    "fail_on": {"type": "str", "choices": SEVERITIES},
    "min_coverage": {"type": "float"},
    "accept": {"type": "list", "elements": "str", "choices": sorted(ENDS.values()), "default": []},
    "html": {"type": "path"},
    "state_dir": {"type": "path"},
    "secrets": {"type": "dict", "no_log": True, "default": {}},
    "executable": {"type": "str", "default": "auditor"},
}


def command(params, report):
    """The words of the command; every value stands behind its own `=`, so that none is taken for another option."""
    words = [params["executable"], "audit"]
    words += [f"--{name.replace('_', '-')}={params[name]}" for name in SINGLE if params[name] is not None]
    words += [f"--{name}={value}" for name in REPEATED for value in params[name] or []]
    words += [f"--from={value}" for value in params["snapshot"] or []]
    words.append(f"--reporter=json:{report}")
    if params["html"] is not None:
        words.append(f"--reporter=html:{params['html']}")
    return words


def read(path):
    """What the facts have of the report; None where none was written."""
    if not path.exists():
        return None
    report = json.loads(path.read_text(encoding="utf-8"))
    return {name: report[name] for name in KEPT if name in report}


def main():
    """Run the audit; the task fails by how it ended."""
    module = AnsibleModule(
        ARGUMENTS,
        supports_check_mode=True,
        required_one_of=[("fleet", "snapshot")],
        mutually_exclusive=[("fleet", "snapshot")],
    )
    with tempfile.TemporaryDirectory(dir=module.tmpdir) as folder:
        path = Path(folder, "report.json")
        code, _, errors = module.run_command(command(module.params, path), environ_update=module.params["secrets"])
        report = read(path)
    result = {"changed": False, "exit_code": code, "stderr": errors}
    if report is not None:
        result["ansible_facts"] = {"auditor": report}
    if code == 0 or (report is not None and ENDS.get(code) in module.params["accept"]):
        module.exit_json(**result)
    module.fail_json(msg=message(code, report, errors), **result)


def message(code, report, errors):
    """Why the task failed, in a line."""
    if code in ENDS and report is not None:
        fail, unknown, gaps = report["summary"]["fail"], report["summary"]["unknown"], len(report["gaps"])
        return f"auditor ended with {code} ({ENDS[code]}): failures {fail}, unknown {unknown}, gaps {gaps}"
    lines = [line for line in errors.splitlines() if line.startswith("error: ")]
    return f"auditor ended with {code}: {lines[0].removeprefix('error: ') if lines else 'see stderr'}"


if __name__ == "__main__":
    main()
