"""Checks on kinds that come with other packages: whose code reads an endpoint, and whether it can be used."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from auditor.model import Check, Health
from auditor.model.endpoint_kinds import endpoint_type, plugin_faults, plugin_types
from auditor.pipeline.plugin_rules import plugin_rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor.fleet.loading import Fleet
    from auditor.model import Endpoint


def examine_plugin(endpoint: Endpoint) -> Iterator[Check]:
    """Yield the check "plugin" of an endpoint whose kind does not come with auditor."""
    kind = endpoint_type(endpoint.kind)
    at = partial(Check, endpoint.name, "plugin")
    if kind.fault is not None:
        yield at(Health.PROBLEM, kind.fault.what, kind.fault.why, kind.fault.do)
    elif kind.plugin:
        facts = {"plugin": kind.plugin}
        yield at(Health.OK, f"kind {endpoint.kind} is read by {kind.plugin}, which is no part of auditor and gets its secret", facts=facts)


def examine_plugins(fleet: Fleet) -> Iterator[Check]:
    """Yield a check "plugins" on each kind of an installed package; one that is unfit is a warning where no endpoint is of it."""
    at = partial(Check, "", "plugins")
    for one in plugin_types():
        can = f"reads {len(one.topics)} topics and can change {len(one.settings)} settings"
        what = f"kind {one.kind} comes with {one.plugin} (package {one.package}), {can}"
        yield at(Health.OK, what, facts={"plugin": one.plugin, "kind": one.kind.value})
    used = {endpoint_type(kind).fault for kind in {endpoint.kind for endpoint in fleet.endpoints}}
    for fault in (*plugin_faults(), *plugin_rules().faults):
        if fault not in used:
            yield at(Health.WARNING, fault.what, fault.why, fault.do)
