"""No module of the product or of its lab imports itself through others, and no folder another one that imports it.

Imports within functions and those for type checking count: a reader follows them, too.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import grimp
import pytest

OURS = ("auditor", "auditor_lab")


@cache
def imports(*packages: str) -> Mapping[str, frozenset[str]]:
    """The modules of these packages that each of them imports.

    The command line serves the lab, which is built on the product (pyproject.toml holds all others to leave it alone), so it is left out
    where it imports the lab.
    """
    graph = grimp.build_graph(*packages, exclude_type_checking_imports=False, cache_dir=None)
    found = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    return {
        module: frozenset(other for other in imported if not (_is_in(module, "auditor") and _is_in(other, "auditor_lab")))
        for module, imported in found.items()
    }


def _is_in(module: str, package: str) -> bool:
    return module.partition(".")[0] == package


def between_folders(modules: Mapping[str, Iterable[str]]) -> Mapping[str, Mapping[str, set[str]]]:
    """For each folder, which of the modules and folders in it imports which others of them; modules count as their folder."""
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for module, imported in modules.items():
        for other in imported:
            one, two = module.split("."), other.split(".")
            depth = next((i for i, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), None)
            if depth is not None:  # otherwise one is the folder of the other
                found[".".join(one[:depth])][".".join(one[: depth + 1])].add(".".join(two[: depth + 1]))
    return found


def circle(graph: Mapping[str, Iterable[str]]) -> str:
    """A circle of imports, as text; empty where there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return " -> ".join(reversed(error.args[1]))
    return ""


def test_no_module_imports_itself_through_others() -> None:
    found = circle(imports(*OURS))
    assert not found, f"modules import each other: {found}; move what both need into a module that imports neither"


@pytest.mark.parametrize("folder", sorted(between_folders(imports(*OURS))))
def test_no_folder_imports_another_that_imports_it(folder: str) -> None:
    found = circle(between_folders(imports(*OURS))[folder])
    assert not found, f"folders of {folder} import each other: {found}; move what both need into a folder that imports neither"


def test_a_circle_is_found_and_named_in_the_order_of_its_imports() -> None:
    modules = {"p.a.x": ["p.b.y"], "p.b.y": ["p.b.z"], "p.b.z": ["p.a.w"], "p.a.w": [], "p.a": ["p.a.x"]}
    assert circle(modules) == ""
    assert circle(between_folders(modules)["p"]) in ("p.a -> p.b -> p.a", "p.b -> p.a -> p.b")
    assert circle({"x": ["y"], "y": ["z"], "z": ["x"]}) in ("x -> y -> z -> x", "y -> z -> x -> y", "z -> x -> y -> z")


def test_imports_for_typing_and_within_functions_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "twins").mkdir()
    (tmp_path / "twins" / "__init__.py").touch()
    (tmp_path / "twins" / "one.py").write_text("from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from twins import other\n")
    (tmp_path / "twins" / "other.py").write_text("def late():\n    from twins import one\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert circle(imports("twins")) in ("twins.one -> twins.other -> twins.one", "twins.other -> twins.one -> twins.other")
