"""A baseline as a settings.yaml: what it declares is what the baseline holds."""

from pathlib import Path

import pytest

from auditor.cli import run
from auditor.errors import ConfigurationError
from auditor.facts.baseline import About, counts, take, write
from auditor.fleet.settings_file import load_settings
from auditor.history.baseline import baseline_file
from auditor.history.baseline_export import baseline_as_settings
from tests.facts.fleets import WHEN, hosts, snapshot

pytestmark = pytest.mark.long


def a_baseline(state: Path) -> None:
    """Three hosts of one cluster, the third unlike the others; and devices, which settings.yaml has no form for."""
    given = hosts(3)
    given["host"][2]["name"] = "esx-[3]"
    options = {"host-1": "32", "host-2": "32", "host-3": "64"}
    given["host_option"] = [
        {"host_id": host, "key": key, "value": value, "value_type": "long"}
        for host, own in options.items()
        for key, value in (("Disk.QFullSampleSize", own), ("NFS.MaxVolumes", "256"))
    ]
    strings = {"host-1": "iscsivmk_LunQDepth=128 x=0x40", "host-2": "iscsivmk_LunQDepth=128", "host-3": ""}
    given["host_module"] = [{"host_id": host, "module": "iscsi_vmk", "option_string": text} for host, text in strings.items()]
    taken = snapshot(given)
    take(taken, "20261121T000000Z-0000", None, "itself")
    kept = dict(counts(taken.connection))
    about = About("20261121T000000Z-0000", None, None, "itself", None, WHEN, WHEN, kept.pop("host"), kept)
    state.mkdir(exist_ok=True)
    write(taken.connection, about, baseline_file(state))


def test_what_a_cluster_has_alike_stands_once(tmp_path: Path) -> None:
    a_baseline(tmp_path / "state")
    text = baseline_as_settings(tmp_path / "state")
    path = tmp_path / "settings.yaml"
    path.write_text(text, encoding="utf-8")
    assert [(one.setting, one.value, one.endpoint, one.cluster, one.host) for one in load_settings(path)] == [
        ("NFS.MaxVolumes", "256", "vc", "gold", None),
        ("Disk.QFullSampleSize", "32", "vc", None, "esx-1"),
        ("iscsivmk_LunQDepth", "128", "vc", None, "esx-1"),
        ("Disk.QFullSampleSize", "32", "vc", None, "esx-2"),
        ("iscsivmk_LunQDepth", "128", "vc", None, "esx-2"),
        ("Disk.QFullSampleSize", "64", "vc", None, "esx-[[]3]"),
    ]
    assert "# Not among it, as settings.yaml has no form for them: 1 settings" in text, "x=0x40 is no number"


def test_without_a_baseline_there_is_nothing_to_export(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no baseline is set"):
        baseline_as_settings(tmp_path)


def test_a_file_is_never_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a_baseline(tmp_path / "state")
    out = tmp_path / "settings.yaml"
    words = ["baseline", "export", "--state-dir", str(tmp_path / "state"), "--out", str(out)]
    assert run(words) == 0
    before = out.read_text(encoding="utf-8")
    assert "NFS.MaxVolumes: 256" in before
    assert run(words) == 3
    assert "is there already" in capsys.readouterr().err
    assert out.read_text(encoding="utf-8") == before
