"""A run, its resumes and what it made possible are one family: undo puts back all of it, and its ticket tells all of it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from auditor.apply.undoing import undo_plan
from auditor.cli import run as auditor
from auditor.history.families import begun_by, family_of
from auditor.journal import open_journal
from auditor.model import Change, FixClass, Outcome, Receipt, Resource, Target
from auditor.pipeline.request import FixLimits
from tests.audits import Place, only
from tests.pipeline.test_changes import Site, ends, site  # noqa: F401  the fixture

ONE = FixLimits(allow=tuple(FixClass), max_hosts="1", settle_seconds=0)
RULE = "vvol/pe-dsnro-headroom"


def test_undo_of_a_run_puts_back_what_its_resume_made(site: Site) -> None:  # noqa: F811  the fixture
    begun = site.apply(limits=ONE)
    assert site.depths() == [256, 32], "the first host alone"
    resumed = site.resume(begun.run)
    assert site.depths() == [256, 256]
    assert family_of(site.state, begun.run) == (begun.run, resumed.run)
    assert begun_by(site.state, resumed.run) == begun.run
    undone = site.undo(begun.run)
    assert (ends(undone), site.depths()) == ([Outcome.APPLIED] * 2, [32, 32])
    assert family_of(site.state, begun.run) == (begun.run, resumed.run), "an undo is none of the family"


def test_undo_of_the_resume_alone_names_the_run_that_began_it(site: Site, capsys: pytest.CaptureFixture[str]) -> None:  # noqa: F811
    fleet = site.folder / "fleet.yaml"
    site.peers.lab.write_fleet(fleet)
    begun = site.apply(limits=ONE)
    resumed = site.resume(begun.run)
    assert auditor(["undo", resumed.run, "--fleet", str(fleet), "--state-dir", str(site.state), "--yes"]) in (0, 4, 5)
    assert f"`auditor undo {begun.run} --fleet {fleet}` puts back all of it" in capsys.readouterr().err


def setting(number: int, before: int, after: int) -> Change:
    where = Resource("device", "naa.1", "naa.1", "vc", "gold", "esx-1")
    keys = (("host_id", "host-1"), ("device", "naa.1"))
    return replace(Change("device.dsnro", FixClass.ONLINE, Target("vc", keys), before, after, ("a/rule",), where, "because"), number=number)


def test_a_setting_that_several_of_a_family_wrote_is_put_back_at_once(tmp_path: object) -> None:
    folder = tmp_path / "journal"  # type: ignore[operator]  # pytest's path
    for run, change in (("first", setting(1, 32, 64)), ("second", setting(1, 64, 256))):
        with open_journal(folder, run) as journal:
            journal.receipt(journal.intend(change, None), Receipt(change, Outcome.APPLIED, change.after, ""))
    plan = undo_plan(folder, "first", {"second": True})
    assert [(change.before, change.after) for change in plan.changes] == [(256, 32)]
    assert [(change.before, change.after) for change in undo_plan(folder, "second").changes] == [(256, 64)]


def depths(place: Place) -> dict[tuple[str, str], int]:
    """The depth of each device that has one of its own; 32 is the default of this release."""
    [vcenter] = place.lab.vcenters.values()
    hosts = vcenter.state.hosts.items()
    found = {(host, device): held.get("dsnro", 32) for host, one in hosts for device, held in one.device_settings.items()}
    return {place: depth for place, depth in found.items() if depth != 32}


def test_the_ticket_of_a_fix_tells_what_its_resume_made(vvols: Place) -> None:
    before = depths(vvols)
    begun = vvols.audit("--fix", "--yes", "--allow", "online-caution", "--settle", "0", *only(RULE))
    run = begun.report["run"]["id"]
    assert {receipt["outcome"] for receipt in begun.report["receipts"]} == {"applied", "proposed"}
    where = ["--fleet", str(vvols.fleet), "--state-dir", str(vvols.state)]
    assert auditor(["resume", run, *where, "--yes", "--settle", "0"]) == 0
    ticket = vvols.folder / "ticket.json"
    auditor(["runs", "show", run, "--state-dir", str(vvols.state), "--reporter", f"json:{ticket}"])
    told = json.loads(ticket.read_text(encoding="utf-8"))
    assert {receipt["outcome"] for receipt in told["receipts"]} == {"applied"}
    vvols.capsys.readouterr()
    assert auditor(["journal", "export", run, "--format", "json", "--state-dir", str(vvols.state)]) == 0
    assert len(json.loads(vvols.capsys.readouterr().out)["changes"]) == 13
    assert auditor(["undo", run, *where, "--yes"]) == 0
    assert depths(vvols) == before
