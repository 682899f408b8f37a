"""Doubles of arrays that installed plugins bring: those that are there, of kinds that are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from auditor_lab.plugin_arrays import plugin_arrays
from tests.plugins import TYPE, installed

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("entry", "kinds"),
    [
        pytest.param("acme = auditor_acme.lab:Array", ["acme"], id="a double"),
        pytest.param("acme = auditor_acme.gone:Array", [], id="a module that is not there"),
        pytest.param("acme = auditor_acme.lab:Gone", [], id="a name that is not there"),
        pytest.param("other = auditor_acme.lab:Array", [], id="of a kind that the package does not give"),
    ],
)
def test_a_plugin_has_the_double_that_its_entry_point_names(tmp_path: Path, entry: str, kinds: list[str]) -> None:
    package, about = tmp_path / "auditor_acme", tmp_path / "auditor_acme-1.0.dist-info"
    for folder in (package, about):
        folder.mkdir()
    (package / "__init__.py").write_text(TYPE, encoding="utf-8")
    (package / "lab.py").write_text("class Array:\n    name = 'acme-1'\n", encoding="utf-8")
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: auditor-acme\nVersion: 1.0\n", encoding="utf-8")
    (about / "entry_points.txt").write_text(f"[auditor.endpoints]\nacme = auditor_acme:TYPE\n[auditor.lab]\n{entry}\n", encoding="utf-8")
    with installed(tmp_path):
        assert list(plugin_arrays()) == kinds
