"""What tests of sessions with an ETERNUS DX share."""

from __future__ import annotations

from auditor.model import Endpoint, EndpointKind, Secret
from auditor_lab.arrays.eternus.description import EternusDescription, UserDescription, VolumeDescription

DX = EternusDescription(
    name="dx",
    firmware="V11L30-0000",
    model_name="ET203ACU",
    uid_prefix="600000E00D2A0000002A0115",
    volumes=(VolumeDescription("one", category=3), VolumeDescription("two")),
    users=(UserDescription("watcher", "Monitor"), UserDescription("boss", "Admin")),
)

NOBODY = Endpoint("dx-east", EndpointKind.ETERNUS, "127.0.0.1", 22, "audit", Secret("env", ("NONE",)))
