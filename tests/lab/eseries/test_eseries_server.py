"""The lab's SANtricity Web Services: whom they answer, what they know an array by, and what a write changes."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from auditor.contract.doubles import authority
from auditor.model import EndpointKind
from auditor_lab.arrays.eseries.description import ESeriesDescription, VolumeDescription
from tests.endpoints.arrays import PASSWORD, USER, serving_array
from tests.endpoints.eseries.eseries_system import SYSTEM

WWN = "60080E500023C73400000000515AF323"
SECOND_VOLUME = "02000000600A098000A4B28D0000000000000002"


@contextmanager
def client(folder: Path, description: ESeriesDescription = SYSTEM, password: str = PASSWORD) -> Iterator[httpx.Client]:
    with serving_array(EndpointKind.ESERIES, description, folder) as (server, _):
        authority().write(folder / "ca.pem")
        base = f"https://{server.host}:{server.port}/devmgr/"
        trust = ssl.create_default_context(cafile=str(folder / "ca.pem"))
        with httpx.Client(base_url=base, auth=(USER, password), verify=trust, trust_env=False) as asking:
            yield asking


def named(asking: httpx.Client, what: str) -> dict[str, Any]:
    return {one["name"]: one for one in asking.get(f"v2/storage-systems/1/{what}").json()}


def test_anybody_is_told_what_answers_and_only_the_account_what_it_holds(tmp_path: Path) -> None:
    with client(tmp_path, password="another") as asking:
        assert asking.get("utils/about").json()["runningAsProxy"] is False
        assert asking.get("v2/storage-systems").status_code == 401


@pytest.mark.parametrize("key", ["1", WWN])
def test_a_system_is_known_by_its_id_and_by_its_world_wide_name(tmp_path: Path, key: str) -> None:
    with client(tmp_path) as asking:
        assert asking.get(f"v2/storage-systems/{key}").json()["wwn"] == WWN
        assert len(asking.get(f"v2/storage-systems/{key}/volumes").json()) == 2


@pytest.mark.parametrize(
    ("path", "status"),
    [
        pytest.param("v2/storage-systems/2/volumes", 404, id="no such system"),
        pytest.param("v2/storage-systems/1/mel-events", 404, id="no such list"),
        pytest.param("v2/storage-systems/1/hosts/84", 404, id="no such object"),
        pytest.param("elsewhere", 404, id="no such address"),
    ],
)
def test_what_is_not_there_is_refused_in_words(tmp_path: Path, path: str, status: int) -> None:
    with client(tmp_path) as asking:
        answer = asking.get(path)
    assert (answer.status_code, bool(answer.json()["localizedMessage"])) == (status, True)


def test_an_array_that_is_away_answers_its_proxy_nothing(tmp_path: Path) -> None:
    with client(tmp_path, replace(SYSTEM, status="offline")) as asking:
        assert asking.get("v2/storage-systems/1/volumes").status_code == 424


def test_the_owner_and_the_cache_of_a_volume_are_written_and_read_back(tmp_path: Path) -> None:
    with client(tmp_path) as asking:
        before = named(asking, "volumes")
        asked = {"owningControllerId": "070000000000000000000001", "cacheSettings": {"writeCacheEnable": False}}
        asking.post(f"v2/storage-systems/1/volumes/{SECOND_VOLUME}", json=asked)
        after = named(asking, "volumes")
    assert before["vmfs-2"]["preferredManager"] == "070000000000000000000002"
    assert after["vmfs-2"]["preferredManager"] == after["vmfs-2"]["currentManager"] == "070000000000000000000001"
    assert after["vmfs-2"]["cacheSettings"]["writeCacheEnable"] is False
    assert after["vmfs-1"] == before["vmfs-1"]


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        pytest.param("hosts/8400000060080E500023C7340000000000000001", {"hostType": {"index": 99}}, 422, id="no such type"),
        pytest.param("hosts/8400000060080E500023C7340000000000000001", {"groupId": "85ff"}, 404, id="no such group"),
        pytest.param("hosts/84ff", {"hostType": {"index": 10}}, 404, id="no such host"),
        pytest.param("volumes/02ff", {}, 404, id="no such volume"),
        pytest.param("host-groups/85ff", {}, 404, id="no such group to add to"),
        pytest.param("storage-pools", {}, 405, id="what the lab does not make"),
        pytest.param("hosts/8400000060080E500023C7340000000000000001", [], 422, id="no object"),
    ],
)
def test_a_write_that_makes_no_sense_is_refused_and_changes_nothing(tmp_path: Path, path: str, body: Any, status: int) -> None:
    with client(tmp_path) as asking:
        before = named(asking, "hosts") | named(asking, "volumes")
        assert asking.post(f"v2/storage-systems/1/{path}", json=body).status_code == status
        assert named(asking, "hosts") | named(asking, "volumes") == before


def test_a_description_that_names_what_it_has_not_is_refused() -> None:
    with pytest.raises(ValueError, match="no pool named"):
        replace(SYSTEM, volumes=(VolumeDescription("v", "nowhere"),))
    with pytest.raises(ValueError, match="no host or host group named"):
        replace(SYSTEM, volumes=(VolumeDescription("v", "sas", mapped_to=("nobody",)),))
    with pytest.raises(ValueError, match="twice"):
        replace(SYSTEM, volumes=(VolumeDescription("sas", "sas"),))
    with pytest.raises(ValueError, match="only a proxy"):
        replace(SYSTEM, also=(SYSTEM,))


def test_at_another_site_it_says_that_it_is_another_and_hosts_see_the_same_volumes() -> None:
    elsewhere = replace(SYSTEM, site="b")
    assert elsewhere.reported_wwn != SYSTEM.reported_wwn
    assert len(elsewhere.reported_wwn) == 32
    assert elsewhere.naa("thin") == SYSTEM.naa("thin") == "600a098000a4b28d0000000000000003"
