"""A whole reading of SANtricity Web Services and one fix, replayed from recordings: each answer is there, and each is heard.

See tests/endpoints/cassettes.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from auditor.endpoints.eseries.collect import collect_eseries
from auditor.endpoints.eseries.settings.host_type import ESeriesHostType
from auditor.model import EndpointKind, Gap, Target
from tests.endpoints.arrays import Collected
from tests.endpoints.cassettes import RECORD, TAPES
from tests.endpoints.eseries.eseries_system import SYSTEM


def playing(name: str, folder: Path) -> Any:
    return TAPES[EndpointKind.ESERIES].playing(name, SYSTEM, folder)


def test_a_reading_hears_every_recorded_answer_and_asks_for_no_other(tmp_path: Path) -> None:
    with playing("reading.yaml", tmp_path) as (services, cassette):
        items = list(collect_eseries(services, services.endpoint))
    assert RECORD or cassette.all_played, "an answer was recorded that nobody asked for"
    assert [item for item in items if isinstance(item, Gap)] == []
    assert Collected(items).column("array_volume", "name", "device") == [
        ("vmfs-1", "naa.600a098000a4b28d0000000000000001"),
        ("vmfs-2", "naa.600a098000a4b28d0000000000000002"),
        ("thin", "naa.600a098000a4b28d0000000000000003"),
    ]


def test_a_fix_reads_writes_one_host_and_reads_again(tmp_path: Path) -> None:
    setting, target = ESeriesHostType(), Target("es-east", (("array_host_id", "1/8400000060080e500023c7340000000000000002"),))
    with playing("fix.yaml", tmp_path) as (services, cassette):
        before = setting.read(services, target)
        setting.write(services, target, "VmwTPGSALUA")
        after = setting.read(services, target)
    assert RECORD or cassette.all_played
    assert (before.value, after.value) == ("LnxDHALUA", "VmwTPGSALUA")
    writes = [(request.path, request.body) for request in cassette.requests if request.method == "POST"]
    assert writes == [
        (
            "/devmgr/v2/storage-systems/1/hosts/8400000060080E500023C7340000000000000002",
            b'{"hostType": {"index": 10}}',
        )
    ]
