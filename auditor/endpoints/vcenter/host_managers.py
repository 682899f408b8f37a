"""The managers of one host, through which its settings are read and written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.setting_errors import not_there

if TYPE_CHECKING:
    from auditor.endpoints.vcenter.session import VCenter


def host_manager(session: VCenter, host_id: str, name: str, lacking: str) -> Any:
    """The manager `name` of a host's HostConfigManager; `lacking` is what a host without it does: "offers no advanced options".

    Raises:
        NotThereError: the host has none.

    Source: vSphere Web Services API, HostConfigManager.
    """
    from pyVmomi import vim

    manager = session.value(vim.HostSystem, host_id, f"configManager.{name}")
    if manager is None:
        raise not_there(session, f"{host_id} {lacking}", "its settings were neither read nor written.", "check that the host is connected.")
    return manager
