"""What is said to be new, fixed or not read between audits of a fleet is what was done to it meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyVmomi import vim

from auditor.cli import run
from auditor.endpoints.vcenter.session import open_vcenter
from auditor.fleet.loading import load_fleet
from auditor.history.kept_run import list_runs
from auditor_lab.scenario import load_scenario
from auditor_lab.serving import Lab, serve
from auditor_lab.wire import Fault
from tests.audits import Audit, Place, only

RULES = ("queue/scheduler-defaults", "vvol/pe-dsnro-headroom")
OPTION, DEFAULT = "Disk.SchedQControlSeqReqs", 128


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with serve(load_scenario("solidfire-vvols")) as served:
        yield served


def set_option(place: Place, value: int) -> None:
    """Somebody changes an option of one host."""
    endpoint = next(one for one in load_fleet(place.fleet).endpoints if one.name in place.lab.vcenters)
    with open_vcenter(endpoint) as vcenter:
        manager = vcenter.value(vim.HostSystem, "host-11", "configManager.advancedOption")
        long = type(manager.QueryOptions(OPTION)[0].value)
        manager.UpdateOptions([vim.option.OptionValue(key=OPTION, value=long(value))])


def counts(audit: Audit) -> dict[str, int]:
    """What changed, by kind; kinds without any are left out."""
    return {kind: number for kind, number in audit.report["compared"]["counts"].items() if number}


def test_what_changed_is_what_was_done_to_the_fleet(lab: Lab, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = Place(lab, tmp_path, capsys)
    lab.write_fleet(place.fleet)
    (server,) = lab.vcenters.values()
    first = place.audit(*only(*RULES))
    failing = first.report["summary"]["fail"]
    assert failing > 1
    assert first.report["compared"] is None, "there is no run before"
    set_option(place, 64)
    assert counts(place.audit(*only(*RULES))) == {"new": 1}
    set_option(place, DEFAULT)
    assert counts(place.audit(*only(*RULES))) == {"fixed": 1}
    assert counts(place.audit(*only(*RULES), "--compare", first.report["run"]["id"][:15])) == {}

    set_option(place, 64)
    server.faults.active.append(Fault("drop"))
    away = counts(place.audit(*only(*RULES)))
    server.faults.active.clear()
    assert away == {"no-longer-read": failing}, "nothing is fixed because nobody could look"
    assert counts(place.audit(*only(*RULES))) == {"newly-judged": failing + 1}, "nor new because somebody can look again"
    narrow: Any = place.audit(*only(RULES[0])).report
    assert narrow["compared"] is None, "another scope is not compared by itself"

    assert [(one.exit_code, one.wrote) for one in list_runs(place.state)][-1] == (first.code, 0)
    assert run(["runs", "diff", "--state-dir", str(place.state), first.report["run"]["id"]]) == 1
    assert "queue/scheduler-defaults" in capsys.readouterr().out
