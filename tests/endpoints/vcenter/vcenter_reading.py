"""Small reads of a vCenter, as tests of its session make them."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

from pyVmomi import vim

from auditor.endpoints.vcenter.bulk.reading import ObjectProperties
from auditor.endpoints.vcenter.read import read_objects
from auditor.endpoints.vcenter.session import VCenter
from auditor.model import Endpoint
from auditor_lab.vcenter.server import VCenterServer

Serve = Callable[..., tuple[VCenterServer, Endpoint]]


def names(vcenter: VCenter) -> list[str]:
    return sorted(facts.values["name"] for facts in vcenter.read(vim.HostSystem, ("name",)))


def hosts_in_parts(vcenter: VCenter, page: int, answer_size: int) -> Generator[ObjectProperties]:
    yield from read_objects(vcenter.stub, vcenter.content, vim.HostSystem, ("name",), None, page, answer_size=answer_size)


def options_of(vcenter: VCenter, host_id: str = "host-11") -> Any:
    return vcenter.value(vim.HostSystem, host_id, "configManager.advancedOption")
