"""Plans that are applied, undone and resumed, against the lab's vCenter over the wire."""

from __future__ import annotations

import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from auditor.audit import apply_plan, resume, undo_run
from auditor.cli import run as auditor
from auditor.endpoints.common.sessions import Sessions
from auditor.errors import AuditorError, ConfigurationError, GuardError, JournalError
from auditor.fleet.loading import Fleet
from auditor.history.plan_basis import basis_of
from auditor.history.plan_file import PLAN_FILE, PlanFile, plan_text
from auditor.history.writing_runs import list_all_runs
from auditor.journal import Journal, history, open_intents
from auditor.model import Change, FixClass, Outcome
from auditor.pipeline.changes import plan_undo
from auditor.pipeline.policy import load_policy
from auditor.pipeline.request import ApplyRequest, FixLimits, ResumeRequest, UndoRequest
from auditor.pipeline.writing import Task, Written, run_changes
from tests.apply.test_on_the_lab import EVERY, Peers, _peers, _unanswered
from tests.identified import as_seen
from tests.waiting import PATIENCE_SECONDS, until

pytestmark = pytest.mark.long

QUICK = ("--settle", "0")
MADE_BY = "20181104T110000Z-0001"
RULE = "vvol/pe-dsnro-headroom"
LIMITS = FixLimits(allow=tuple(EVERY), max_changes="500", settle_seconds=0)


def yes(_changes: Sequence[Change]) -> bool:
    return True


@dataclass
class Site:
    """A served fleet of two hosts, its fleet.yaml as loaded, and a plan for both hosts."""

    peers: Peers
    folder: Path
    fleet: Fleet

    @property
    def state(self) -> Path:
        return self.peers.journals.parent

    @property
    def plan(self) -> Path:
        return self.folder / PLAN_FILE

    def planned(self, *changes: Change) -> None:
        """Write a plan of these changes, numbered, for the endpoints as they are now."""
        policy = load_policy(self.fleet, (), [RULE])
        basis = basis_of(policy.rules, policy.overrides, self.fleet, self.state, only=[RULE])
        with Sessions(self.peers.endpoints) as sessions:
            plan = as_seen(sessions, *(replace(change, number=number) for number, change in enumerate(changes, start=1)))
        file = PlanFile(MADE_BY, datetime.now(UTC), str(self.fleet.path), plan, hosts=2, basis=basis)
        self.plan.write_text(plan_text(file))

    def apply(self, **fields: Any) -> Written:
        request = ApplyRequest(plan=self.plan, fleet=self.fleet, limits=LIMITS, state=self.state)
        return apply_plan(replace(request, **fields), confirm=yes)

    def undo(self, run: str, **fields: Any) -> Written:
        return undo_run(UndoRequest(run=run, fleet=self.fleet, state=self.state, **fields), confirm=yes)

    def resume(self, run: str) -> Written:
        return resume(ResumeRequest(run=run, fleet=self.fleet, state=self.state, settle_seconds=0), confirm=yes)

    def depths(self) -> list[int]:
        return [self.peers.dsnro("esx-01"), self.peers.dsnro("esx-02")]

    def kinds(self) -> dict[str, str]:
        return {run.id: run.kind for run in list_all_runs(self.state)}


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    state = tmp_path / "state"
    state.mkdir()
    with _peers(state) as peers:
        fleet = Fleet(tmp_path / "fleet.yaml", tuple(peers.endpoints.values()))
        served = Site(peers, tmp_path, fleet)
        served.planned(peers.deeper("esx-01"), peers.deeper("esx-02"))
        yield served


def ends(written: Written) -> list[Outcome]:
    return [receipt.outcome for receipt in written.receipts]


def test_a_plan_is_applied_and_each_of_its_runs_is_listed_and_can_be_undone(site: Site) -> None:
    applied = site.apply()
    assert (ends(applied), applied.exit_code, site.depths()) == ([Outcome.APPLIED] * 2, 0, [256, 256])
    undone = site.undo(applied.run)
    assert (ends(undone), site.depths()) == ([Outcome.APPLIED] * 2, [32, 32])
    again = site.undo(undone.run)
    assert (ends(again), site.depths()) == ([Outcome.APPLIED] * 2, [256, 256])
    assert site.kinds() == {applied.run: "apply", undone.run: "undo", again.run: "undo"}
    assert [run.outcomes for run in list_all_runs(site.state)] == [{"applied": 2}] * 3
    assert ends(site.apply()) == [Outcome.ALREADY] * 2, "the same plan again writes nothing"
    assert site.peers.writes() == 6


def test_a_setting_that_changed_since_the_plan_is_left_alone_and_the_others_are_made(site: Site) -> None:
    site.peers.somebody_sets(64, "esx-02")
    applied = site.apply()
    assert (ends(applied), applied.exit_code) == ([Outcome.APPLIED, Outcome.STALE], 1)
    assert site.depths() == [256, 64]


def test_a_plan_of_another_site_with_the_same_names_writes_nothing(site: Site) -> None:
    elsewhere = site.folder / "munich"
    elsewhere.mkdir()
    with _peers(elsewhere, "munich") as there:
        written = site.apply(fleet=Fleet(site.fleet.path, tuple(there.endpoints.values())))
        assert there.writes() == 0
    assert ends(written)[0] is Outcome.REFUSED
    assert "vc-east was vCenter" in written.receipts[0].why
    assert (written.exit_code, written.wrote) == (4, False)


def test_a_plan_for_an_endpoint_that_the_fleet_does_not_have_is_refused_whole(site: Site) -> None:
    written = site.apply(fleet=Fleet(site.fleet.path, ()))
    assert isinstance(written.stopped, ConfigurationError)
    assert (site.peers.writes(), site.kinds()) == (0, {})


def waived(site: Site) -> None:
    site.fleet.path.with_name("waivers.yaml").write_text("waivers: []\n")


def tampered(site: Site) -> None:
    site.plan.write_text(site.plan.read_text().replace('"after": 256', '"after": 255', 1))


def other_rules(site: Site) -> None:
    text = site.plan.read_text()
    policy = load_policy(site.fleet, (), [RULE])
    basis = replace(basis_of(policy.rules, policy.overrides, site.fleet, site.state, only=[RULE]), rules="sha256:0")
    from auditor.history.plan_file import read_plan_file

    assert RULE in text
    site.plan.write_text(plan_text(replace(read_plan_file(site.plan), basis=basis)))


def other_params(site: Site) -> None:
    from auditor.fleet.loading import ParamOverride

    site.fleet = replace(site.fleet, params=(ParamOverride("fleet.yaml:1", RULE, "headroom", 2),))


@pytest.mark.parametrize(
    ("happens", "words"),
    [
        pytest.param(tampered, "is not as it was written", id="the file was changed"),
        pytest.param(waived, "the waivers are other ones", id="somebody wrote a waiver"),
        pytest.param(other_rules, "the rules, or the views they judge, are other ones", id="a rule was changed"),
        pytest.param(other_params, "fleet.yaml gives the rules other values", id="a param was set"),
    ],
)
def test_a_plan_that_does_not_follow_any_more_is_refused_whole(site: Site, happens: Callable[[Site], None], words: str) -> None:
    happens(site)
    with pytest.raises(GuardError, match=words):
        site.apply()
    assert (site.peers.writes(), site.kinds()) == (0, {})


def test_what_was_not_confirmed_is_no_run(site: Site) -> None:
    written = apply_plan(ApplyRequest(plan=site.plan, fleet=site.fleet, limits=LIMITS, state=site.state), confirm=lambda _: False)
    assert isinstance(written.stopped, GuardError)
    assert site.kinds() == {}


@pytest.mark.parametrize(
    ("only", "depths"),
    [
        pytest.param(["2"], [256, 32], id="a change"),
        pytest.param(["esx-01"], [32, 256], id="a host"),
        pytest.param([RULE], [32, 32], id="a rule"),
        pytest.param(["1", "esx-02"], [32, 32], id="a change and a host"),
    ],
)
def test_an_undo_is_narrowed_to_what_is_named(site: Site, only: list[str], depths: list[int]) -> None:
    site.undo(site.apply().run, only=only)
    assert site.depths() == depths


def test_an_undo_of_what_the_run_does_not_have_is_refused(site: Site) -> None:
    run = site.apply().run
    with pytest.raises(ConfigurationError, match=r'--only esx-1: no change of this run .* did you mean "esx-01"'):
        plan_undo(UndoRequest(run=run, fleet=site.fleet, state=site.state, only=["esx-1"]))
    assert site.depths() == [256, 256]


_APPLY = """
import pickle
import sys
from pathlib import Path
from auditor.audit import apply_plan
from auditor.fleet.loading import Fleet
from auditor.model import FixClass
from auditor.pipeline.request import ApplyRequest, FixLimits

endpoints, fleet, plan, state = pickle.load(sys.stdin.buffer)
limits = FixLimits(allow=tuple(FixClass), max_changes="500", settle_seconds=0)
request = ApplyRequest(plan=Path(plan), fleet=Fleet(Path(fleet), endpoints), limits=limits, state=Path(state))
apply_plan(request, confirm=lambda _: True)
"""


def killed_at_the_first_write(site: Site) -> str:
    """The run of a process that was killed when its first write had left it and no answer had come."""
    paths = (str(site.fleet.path), str(site.plan), str(site.state))
    with subprocess.Popen([sys.executable, "-c", _APPLY], stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(pickle.dumps((tuple(site.peers.endpoints.values()), *paths)))
        process.stdin.close()
        until(lambda: site.peers.writes() == 1 or process.poll() is not None, "the first write on its way")
        process.send_signal(signal.SIGKILL)
        assert process.wait(PATIENCE_SECONDS) == -signal.SIGKILL, "it was still waiting for the answer"
    [run] = site.kinds()
    return run


@pytest.mark.parametrize(
    ("lost", "written"),
    [pytest.param(False, 1, id="the write arrived"), pytest.param(True, 2, id="the write never arrived")],
)
def test_a_killed_run_is_resumed_and_both_its_runs_are_undone(site: Site, lost: bool, written: int) -> None:
    with _unanswered(site.peers, lost=lost):
        run = killed_at_the_first_write(site)
    if not lost:
        until(lambda: site.peers.dsnro() == 256, "the host carries it out")
    resumed = site.resume(run)
    assert [notice for notice in resumed.notices if f"Run {run} was cut off" in notice]
    assert (ends(resumed), site.depths()) == ([Outcome.APPLIED] * written, [256, 256])
    assert open_intents(site.peers.journals) == []
    assert site.resume(run).run == "", "nothing is left"
    assert site.resume(resumed.run).run == "", "nor of the run that went on with it"
    assert site.kinds() == {run: "apply", resumed.run: "resume"}
    for one in (resumed.run, run):
        site.undo(one)
    assert site.depths() == [32, 32]


class KilledError(BaseException):
    """The process is gone."""


def killed_at(record: int, go: Callable[[], Written], monkeypatch: pytest.MonkeyPatch) -> None:
    """Run `go`, which is killed before its record of this number, from 0, reaches the disk."""
    append, count = Journal._append, 0

    def killed(journal: Journal, content: dict[str, Any]) -> int:
        nonlocal count
        count += 1
        if count > record:
            raise KilledError
        return append(journal, content)

    with monkeypatch.context() as patched:
        patched.setattr(Journal, "_append", killed)
        with pytest.raises(KilledError):
            go()


@pytest.mark.parametrize("record", range(4), ids=["before it wrote", "after a write", "after a receipt", "after the last write"])
def test_a_run_that_is_killed_at_any_record_is_resumed_to_its_end_and_undone(
    site: Site, monkeypatch: pytest.MonkeyPatch, record: int
) -> None:
    killed_at(record, site.apply, monkeypatch)
    [run] = site.kinds()
    site.resume(run)
    assert (site.depths(), open_intents(site.peers.journals)) == ([256, 256], [])
    assert site.resume(run).run == ""
    for wrote in {entry.intent.run for entry in history(site.peers.journals).entries}:
        site.undo(wrote)
    assert site.depths() == [32, 32]


def test_what_waits_for_a_change_of_the_run_that_was_killed_is_made_by_the_one_that_goes_on(site: Site) -> None:
    site.planned(site.peers.deeper("esx-01"), replace(site.peers.deeper("esx-02"), waits_for=(1,)))
    with _unanswered(site.peers, lost=False):
        run = killed_at_the_first_write(site)
    until(lambda: site.peers.dsnro() == 256, "the host carries it out")
    assert (ends(site.resume(run)), site.depths()) == ([Outcome.APPLIED], [256, 256])


def test_a_write_of_which_nothing_is_known_is_not_sent_again(site: Site) -> None:
    with _unanswered(site.peers, lost=True):
        run = killed_at_the_first_write(site)
    first, *_ = history(site.peers.journals).entries
    host = first.intent.change.target["host_id"]
    with site.peers.vcenter.state.lock:
        site.peers.vcenter.state.hosts[host].connection_state = "notResponding"
        site.peers.vcenter.state.changed()
    resumed = site.resume(run)
    assert [receipt.change.target["host_id"] for receipt in resumed.receipts] == [one for one in site.peers.hosts.values() if one != host]
    assert len(open_intents(site.peers.journals)) == 1


def test_a_run_whose_disk_was_full_is_resumed(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    intend = Journal.intend

    def full(self: Journal, change: Change, identity: str | None = None) -> Any:
        if change.resource.host == "esx-02":
            raise JournalError("No space left on device", why="x", do="x")
        return intend(self, change, identity)

    monkeypatch.setattr(Journal, "intend", full)
    stopped = site.apply()
    assert (ends(stopped), isinstance(stopped.stopped, JournalError)) == ([Outcome.APPLIED], True)
    monkeypatch.undo()
    assert (ends(site.resume(stopped.run)), site.depths()) == ([Outcome.APPLIED], [256, 256])


def test_an_undo_that_was_cut_off_is_resumed(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    run = site.apply().run

    def interrupt(_endpoint: str, text: str) -> None:
        if text.startswith("change 2"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        site.undo(run, progress=interrupt)
    assert site.depths() == [256, 32]
    [cut_off] = [one for one, kind in site.kinds().items() if kind == "undo"]
    assert (ends(site.resume(cut_off)), site.depths()) == ([Outcome.APPLIED], [32, 32])


def test_a_run_that_wrote_nothing_cannot_be_resumed(site: Site) -> None:
    applied = site.apply()
    with pytest.raises(ConfigurationError, match="has no plan that it was making") as caught:
        site.resume(MADE_BY)
    assert applied.run in caught.value.do
    with pytest.raises(ConfigurationError, match="is not the id of a run"):
        site.resume("../../etc")


def test_a_change_that_waits_for_a_refused_one_is_not_made(site: Site) -> None:
    first, second = site.peers.deeper("esx-01"), replace(site.peers.deeper("esx-02"), waits_for=(1,))
    site.planned(first, second)
    with site.peers.vcenter.state.lock:
        site.peers.vcenter.state.hosts[site.peers.hosts["esx-01"]].connection_state = "notResponding"
        site.peers.vcenter.state.changed()
    applied = site.apply()
    assert ends(applied) == [Outcome.REFUSED, Outcome.PROPOSED]
    assert "waits for change 1" in applied.receipts[1].why


def test_an_older_undo_without_a_record_is_listed(site: Site) -> None:
    site.peers.run("20181104T130000Z-0002-undo", site.peers.deeper())
    site.peers.run("20181104T120000Z-0001", site.peers.deeper("esx-02"))
    assert site.kinds() == {"20181104T130000Z-0002-undo": "undo", "20181104T120000Z-0001": "fix"}
    assert "undo" in {run.kind for run in list_all_runs(site.state)}


def test_the_commands_print_the_run_and_how_to_put_it_back(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    fleet = site.folder / "fleet.yaml"
    site.peers.lab.write_fleet(fleet)
    from auditor.fleet.loading import load_fleet

    site.fleet = load_fleet(fleet)
    site.planned(site.peers.deeper("esx-01"), site.peers.deeper("esx-02"))
    where = ["--fleet", str(fleet), "--state-dir", str(site.state)]
    assert auditor(["apply", str(site.plan), *where, "--dry-run", "--allow", "online-caution"]) == 0
    assert "Plan: 2 changes." in capsys.readouterr().out
    assert auditor(["apply", str(site.plan), *where, "--max-changes", "9", "--allow", "online-caution"]) == 5, "nobody said yes"
    assert site.peers.writes() == 0
    assert auditor(["apply", str(site.plan), *where, *QUICK, "--max-changes", "9", "--yes"]) == 1, "its class was not allowed"
    assert auditor(["apply", str(site.plan), *where, *QUICK, "--max-changes", "9", "--yes", "--allow", "online-caution"]) == 0
    run = next(one.id for one in list_all_runs(site.state) if one.outcomes == {"applied": 2})
    assert f"auditor undo {run} --fleet {fleet}" in capsys.readouterr().out
    assert auditor(["undo", run, *where, "--dry-run", "--only", "esx-01"]) == 0
    shown = capsys.readouterr().out
    assert "Plan: 1 change." in shown
    assert site.depths() == [256, 256]
    assert auditor(["undo", run, *where, "--yes"]) == 0
    assert site.depths() == [32, 32]
    assert auditor(["resume", run, *where, *QUICK, "--yes"]) == 0
    assert f"Nothing is left to do of run {run}." in capsys.readouterr().out
    assert auditor(["runs", "list", "--state-dir", str(site.state)]) == 0
    assert f"undo of {run}: 2 applied" in capsys.readouterr().out
    assert auditor(["runs", "show", run, "--state-dir", str(site.state)]) == 3
    assert f"run {run} judged nothing, so it has no report" in capsys.readouterr().err


def test_what_stopped_a_fix_stays_resumable(site: Site) -> None:
    from auditor.apply.orders import Orders
    from auditor.history.plan_file import read_plan_file

    def no(_changes: Sequence[Change]) -> bool:
        return False

    limits = FixLimits(allow=[FixClass.ONLINE_CAUTION], settle_seconds=0)
    task = Task("fix", MADE_BY, MADE_BY, site.state, site.fleet, limits, Orders(), lambda *_: None)
    receipts, stopped, _ = run_changes(task, read_plan_file(site.plan), no)
    assert (receipts, isinstance(stopped, AuditorError)) == ((), True)
    assert (ends(site.resume(MADE_BY)), site.depths()) == ([Outcome.APPLIED] * 2, [256, 256])
