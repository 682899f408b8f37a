"""What `esxcli storage core device` says of one device, and whether it did what it was told: what the settings of a device share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.endpoints.common.setting_errors import not_there
from auditor.endpoints.vcenter.esxcli_records import plain_name
from auditor.errors import RefusedError

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def write_by_esxcli(
    session: VCenter, target: Target, command: str, done: str, also: str = "", /, **arguments: str | bool | int | Sequence[str]
) -> None:
    """Run a command that writes, once; `done` is what it was to do, in words such as "DSNRO of naa.6 to 64", and `also` what else is known.

    Raises:
        RefusedError: the host says no, in words of its own or by the bare word false.
        EndpointError: as for every call.
    """
    answer = session.esxcli(target["host_id"]).run(command, **arguments)
    if any(str(row.get("value", "")).strip().lower() == "false" for row in answer):
        raise RefusedError(
            f"endpoint {session.endpoint.name}: {target['host_id']} did not do esxcli {command}: {done}",
            why=f"it said so without a reason{also}.",
            do="run the same command on that host.",
        )
