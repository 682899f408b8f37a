"""A small view, a sound rule over it, and rows to judge."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import duckdb

from auditor.engine.rules.loading import load_rules
from auditor.engine.rules.rule import Expression, Rule, RuleSet
from auditor.facts.views import seal
from auditor.model import Severity

RESOURCE = dict.fromkeys(("endpoint", "resource_id", "resource_name", "cluster", "host"), "VARCHAR")
VIEWS: Mapping[str, Mapping[str, str]] = {
    "protocol_endpoint": {
        **RESOURCE,
        "host_id": "VARCHAR",
        "device": "VARCHAR",
        "family": "VARCHAR",
        "per_object_qos": "BOOLEAN",
        "dsnro": "BIGINT",
        "queue_depth": "BIGINT",
        "deepest_disk_queue": "INTEGER",
        "iops_limit": "BIGINT",
        "booted": "TIMESTAMP WITH TIME ZONE",
        "load": "DOUBLE",
    },
    "option": {**RESOURCE, "host_id": "VARCHAR", "option": "VARCHAR", "value": "VARCHAR", "value_type": "VARCHAR", "at_boot": "VARCHAR"},
}
REMEDIATORS = ("device.dsnro", "host.option")
HEADROOM = "vvol/pe-dsnro-headroom"

# Incident S0: DSNRO 32 as installed, a virtual disk queue of 64, 256 after the fix.
SOUND = """\
id: vvol/pe-dsnro-headroom
title: One throttled disk cannot fill a protocol endpoint's queue
severity: high
tags: [vvol]
over: protocol_endpoint
lesson: All virtual volumes behind an endpoint share one queue.
sources:
  - {what: Incident S0, url: "https://example.com/s0"}
params:
  headroom: {default: 4, unit: times the deepest queue, why: policy}
applies: family = 'solidfire' AND per_object_qos
holds: least(dsnro, queue_depth) >= $headroom * deepest_disk_queue
observed: least(dsnro, queue_depth)
desired: $headroom * deepest_disk_queue
fix:
  remediator: device.dsnro
  target: {host_id: host_id, device: device}
  column: dsnro
  set: least(256, queue_depth)
  class: online-caution
  reason: Room for several throttled disks
examples:
  passes: [{name: raised, row: {family: solidfire, per_object_qos: true, dsnro: 256, queue_depth: 256, deepest_disk_queue: 64}}]
  fails: [{name: as installed, row: {family: solidfire, per_object_qos: true, dsnro: 32, queue_depth: 256, deepest_disk_queue: 64}}]
  unknown: [{name: DSNRO not read, row: {family: solidfire, per_object_qos: true, queue_depth: 256, deepest_disk_queue: 64}}]
  not_applicable: [{name: no such QoS, row: {family: solidfire, per_object_qos: false}}]
"""


@dataclass(frozen=True)
class Override:
    """As fleet.ParamOverride."""

    rule: str
    name: str
    value: Any
    endpoint: str | None = None
    cluster: str | None = None
    where: str = "fleet.yaml:7"


def write_rule(folder: Path, text: str) -> Path:
    """Put a rule file where its id says."""
    rule_id = next(line.removeprefix("id: ") for line in text.splitlines() if line.startswith("id: "))
    path = folder / f"{rule_id}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


_loaded: dict[tuple[str, ...], RuleSet] = {}


def rules_from(folder: Path, *texts: str) -> RuleSet:
    """Write rule files and load them; the same texts in a folder without others are read once in a process."""
    are_alone = not any(folder.rglob("*.yaml"))
    paths = {path.relative_to(folder).with_suffix("").as_posix(): path for path in (write_rule(folder, text) for text in texts)}
    if are_alone and texts in _loaded:
        rules = {rule.id: replace(rule, path=paths[rule.id]) for rule in _loaded[texts]}
        return RuleSet(rules, VIEWS)
    loaded = load_rules([folder], VIEWS, REMEDIATORS)
    if are_alone:
        _loaded[texts] = loaded
    return loaded


def changed(text: str, *replacements: tuple[str, str]) -> str:
    """The text with parts replaced; each must be there."""
    for old, new in replacements:
        assert old in text, old
        text = text.replace(old, new)
    return text


def rule_text(rule_id: str, *, over: str = "protocol_endpoint", **keys: str) -> str:
    """A rule of a few keys; what the examples say matters only to who checks them."""
    given = {"holds": "dsnro > 0", "observed": "1", "desired": "1", "severity": "high", "title": f"About {rule_id}"} | keys
    if "fix" not in given:
        given.setdefault("by_hand", "Do it.")
    lines = [
        f"id: {rule_id}",
        f"over: {over}",
        "lesson: text",
        "sources: [{what: a source}]",
        *(f"{key}: {value}" for key, value in given.items()),
    ]
    if "examples" not in given:
        names = {"passes": "p", "fails": "f", "unknown": "u"} | ({"not_applicable": "n"} if "applies" in given else {})
        lines.append("examples: {" + ", ".join(f"{key}: [{{name: {name}, row: {{}}}}]" for key, name in names.items()) + "}")
    return "\n".join(lines) + "\n"


def bare_rule(rule_id: str, **fields: Any) -> Rule:
    """A rule that no file was read for, which takes no time: a protocol endpoint has to have a queue."""
    one = Expression("1", (), (), "INTEGER")
    holds = Expression("dsnro > 0", ("dsnro",), (), "BOOLEAN")
    given = {"title": f"About {rule_id}", "severity": Severity.HIGH, "over": "protocol_endpoint", "lesson": "text", "sources": ()}
    return Rule(**{"id": rule_id, **given, "holds": holds, "observed": one, "desired": one, "path": Path("x.yaml"), **fields})


def pe(number: int = 1, **columns: Any) -> dict[str, Any]:
    """A protocol endpoint of SolidFire as S0 found it; columns as named."""
    device = f"naa.6f47acc2{number:08d}"
    place = {"endpoint": "vc-east", "resource_id": f"host-1/{device}", "resource_name": device, "cluster": "gold", "host": "esx-01"}
    facts = {"family": "solidfire", "per_object_qos": True, "dsnro": 32, "queue_depth": 256, "deepest_disk_queue": 64}
    return {**place, "host_id": "host-1", "device": device, **facts, **columns}


def fleet(
    rows: Sequence[Mapping[str, Any]],
    view: str = "protocol_endpoint",
    folder: Path | None = None,
    identities: Mapping[str, str | None] = MappingProxyType({}),
    unread: Sequence[tuple[str, str]] = (),
) -> duckdb.DuckDBPyConnection:
    """A sealed connection whose views hold these rows; `folder` stays open for writing.

    Args:
        rows: of `view`.
        view: which has them.
        folder: stays open for writing.
        identities: those of endpoints by name.
        unread: endpoints and topics that were not read.
    """
    connection = duckdb.connect()
    connection.execute("CREATE SCHEMA fact; CREATE TABLE fact.listed_endpoint (endpoint VARCHAR, identity VARCHAR)")
    connection.execute("CREATE TABLE fact.host (endpoint VARCHAR, host_id VARCHAR, name VARCHAR, cluster VARCHAR)")
    connection.execute("CREATE TABLE fact.reading (endpoint VARCHAR, scope VARCHAR, topic VARCHAR, complete BOOLEAN)")
    for endpoint, topic in unread:
        connection.execute("INSERT INTO fact.reading VALUES (?, '', ?, false)", [endpoint, topic])
    for endpoint, identity in identities.items():
        connection.execute("INSERT INTO fact.listed_endpoint VALUES (?, ?)", [endpoint, identity])
    for name, columns in VIEWS.items():
        connection.execute(f'CREATE TABLE "{name}" ({", ".join(f"{column} {kind}" for column, kind in columns.items())})')
    assert all(set(row) <= set(VIEWS[view]) for row in rows)
    if rows:
        select = "SELECT unnest(from_json_strict($cells, $shape), recursive := true)"
        cells = [{column: row.get(column) for column in VIEWS[view]} for row in rows]
        connection.execute(f'INSERT INTO "{view}" {select}', {"cells": json.dumps(cells), "shape": json.dumps([dict(VIEWS[view])])})
    seal(connection, folder)
    return connection
