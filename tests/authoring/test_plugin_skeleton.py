"""`auditor endpoints new KIND` writes the example plugin under the name of the kind; tests/long/contract runs the contract on one."""

from __future__ import annotations

import re
from importlib.metadata import PathDistribution
from pathlib import Path

import pytest

from auditor.authoring.plugin_skeleton import example_folder, skeleton
from auditor.cli import run
from auditor.model import EndpointKind
from auditor.model.endpoint_kinds import endpoint_type
from auditor.pipeline.plugin_rules import plugin_rules
from tests.plugins import installed

EXAMPLE = re.compile(r"(?i)example.?a")


def test_under_its_own_name_it_is_the_example() -> None:
    folder = example_folder()
    assert folder == Path(__file__).parents[2] / "examples" / "auditor-example-array"
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    assert skeleton("example-array") == {name: path.read_text(encoding="utf-8") for name, path in files.items()}


@pytest.mark.parametrize("kind", ["acme", "acme-disk-2"])
def test_nothing_of_the_example_s_name_is_left_and_the_kind_can_be_used(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["endpoints", "new", kind, "--dir", str(tmp_path)]) == 0
    folder = tmp_path / f"auditor-{kind}"
    assert str(folder) in capsys.readouterr().out
    for path in folder.rglob("*"):
        assert not EXAMPLE.search(path.name)
        assert not path.is_file() or not EXAMPLE.search(path.read_text(encoding="utf-8")), path
    about = folder / f"auditor_{kind.replace('-', '_')}-0.1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: auditor-{kind}\nVersion: 0.1.0\n", encoding="utf-8")
    [point] = re.findall(r'entry-points\."auditor\.endpoints"\]\n(.*)\n', (folder / "pyproject.toml").read_text(encoding="utf-8"))
    (about / "entry_points.txt").write_text(f"[auditor.endpoints]\n{point.replace(chr(34), '')}\n", encoding="utf-8")
    assert [one.name for one in PathDistribution(about).entry_points] == [kind]
    with installed(folder):
        found = endpoint_type(EndpointKind(kind))
        assert found.fault is None
        assert callable(found.load(found.opener))
        assert list(plugin_rules().rules) == [f"{kind}/uncapped-neighbour", f"{kind}/volume-ceiling"]


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        pytest.param("Acme", "is not small letters", id="capitals"),
        pytest.param("acme_disk", "is not small letters", id="underscore"),
        pytest.param("3par", "is not small letters", id="begins with a digit"),
        pytest.param("../acme", "is not small letters", id="a path"),
        pytest.param("ontap", 'auditor itself reads the kind "ontap"', id="ours"),
    ],
)
def test_a_name_that_no_kind_can_have_is_refused(kind: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["endpoints", "new", kind, "--dir", str(tmp_path)]) == 3
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_there_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "auditor-acme").mkdir()
    assert run(["endpoints", "new", "acme", "--dir", str(tmp_path)]) == 3
    assert "File exists" in capsys.readouterr().err
    assert list((tmp_path / "auditor-acme").iterdir()) == []
