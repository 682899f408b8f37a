"""A finding that joins host and array tells when each side was asked, also when its run is shown again."""

import json
from datetime import datetime

from auditor.cli import run
from tests.audits import Place


def test_each_side_of_a_join_is_told_with_when_it_was_read(vvols: Place) -> None:
    audit = vvols.audit("--only", "sioc/overlap-array-qos", "--reporter", f"html:{vvols.folder / 'report.html'}")
    [finding] = audit.of("sioc/overlap-array-qos", "fail")
    vcenter, array = finding["read"]
    assert (vcenter["endpoint"], array["endpoint"]) == ("vc-solidfire", "sf-prod")
    assert "sioc_enabled" in set(vcenter["columns"]) - set(array["columns"])
    assert {"both_throttle", "qos", "volumes"} <= set(array["columns"])
    spans = {one["name"]: (one["started"], one["finished"]) for one in audit.report["run"]["endpoints"]}
    for side in (vcenter, array):
        started, finished = map(datetime.fromisoformat, spans[side["endpoint"]])
        assert started <= datetime.fromisoformat(side["first"]) <= datetime.fromisoformat(side["last"]) <= finished
    page = (vvols.folder / "report.html").read_text(encoding="utf-8")
    assert f"sf-prod, {array['first'][:10]} {array['first'][11:19]}" in page


def test_a_kept_run_tells_it_as_the_run_did(vvols: Place) -> None:
    audit = vvols.audit("--only", "sioc/overlap-array-qos")
    again = vvols.folder / "again.json"
    assert run(["runs", "show", audit.report["run"]["id"], "--state-dir", str(vvols.state), "--reporter", f"json-full:{again}"]) == 0
    shown = json.loads(again.read_text(encoding="utf-8"))
    assert shown["run"] == audit.report["run"]
    assert shown["findings"] == audit.report["findings"]
