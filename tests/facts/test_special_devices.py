"""What is no disk of machines is told by its inquiry, and disks of the same arrays are not."""

import pytest

from .single import rows_over

MIB = 1 << 20


@pytest.mark.parametrize(
    ("vendor", "model", "size", "purpose"),
    [
        ("IBM", "Universal Xport", 20 * MIB, "access LUN"),
        ("NETAPP", "Universal Xport", 20 * MIB, "access LUN"),
        ("FUJITSU", "Universal Xport", 20 * MIB, "access LUN"),
        ("DGC", "LUNZ", None, "LUNZ"),
        ("EMC", "LUNZ", None, "LUNZ"),
        ("DGC", "VRAID", 1 << 40, "none"),
        ("EMC", "Invista", 1 << 40, "none"),
        ("Promise", "VTrak V-LUN", None, "placeholder"),
        ("Promise", "VTrak E610f", 1 << 40, "none"),
        ("EMC", "SYMMETRIX", 3 * MIB, "gatekeeper"),
        ("EMC", "SYMMETRIX", 16 * MIB, "gatekeeper"),
        ("EMC", "SYMMETRIX", 16 * MIB + 512, "none"),
        ("EMC", "SYMMETRIX", None, None),
        ("NVMe", "EMC PowerMax_8000", 3 * MIB, "gatekeeper"),
        ("HITACHI", "OPEN-V-CM", 50 * MIB, "command device"),
        ("HP", "OPEN-V-CM", 50 * MIB, "command device"),
        ("HITACHI", "OPEN-V", 1 << 40, "none"),
        ("3PARdata", "SES", None, "enclosure"),
        ("3PARdata", "VV", 1 << 40, "none"),
        # EVA disks and the array's console answer alike: only the type, storageArrayController, tells them apart.
        ("HP", "HSV340", 1 << 40, "none"),
        ("Marvell", "Console", None, "controller"),
        ("ATA", "DELLBOSS VD", 1 << 38, "boot disk"),
        ("NVMe", "Dell BOSS-N1", 1 << 38, "boot disk"),
        ("ATA", "SAMSUNG MZ7LH480", 1 << 38, "none"),
        ("AMI", "Virtual Floppy0", 1 << 20, "virtual drive"),
        ("iDRAC", "Virtual CD", None, "virtual drive"),
        ("VMware", "Virtual disk", 1 << 34, "none"),
        (None, "Universal Xport", None, None),
    ],
)
def test_what_a_device_is_for_goes_by_its_inquiry(vendor: str | None, model: str, size: int | None, purpose: str | None) -> None:
    device = {"endpoint": "vc", "operational_state": "ok", "vendor": vendor, "model": model, "size_bytes": size}
    [row] = rows_over("step_inquiry", {"fact.device": [device]})
    assert row["special_purpose"] == purpose
    assert row["is_aside"] is (None if purpose is None else purpose != "none")


@pytest.mark.parametrize(
    ("states", "state", "is_aside"),
    [
        ("ok", "ok", False),
        ("off", "off", True),
        ("off,degraded", "off", True),
        ("degraded,off", "degraded", False),
        ("", None, None),
        (None, None, None),
    ],
)
def test_the_first_operational_state_is_the_main_one(states: str | None, state: str | None, is_aside: bool | None) -> None:
    [row] = rows_over(
        "step_inquiry", {"fact.device": [{"endpoint": "vc", "vendor": "PURE", "model": "FlashArray", "operational_state": states}]}
    )
    assert (row["device_state"], row["is_aside"]) == (state, is_aside)
