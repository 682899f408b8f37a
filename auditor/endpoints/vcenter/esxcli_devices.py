"""What `esxcli storage core device` says of one device, and whether it did what it was told: what the settings of a device share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.endpoints.common.setting_errors import not_there
from auditor.endpoints.vcenter.esxcli_records import plain_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from auditor.endpoints.vcenter.esxcli_records import Row
    from auditor.endpoints.vcenter.session import VCenter
    from auditor.model import Target


def device_fields(session: VCenter, target: Target) -> dict[str, str]:
    """The fields of the target's device on the target's host, by plain name ("isperenniallyreserved"), without outer blanks.

    Raises:
        NotThereError: the host has no such device.
    """
    device = target["device"]
    for row in session.esxcli(target["host_id"]).run("storage core device list", device=device):
        fields = {plain_name(name): str(value).strip() for name, value in row.items()}
        if fields.get("device", "").lower() == device.lower():
            return fields
    raise not_there(
        session, f"{target['host_id']} has no device {device}", "there is nothing to set.", "collect again: it may have been unmapped."
    )


def was_refused(answer: Iterable[Row]) -> bool:
    """Whether a command that writes answered false, as esxcli does where it gives no reason."""
    return any(str(row.get("value", "")).strip().lower() == "false" for row in answer)
