"""What the mock server of HPE's own SDK answers is read without a wrong value; what it leaves out is a gap.

Source: hpe-storage/python-3parclient at b7eee9d, test/HPE3ParMockServer_flask.py: the values of fields that are read, typed by hand. Its
volumes count 26 and are two, its hosts have no persona and no paths, and its rules have the field "enable" of a request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor_hpe3par.collect import collect_hpe3par
from double import EXAMPLE

from auditor.contract import Collected
from auditor.endpoints.common.sessions import open_session

if TYPE_CHECKING:
    from pathlib import Path

SYSTEM = {
    "id": 12345,
    "name": "Flask",
    "systemVersion": "3.2.1.46",
    "model": "HP_3PAR 7400",
    "serialNumber": "1234567",
    "clusterNodes": [0, 1],
    "onlineNodes": [0, 1],
}
ALIKE = {"domain": "UNIT_TEST", "state": 1, "userCPG": "UnitTestCPG"}
LISTS: dict[str, list[dict[str, Any]]] = {
    "cpgs": [
        {"name": "UnitTestCPG", "state": 1, "SDGrowth": {"LDLayout": {"diskPatterns": [{"diskType": 1}]}, "limitMiB": 256000}},
        {"name": "UnitTestCPG2", "state": 1, "SDGrowth": {"LDLayout": {"diskPatterns": [{"diskType": 1}]}, "limitMiB": 256000}},
    ],
    "volumes": [
        {
            "name": "UnitTestVolume",
            "domain": "UNIT_TEST",
            "sizeMiB": 102400,
            "state": 1,
            "userCPG": "UnitTestCPG",
            "wwn": "50002AC00001383D",
        },
        {
            "name": "UnitTestVolume2",
            "domain": "UNIT_TEST",
            "sizeMiB": 10240,
            "state": 1,
            "userCPG": "UnitTestCPG",
            "wwn": "50002AC00029383D",
        },
    ],
    "volumesets": [{"name": "gold", "setmembers": ["UnitTestVolume"]}],
    "qos": [{"name": "gold", "type": 1, "ioMinGoal": 100, "ioMaxLimit": 5000, "enable": True, "priority": 2, "id": "urn:uuid:1"}],
    "hosts": [
        {"FCWWNs": [], "domain": "UNIT_TEST", "iSCSINames": [{"name": "iqnTestName"}], "id": 11, "name": "UnitTestHost"},
        {"FCWWNs": [], "domain": "UNIT_TEST", "iSCSINames": [{"name": "iqnTestName2"}], "id": 12, "name": "UnitTestHost2"},
    ],
    "hostsets": [],
    "vluns": [
        {"active": True, "hostname": "UnitTestHost", "lun": 31, "type": 4, "volumeName": "UnitTestVolume"},
        {
            "active": False,
            "hostname": "UnitTestHost2",
            "lun": 32,
            "type": 3,
            "volumeName": "UnitTestVolume2",
            "volumeWWN": "50002AC00029383D",
        },
    ],
}


def test_the_mock_server_of_the_sdk_is_read_without_a_wrong_value(tmp_path: Path) -> None:
    with EXAMPLE.served(tmp_path, lists=LISTS) as (server, endpoint, _):
        server.array.system = SYSTEM
        server.array.totals = {"volumes": 26}
        with open_session(endpoint) as session:
            assert (session.release, session.identity()) == ("HP_3PAR 7400, OS 3.2.1.46", "3par 1234567")
            found = Collected(collect_hpe3par(session, endpoint))
    assert found.column("array_node", "node_id", "state") == [("0", "up"), ("1", "up")]
    assert found.column("array_pool", "name", "media", "raid_type") == [("UnitTestCPG", "hdd", None), ("UnitTestCPG2", "hdd", None)]
    assert found.column("array_volume", "device", "size_bytes", "status", "pool_id", "qos_read", "qos_levels_read") == [
        ("naa.50002ac00001383d", 100 * 2**30, "normal", "UnitTestCPG", False, False),
        ("naa.50002ac00029383d", 10 * 2**30, "normal", "UnitTestCPG", True, False),
    ]
    assert found.column("array_qos_policy", "policy_id", "priority", "max_iops", "is_read") == [("vvset:gold", "normal", None, False)]
    assert found.column("array_host", "name", "host_type") == [("UnitTestHost", None), ("UnitTestHost2", None)]
    assert found.column("array_connection", "volume_id", "array_host_id", "lun") == [
        ("UnitTestVolume", "UnitTestHost", 31),
        ("UnitTestVolume2", "UnitTestHost2", 32),
    ]
    assert found.incomplete() == {"qos_policies", "volumes", "array_hosts"}
    told = found.gap_text()
    assert "enabled of rule gold: is missing" in told
    assert "is 26, and 2 were listed" in told
    assert "persona of host UnitTestHost and 1 more" in told
    assert "paths of host UnitTestHost and 1 more" in told
