"""The package that a new kind of array begins with: the example plugin under another name."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.bounds.files import read_text

if TYPE_CHECKING:
    from collections.abc import Mapping

_KIND, _PACKAGE, _CLASS, _LABEL, _VENDOR = "example-array", "example_array", "ExampleArray", "Example Array", "EXAMPLEA"
_VENDOR_LENGTH = 8  # characters that SCSI has for it. Source: SPC-4, standard INQUIRY data, T10 VENDOR IDENTIFICATION
_KEPT = (".py", ".toml", ".md", ".yaml", ".sql")


def example_folder() -> Path:
    """The example plugin that comes with auditor: inside the wheel, or in a source tree."""
    packaged = Path(str(resources.files("auditor"))) / "_data" / "example_array"
    return packaged if packaged.is_dir() else Path(__file__).resolve().parents[2] / "examples" / "auditor-example-array"


def skeleton(kind: str) -> Mapping[str, str]:
    """The files of a package for that kind: path within its folder -> text.

    Args:
        kind: small letters, digits and single hyphens, as `auditor.model.plugin_families.KIND_FORM` has it.
    """
    words = kind.split("-")
    names = {
        _KIND: kind,
        _PACKAGE: "_".join(words),
        _CLASS: "".join(word.capitalize() for word in words),
        _LABEL: " ".join(word.capitalize() for word in words),
        _VENDOR: "".join(words).upper()[:_VENDOR_LENGTH],
    }
    folder = example_folder()
    files = sorted(path for path in folder.rglob("*") if path.suffix in _KEPT and "__pycache__" not in path.parts)
    return {_renamed(path.relative_to(folder).as_posix(), names): _renamed(read_text(path), names) for path in files}


def _renamed(text: str, names: Mapping[str, str]) -> str:
    for before, after in names.items():
        text = text.replace(before, after)
    return text
