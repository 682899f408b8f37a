"""A recording of a group of Nimble arrays, with every name replaced, is read as the group itself was."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from auditor.endpoints.common.sessions import open_session
from auditor.endpoints.nimble.collect import collect_nimble
from auditor.fleet.loading import load_fleet
from auditor.model.endpoint_kinds import endpoint_type
from auditor.recording.bundle import read_bundle
from auditor.recording.capture import record
from auditor_lab.description import LabFleet
from auditor_lab.recorded.serving import serve_recording
from auditor_lab.serving import serve
from tests.endpoints.arrays import Collected
from tests.endpoints.nimble.test_nimble_collector import DESCRIPTION

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.long


def test_a_recording_gives_the_same_figures_and_no_name(tmp_path: Path) -> None:
    with serve(LabFleet(nimble=(DESCRIPTION,))) as lab:
        lab.write_fleet(tmp_path / "fleet.yaml")
        record(load_fleet(tmp_path / "fleet.yaml"), tmp_path / "b.tar.gz", state=tmp_path, key=tmp_path / "key", progress=lambda *_: None)
    with serve_recording(read_bundle(tmp_path / "b.tar.gz")) as replayed:
        replayed.write_fleet(tmp_path / "masked.yaml")
        [endpoint] = load_fleet(tmp_path / "masked.yaml").endpoints
        with open_session(endpoint) as group:
            assert group.release == f"NimbleOS {DESCRIPTION.version}"
            found = Collected(collect_nimble(group, endpoint), endpoint_type(endpoint.kind).topics)
    assert found.gap_text() == ""
    figures = ("qos_max_iops", "qos_group_max_iops", "qos_group_max_bytes_per_second", "status", "kind", "qos_read")
    assert found.column("array_volume", *figures) == [
        (4000, 5000, 209_715_200, "online", "lun", True),
        (None, 5000, 209_715_200, "online", "lun", True),
        (800, None, None, "online", "vvol", True),
    ]
    assert found.column("array_volume_load", "actual_iops", "average_io_bytes")[0] == (3000, 8192)
    assert {row["name"] for row in found.tables["array_volume"]}.isdisjoint({"ds-1", "ds-2", "vm-1.vmdk"})
    for row in found.tables["array_volume"][:2]:
        assert row["device"] == f"eui.{row['serial']}"
        assert row["device"] != f"eui.{DESCRIPTION.serial_of('ds-1')}"
    assert found.column("array_node", "state") == ["active", "standby"] * 2
    assert found.column("array_alert", "severity") == ["warning"]
