"""Every endpoint is known by what it says of itself, and fleet.yaml's name for it is a label."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from auditor.endpoints.collect import collect_again, collect_fleet
from auditor.endpoints.common.sessions import open_session
from auditor.errors import ConfigurationError
from auditor.facts.needs import needs
from auditor.facts.snapshots.earlier import Earlier
from auditor.facts.snapshots.snapshot import load_snapshot
from auditor.fleet.loading import load_fleet
from auditor.model import EndpointKind
from auditor.model.identity import is_same, joined
from auditor_lab.description import LabFleet
from auditor_lab.serving import serve
from auditor_lab.sites import at_site
from auditor_lab.vcenter.description.hosts import ClusterDescription, HostDescription
from auditor_lab.vcenter.description.vcenter import VCenterDescription
from tests.contract.examples import EXAMPLES
from tests.endpoints.arrays import serving_array

if TYPE_CHECKING:
    from pathlib import Path

    from auditor.facts.snapshots.snapshot import Snapshot
    from auditor.fleet.loading import Fleet

HOST = HostDescription(name="esx-01", version="8.0.2", build=22380479)
VCENTER = VCenterDescription(name="vc-a", clusters=(ClusterDescription(name="gold", hosts=(HOST,)),))
HOSTS = needs([("host", "name")])


def no_progress(_endpoint: str, _what: str) -> None:
    return


def fleet_of(lab: object, path: Path) -> Fleet:
    lab.write_fleet(path)  # type: ignore[attr-defined]
    return load_fleet(path)


def read(folder: Path, site: str = "") -> tuple[Fleet, Snapshot]:
    """The fleet file and the snapshot of a vCenter that stands at a site."""
    folder.mkdir()
    with serve(LabFleet(vcenters=(VCENTER,)), site) as lab:
        fleet = fleet_of(lab, folder / "fleet.yaml")
        return fleet, collect_fleet(fleet, no_progress, HOSTS)


def identity_of(kind: EndpointKind, folder: Path, site: str = "") -> str | None:
    folder.mkdir()
    with serving_array(kind, at_site(EXAMPLES[kind].description, site), folder) as (_, endpoint), open_session(endpoint) as session:
        identity: str | None = session.identity()
        return identity


@pytest.mark.parametrize("kind", list(EXAMPLES), ids=str)
def test_an_array_says_who_it_is_and_one_at_another_site_says_that_it_is_another(kind: EndpointKind, tmp_path: Path) -> None:
    here, again, there = (identity_of(kind, tmp_path / each, site) for each, site in (("a", ""), ("b", ""), ("c", "munich")))
    assert here
    assert there
    assert here == again
    assert not is_same(here, there)


@pytest.mark.parametrize("kind", list(EXAMPLES), ids=str)
def test_an_array_is_asked_once_who_it_is_and_anew_where_that_is_wanted(kind: EndpointKind, tmp_path: Path) -> None:
    with serving_array(kind, EXAMPLES[kind].description, tmp_path) as (server, endpoint), open_session(endpoint) as session:
        first = session.identity()
        asked = len(server.requests)
        assert (session.identity(), len(server.requests)) == (first, asked)
        session.known_identity = "of another"
        assert (session.identity(again=True), session.known_identity, len(server.requests)) == (first, first, asked + 1)


@pytest.mark.parametrize(
    ("kind", "field"),
    [(EndpointKind.FLASHARRAY, "id"), (EndpointKind.ETERNUS, "serial_number"), (EndpointKind.DELL_SC, "serial_number")],
    ids=str,
)
def test_the_identity_is_what_the_array_reports_of_itself(kind: EndpointKind, field: str, tmp_path: Path) -> None:
    assert identity_of(kind, tmp_path / "a") == str(getattr(EXAMPLES[kind].description, field))


def test_a_manager_of_several_arrays_is_the_same_while_it_speaks_for_one_of_them() -> None:
    assert joined(["64703", "64702", "64702"]) == "64702, 64703"
    assert joined([]) is None
    assert is_same("64702, 64703", "64703, 64999")
    assert not is_same("64702, 64703", "6470")
    assert is_same("4C4C-AA", "4c4c-aa")


@pytest.mark.long
def test_a_snapshot_keeps_who_each_endpoint_is_and_one_of_an_older_auditor_does_not_know(tmp_path: Path) -> None:
    _, snapshot = read(tmp_path / "a")
    snapshot.save(tmp_path / "saved")
    identity = snapshot.identities["vc-a"]
    saved = load_snapshot(tmp_path / "saved")
    assert identity
    assert saved.identities == {"vc-a": identity}
    assert saved.connection.execute("SELECT identity FROM fact.listed_endpoint").fetchall() == [(identity,)]
    manifest = tmp_path / "saved" / "snapshot.json"
    manifest.write_text(manifest.read_text().replace(f'"{identity}"', "null").replace('"identity": null', '"version": "1"'))
    assert load_snapshot(tmp_path / "saved").identities == {"vc-a": None}


def test_two_entries_that_are_one_endpoint_are_refused_before_anything_is_judged(tmp_path: Path) -> None:
    with serve(LabFleet(vcenters=(VCENTER,))) as lab:
        fleet = fleet_of(lab, tmp_path / "fleet.yaml")
        (one,) = fleet.endpoints
        twice = dataclasses.replace(fleet, endpoints=(one, dataclasses.replace(one, name="vc-old")))
        with pytest.raises(ConfigurationError) as refused:
            collect_fleet(twice, no_progress, HOSTS)
    assert "vc-a" in refused.value.what
    assert "vc-old" in refused.value.what
    assert "twice" in refused.value.why


@pytest.mark.long
def test_answers_of_another_endpoint_under_the_name_are_not_taken_over(tmp_path: Path) -> None:
    _, snapshot = read(tmp_path / "a")
    identity = snapshot.identities["vc-a"]
    snapshot.save(tmp_path / "saved")
    now = datetime.now(UTC)
    earlier = Earlier("run-a", tmp_path / "saved", load_snapshot(tmp_path / "saved"), now - timedelta(hours=1), now, frozenset())
    for site, is_other in (("", False), ("munich", True)):
        with serve(LabFleet(vcenters=(VCENTER,)), site) as lab:
            again = collect_fleet(fleet_of(lab, tmp_path / "fleet.yaml"), no_progress, HOSTS, earlier)
        (reading,) = again.readings
        assert any(f"run-a read {identity}" in note and "every host" in note for note in reading.notes) is is_other


@pytest.mark.long
def test_after_a_fix_another_endpoint_under_the_name_is_a_gap(tmp_path: Path) -> None:
    _, before = read(tmp_path / "a")
    with serve(LabFleet(vcenters=(VCENTER,)), "munich") as lab:
        after = collect_again(fleet_of(lab, tmp_path / "fleet.yaml"), before, ["vc-a"], no_progress)
    (gap,) = after.gaps
    assert str(before.identities["vc-a"]) in gap.what
    assert str(after.identities["vc-a"]) in gap.why
