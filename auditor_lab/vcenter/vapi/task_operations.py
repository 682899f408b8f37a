"""com.vmware.cis.tasks: what the vSphere Automation API says of its tasks.

Source: com.vmware.cis_client of the client that VMware publishes.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from auditor_lab.vcenter.vapi.errors import not_found
from auditor_lab.vcenter.vapi.operations import Arguments, Operation

if TYPE_CHECKING:
    from auditor_lab.vcenter.vapi.operations import Call
    from auditor_lab.vcenter.vapi.tasks import Task
    from auditor_lab.vcenter.vapi.values import Structure


def _get(call: Call) -> Structure:
    spec = call.arguments.structure_or_none("spec") or Arguments({})
    return _task(call).info(with_result=not spec.flag("exclude_result"))


def _list(call: Call) -> dict[str, Structure]:
    """Every task that matches; a filter's list that is unset or empty matches all."""
    spec = call.arguments.structure_or_none("filter_spec") or Arguments({})
    keys, services, statuses = (set(spec.texts_or_none(name) or ()) for name in ("tasks", "services", "status"))
    return {
        key: task.info(with_result=True)
        for key, task in call.tasks.tasks.items()
        if (not keys or key in keys) and (not services or task.service in services) and (not statuses or task.status in statuses)
    }


def _task(call: Call) -> Task:
    key = call.arguments.text("task")
    if key not in call.tasks.tasks:
        raise not_found(key)
    return call.tasks.tasks[key]


OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {
        "com.vmware.cis.tasks.get": Operation(_get, "GET", "/cis/tasks/{task}"),
        "com.vmware.cis.tasks.list": Operation(_list, "GET", "/cis/tasks"),
    }
)
