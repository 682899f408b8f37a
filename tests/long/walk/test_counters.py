"""Rules on counters: they see the queue of S0, leave hosts alone, and are asked anew by an audit that rests on an earlier one."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.audits import Place

RULE = """
id: queue/kernel-latency
title: No device makes its commands wait in the kernel
severity: high
tags: [queue]
over: device_load
lesson: A shared queue that one throttled disk fills makes all others wait (incident S0).
sources:
  - {what: "Commands do not wait in the host", url: "docs/rule-catalogue.md#e1"}
applies: is_shared
holds: kavg_run_over_2ms < 5
observed: kavg_run_over_2ms
desired: "0"
by_hand: Look at what fills the queue.
examples:
  passes:
    - {name: idle, row: {is_shared: true, kavg_run_over_2ms: 0}}
  fails:
    - {name: full, row: {is_shared: true, kavg_run_over_2ms: 15}}
  unknown:
    - {name: no samples, row: {is_shared: true}}
  not_applicable:
    - {name: a local disk, row: {is_shared: false, kavg_run_over_2ms: 15}}
"""
SHARED = "naa.6f47acc2000000027366707200000000"


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    folder = tmp_path / "own" / "queue"
    folder.mkdir(parents=True)
    (folder / "kernel-latency.yaml").write_text(RULE, encoding="utf-8")
    return folder.parent


def test_a_rule_on_counters_fails_where_s0_hurt_and_is_asked_anew_each_time(vvols: Place, rules: Path) -> None:
    (server,) = vvols.lab.vcenters.values()
    only = ("--rules", str(rules), "--only", "queue/kernel-latency", "--only", "vvol/pe-dsnro-headroom")
    first = vvols.audit(*only)
    failed = {f["resource"]["id"] for f in first.report["findings"] if f["rule"] == "queue/kernel-latency" and f["verdict"] == "fail"}
    assert any(SHARED in one for one in failed)
    assert not [f for f in first.report["findings"] if f["rule"] == "queue/kernel-latency" and f["verdict"] == "unknown"]
    before = Counter(server.requests)
    again = vvols.audit(*only, "--since", str(first.report["run"]["id"]))
    asked = Counter(server.requests) - before
    assert (asked["QueryPerf"], asked["storage.core.device.list"]) == (1, 0)
    assert again.verdicts() == first.verdicts()
