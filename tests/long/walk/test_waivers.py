"""Waivers on the lab: what somebody answers for is no drift, is never fixed, and comes back by itself."""

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from auditor.cli import run
from auditor.history.runs import load_run, report_of_run
from auditor.report.html.report import write_html
from auditor_lab.faults import Fault
from auditor_lab.scenario import load_scenario
from auditor_lab.serving import Lab, serve
from auditor_lab.vcenter.description.policies import TagCategoryDescription, TagDescription
from tests.audits import DSNRO, FIX, Audit, Place, writes

DSNRO_RULE = "vvol/pe-dsnro-headroom"
HOST = "esx-vvol-1.lab.example"
FAR = "2099-12-31"
GONE = "2026-01-31"


def entry(rule: str, resources: str, expires: str = FAR, owner: str = "storage team", more: str = "") -> str:
    return (
        f'  - rule: "{rule}"\n    resources: {resources}\n    owner: {owner}\n    reason: replaced in spring\n    ticket: CHG-1\n'
        f"    expires: {expires}\n{more}"
    )


def file_of(*entries: str) -> str:
    return "waivers:\n" + "".join(entries)


def waived(audit: Audit) -> list[dict[str, str]]:
    return [finding["waiver"] for finding in audit.report["findings"] if finding["verdict"] == "waived"]


@dataclass(frozen=True)
class Kept:
    """A snapshot of the lab, to be judged by waivers without reading it again."""

    place: Place
    snapshot: Path

    def audit(self, *entries: str) -> Audit:
        """One rule, judged with these waivers."""
        waivers, report = self.place.folder / "own-waivers.yaml", self.place.folder / "kept.json"
        waivers.write_text(file_of(*entries))
        state = ("--state-dir", str(self.place.state))
        reported = ("--waivers", str(waivers), "--reporter", f"json-full:{report}", "--only", DSNRO_RULE)
        code = run(["audit", "--from", str(self.snapshot), *state, *reported])
        return Audit(code, json.loads(report.read_text()), self.place.capsys.readouterr().err)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Lab, Path]]:
    folder = tmp_path_factory.mktemp("kept")
    with serve(load_scenario("solidfire-vvols")) as lab:
        lab.write_fleet(folder / "fleet.yaml")
        assert run(["collect", "--fleet", str(folder / "fleet.yaml"), "--out", str(folder / "snapshot")]) == 0
        yield lab, folder


@pytest.fixture
def kept(served: tuple[Lab, Path], capsys: pytest.CaptureFixture[str]) -> Kept:
    lab, folder = served
    return Kept(Place(lab, folder, capsys), folder / "snapshot")


def test_waived_failures_are_told_with_who_answers_for_them_in_every_report(kept: Kept) -> None:
    audit, without = kept.audit(entry(DSNRO_RULE, "{host: esx-vvol-1.*}")), kept.audit()
    given = {"verdict": "fail", "owner": "storage team", "reason": "replaced in spring", "ticket": "CHG-1"}
    given |= {"expires": "2100-01-01T00:00:00Z", "where": "own-waivers.yaml:2"}
    assert len(waived(audit)) > 1
    assert all(waiver == given for waiver in waived(audit))
    summary, before = audit.report["summary"], without.report["summary"]
    assert (before["waived"], summary["waived"]) == (0, len(waived(audit)))
    assert before["fail"] == summary["fail"] + summary["waived"]
    assert audit.report["coverage"] == without.report["coverage"]

    run_id = audit.report["run"]["id"]
    assert run(["runs", "show", run_id, "--state-dir", str(kept.place.state)]) == 0
    table = " ".join(kept.place.capsys.readouterr().out.split())
    assert f"{DSNRO_RULE} {summary['waived']} failures until 2100-01-01T00:00:00Z: replaced in spring (storage team, CHG-1" in table
    page = io.StringIO()
    write_html(report_of_run(load_run(kept.place.state, run_id)), page)
    for part in ("storage team", "replaced in spring", "CHG-1", "2100-01-01T00:00:00Z"):
        assert f"<bdi>{part}</bdi></td>" in page.getvalue()


def test_what_is_all_waived_is_no_drift_for_the_exit_code(kept: Kept) -> None:
    assert kept.audit(entry(DSNRO_RULE, "{host: esx-vvol-1.*}")).code == 1
    assert kept.audit(entry("*", '{endpoint: "*"}')).code == 0


def test_a_waiver_that_has_ended_says_so_and_what_it_covered_counts_again(kept: Kept) -> None:
    audit = kept.audit(entry(DSNRO_RULE, "{host: esx-vvol-1.*}", GONE))
    assert audit.code == 1
    lapsed = [finding["lapsed_waiver"] for finding in audit.of(DSNRO_RULE, "fail") if finding["resource"]["host"] == HOST]
    assert {one["why"] for one in lapsed} == {"expired at 2026-02-01T00:00:00Z"}
    assert audit.report["notices"][0] == (
        f"own-waivers.yaml:2: the waiver of {DSNRO_RULE} (storage team, CHG-1) expired at 2026-02-01T00:00:00Z: "
        f"{len(lapsed)} verdicts that it covered count again."
    )


DEEP = """\
id: own/deep
title: Every device takes a thousand commands
severity: low
over: device
lesson: It is not so anywhere.
sources: [{what: this test}]
holds: queue_depth > 1000
observed: queue_depth
desired: 1000
by_hand: Do not.
examples:
  passes: [{name: p, row: {queue_depth: 1001}}]
  fails: [{name: f, row: {queue_depth: 1000}}]
  unknown: [{name: u, row: {}}]
"""


def test_a_waiver_for_a_datastore_has_it_read_and_finds_the_devices_it_lies_on(kept: Kept) -> None:
    place = kept.place
    rules, waivers = place.folder / "rules" / "own" / "deep.yaml", place.folder / "datastores.yaml"
    rules.parent.mkdir(parents=True)
    rules.write_text(DEEP)
    waivers.write_text(file_of(entry("own/*", "{datastore: sf-vmfs-01}")))
    audit = place.audit("--rules", str(rules.parents[1]), "--only", "own/deep", "--waivers", str(waivers))
    [vcenter] = load_scenario("solidfire-vvols").vcenters
    extents = {device for datastore in vcenter.datastores if datastore.name == "sf-vmfs-01" for device in datastore.extents}
    under = [finding for finding in audit.report["findings"] if finding["resource"]["name"] in extents]
    assert len(under) == 2, "one for each host of its cluster"
    assert {finding["verdict"] for finding in under} == {"waived"}
    assert audit.report["summary"]["waived"] == 2
    assert audit.report["summary"]["fail"] > 2


def test_the_waivers_beside_a_fleet_file_count_without_being_named(vvols: Place) -> None:
    (vvols.folder / "waivers.yaml").write_text(file_of(entry(DSNRO_RULE, f"{{host: {HOST}}}")))
    fixed = vvols.audit(*FIX, "--only", DSNRO_RULE)
    kept = len(waived(fixed))
    assert 0 < kept < 13
    assert writes(vvols).count(DSNRO) == 13 - kept
    said = " ".join(fixed.err.split())
    assert "Not changed, because a waiver covers it:" in said
    assert f"{DSNRO_RULE}: {kept} failures until 2100-01-01T00:00:00Z: replaced in spring (storage team, CHG-1" in said
    # Judged again after the fix, by the same waivers.
    assert fixed.report["summary"]["fail"] == 0
    assert fixed.code == 0


def test_nothing_is_fixed_while_a_waiver_is_malformed(kept: Kept) -> None:
    asked = [len(server.requests) for server in kept.place.lab.vcenters.values()]
    waivers = kept.place.folder / "broken.yaml"
    misspelt = entry("vvol/pe-dsnro-headrom", f"{{host: {HOST}}}")
    waivers.write_text(file_of(misspelt))
    refused = kept.place.audit(*FIX, "--only", DSNRO_RULE, "--waivers", str(waivers))
    assert (refused.code, refused.report) == (5, {})
    assert "error: broken.yaml:" in refused.err
    assert [len(server.requests) for server in kept.place.lab.vcenters.values()] == asked
    looked = kept.audit(misspelt)
    assert looked.code == 1
    assert looked.report["summary"]["waived"] == 0
    assert looked.report["notices"][0].startswith("own-waivers.yaml:")


def test_the_check_tells_what_ended_what_soon_will_and_what_is_malformed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def checked(*entries: str, soon: int = 14) -> tuple[int, list[str]]:
        (tmp_path / "waivers.yaml").write_text(file_of(*entries))
        code = run(["waivers", "check", "--waivers", str(tmp_path / "waivers.yaml"), "--soon", str(soon)])
        return code, capsys.readouterr().out.splitlines()

    week = (datetime.now(UTC) + timedelta(days=7)).strftime("%Y-%m-%dT%H:%MZ")
    sound, ending, ended = (entry(DSNRO_RULE, "{host: a}", end) for end in (FAR, week, GONE))
    assert checked(sound, ending)[0] == 1
    assert checked(sound, ending, soon=3)[0] == 0
    assert checked(sound, ended)[0] == 1
    code, said = checked(sound, ending, ended, entry("vvol/nothing", "{host: a}"))
    assert code == 3
    assert [line.split("  ")[0] for line in said] == ["MALFORMED", "EXPIRED", "ENDS SOON", "in force", said[-1]]
    assert said[3] == (
        f"in force   waivers.yaml:2: {DSNRO_RULE} on host a, until 2100-01-01T00:00:00Z, "
        f"{(datetime(2100, 1, 1, tzinfo=UTC) - datetime.now(UTC)).days:,} days left: replaced in spring (storage team, CHG-1)"
    )
    assert said[-1].startswith("4 waivers, 2 in force at 20")


def test_the_check_names_endpoints_that_the_fleet_has_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serve(load_scenario("eternus-vaai")) as lab:
        lab.write_fleet(tmp_path / "fleet.yaml")
    (tmp_path / "waivers.yaml").write_text(file_of(entry(DSNRO_RULE, '{endpoint: [vc-nowhere, "vc-*"]}')))
    assert run(["waivers", "check", "--fleet", str(tmp_path / "fleet.yaml")]) == 0
    assert capsys.readouterr().out.count("fleet.yaml has no endpoint vc-nowhere\n") == 1


def test_the_check_of_no_file_is_an_error_and_an_audit_without_one_is_not(vvols: Place) -> None:
    assert run(["waivers", "check", "--fleet", str(vvols.fleet)]) == 3
    assert "there is no waivers.yaml beside" in vvols.capsys.readouterr().err
    assert run(["waivers", "check"]) == 3
    audit = vvols.audit("--only", DSNRO_RULE, "--waivers", str(vvols.folder / "elsewhere.yaml"))
    assert (audit.code, audit.report) == (3, {})


def test_a_tag_waives_what_carries_it_and_what_lies_on_or_in_that(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fleet = load_scenario("solidfire-vvols")
    tags = (TagDescription(name="lab", objects=(HOST,)), TagDescription(name="old", objects=("sf-vmfs-01",)))
    [vcenter] = fleet.vcenters
    category = TagCategoryDescription(name="care", tags=tags)
    with serve(replace(fleet, vcenters=(replace(vcenter, tag_categories=(category,)),))) as lab:
        lab.write_fleet(tmp_path / "fleet.yaml")
        place = Place(lab, tmp_path, capsys)
        asked = ("--only", "sioc/overlap-array-qos", "--only", DSNRO_RULE)
        (tmp_path / "waivers.yaml").write_text(file_of(entry("*", '{tag: ["care:lab", old]}')))
        audit = place.audit(*asked)
        found = {(f["rule"], f["resource"]["host"] or f["resource"]["name"]) for f in audit.report["findings"] if f["verdict"] == "waived"}
        assert found == {(DSNRO_RULE, HOST), ("sioc/overlap-array-qos", "sf-vmfs-01")}
        assert not [f for f in audit.of(DSNRO_RULE, "fail") if f["resource"]["host"] == HOST]
        assert audit.report["gaps"] == []

        [server] = lab.vcenters.values()
        server.faults.active.append(Fault("drop", "com.vmware.cis.session.create"))
        unread = place.audit(*asked)
        assert (unread.code, unread.report["summary"]["waived"]) == (2, 0)
        assert [gap["what"] for gap in unread.report["gaps"]] == ["tags"]
        assert "The tags of vc-solidfire were not read: what is waived by a tag counts there as not waived." in unread.report["notices"]
