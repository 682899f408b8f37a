"""The ExtensionManager: the extensions that are registered with a vCenter."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pyVmomi import vim

from auditor_lab.vcenter.description.vcenter import ExtensionDescription
from auditor_lab.vcenter.inventory.entities import Managed
from auditor_lab.vcenter.soap.data_objects import complete

if TYPE_CHECKING:
    from auditor_lab.vcenter.state.vcenter import VCenterState

REFERENCE = vim.ExtensionManager("ExtensionManager")

# The extensions of every vCenter (known; a real one has some more, and others from release to release).
_ITS_OWN = ("VirtualCenter", "com.vmware.vim.eam", "com.vmware.vim.sms", "com.vmware.rbd", "com.vmware.vcIntegrity")
_SINCE = datetime(2024, 1, 1, tzinfo=UTC)


def extension_objects(state: VCenterState) -> list[Managed]:
    """The extension manager."""
    about = state.description
    own = [ExtensionDescription(key=key, version=about.version, company="VMware, Inc.") for key in _ITS_OWN]
    return [
        Managed(
            vim.ExtensionManager,
            REFERENCE._GetMoId(),  # noqa: SLF001  pyVmomi's accessor
            {"extensionList": lambda: [_extension(one) for one in (*own, *about.extensions)]},
        )
    ]


def _extension(one: ExtensionDescription) -> Any:
    return complete(
        vim.Extension(
            description=vim.Description(label=one.key, summary=one.key),
            key=one.key,
            version=one.version,
            company=one.company or None,
            lastHeartbeatTime=_SINCE,
        )
    )
