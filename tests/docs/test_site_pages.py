"""What `make docs` makes of the code: the reference has every command, field, column and privilege; the navigation has every page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from auditor.cli.app import app
from auditor.endpoints.vcenter.privileges import READ_ONLY, VCENTER_READS, vcenter_fixes, vcenter_steps
from auditor.facts.catalog import view_columns
from auditor.model.endpoint_kinds import endpoint_types
from docsite.__main__ import _FETCHED
from docsite.commands import command_pages
from docsite.markdown import escaped, table
from docsite.navigation import navigation
from docsite.pages import _bring_what_it_links_to
from docsite.roles import roles_page
from docsite.schemas import schema_page
from docsite.views import view_pages
from docsite.waivers import SHAPES, TEXTS, waivers_page


def test_every_command_has_its_help_with_every_option_and_an_example() -> None:
    pages = command_pages()
    root: Any = get_command(app)
    assert set(pages) == {"index.md", *(f"{name}.md" for name in root.commands)}
    for name, command in root.commands.items():
        for sub, one in getattr(command, "commands", {name: command}).items():
            heading = f"# auditor {name} {sub}\n" if hasattr(command, "commands") else f"# auditor {name}\n"
            text = pages[f"{name}.md"].partition(heading)[2].partition("\n## ")[0]
            assert "Example: " in " ".join(text.split()), f"{name} {sub} shows no example"
            assert "  -h, --help  " in text, "as the terminal shows it"
            assert all(option in text for parameter in one.params for option in parameter.opts if option.startswith("--"))


def test_fields_are_listed_with_those_that_stand_within_them() -> None:
    inner = {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}, "of": {"$ref": "#/$defs/KindShape"}}}
    schema = {
        "required": ["list"],
        "properties": {"list": {"type": "array", "items": inner}, "by": {"anyOf": [{"type": "object", "additionalProperties": inner}]}},
        "$defs": {"KindShape": {"enum": ["a", None], "description": "a | b"}},
    }
    page = schema_page("T", "B", schema)
    assert "| `list` | list of object |  |" in page
    assert "| `list[].id` | string |  |" in page
    assert "| `list[].of` | [Kind](#kind); may be absent |  |" in page
    assert "| `by.*.id` | string |  |" in page
    assert "## Kind\n\n`a` \\| `null`: a \\| b\n" in page


def test_every_key_of_waivers_has_its_text() -> None:
    page = waivers_page()
    for key, shape in SHAPES.items():
        assert set(TEXTS[key]) == set(shape.__struct_fields__)
        assert all(f"| `{name}` |" in page.partition(f"## {key}\n")[2].partition("\n## ")[0] for name in shape.__struct_fields__)


def test_every_view_has_its_columns() -> None:
    pages = view_pages()
    text = "".join(pages.values())
    assert all(f'<a id="{view.replace("_", "-")}"></a>{view}\n' in text for view in view_columns())
    assert all(f"| `{column}` | " in text for columns in view_columns().values() for column in columns)


def test_every_privilege_and_every_kind_of_array_is_on_the_page_of_roles() -> None:
    page = roles_page()
    needed = {name for group in (VCENTER_READS, vcenter_fixes(), vcenter_steps()) for one in group.values() for name in one.privileges}
    assert all(f"`{privilege}`" in page for privilege in needed | {*READ_ONLY})
    assert all(f"`{name}`" in page for name in {**vcenter_fixes(), **vcenter_steps()})
    assert all(f"Kind `{kind.kind.value}` in fleet.yaml." in page for kind in endpoint_types() if kind.is_array)
    assert all(f"`{topic}`" in page for kind in endpoint_types() if kind.is_array for topic in kind.topics)


def test_a_page_that_nobody_has_placed_is_listed_and_each_page_is_listed_once(tmp_path: Path) -> None:
    of_docs = (
        "ARCHITECTURE",
        "peers",
        "mutation-scores",
        "new",
        "how-to/a",
        "rules/index",
        "rules/vm/x",
        "decisions/0001-x",
        "domain/facts",
    )
    of_reference = ("index", "roles", "commands/audit")
    names = ["README", "CONTRIBUTING", "CHANGELOG", *(f"docs/{name}" for name in of_docs), *(f"reference/{name}" for name in of_reference)]
    pages = [f"{name}.md" for name in names]
    for page in pages:
        (tmp_path / page).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / page).touch()
    listed = navigation(tmp_path)
    assert sorted(leaves(listed)) == sorted(pages)
    (background,) = (part["Background"] for part in listed if "Background" in part)
    assert f"docs/{of_docs[3]}.md" in background


def leaves(part: Any) -> list[str]:
    if isinstance(part, str):
        return [part]
    inner = part.values() if isinstance(part, dict) else part
    return [page for one in inner for page in leaves(one)]


def test_a_page_brings_the_files_that_it_links_to_and_a_link_to_a_folder_becomes_text(tmp_path: Path) -> None:
    page = tmp_path / "docs" / "page.md"
    page.parent.mkdir()
    page.write_text("[a](../auditor/errors.py#x) [b](../auditor/) [c](gone.md) [d](https://example.com/x) [e](#e) [f](../../outside)")
    _bring_what_it_links_to(page, tmp_path)
    assert page.read_text() == "[a](../auditor/errors.py#x) b [c](gone.md) [d](https://example.com/x) [e](#e) [f](../../outside)"
    brought = [path for path in tmp_path.rglob("*") if path.is_file() and path != page]
    assert brought == [tmp_path / "auditor/errors.py"]


@pytest.mark.parametrize(
    ("text", "made"),
    [
        pytest.param("a | b_c\n <d>", r"a \| b\_c \<d\>", id="markup"),
        pytest.param("`a|b` *", r"`a\|b` \*", id="code stays code"),
    ],
)
def test_texts_of_the_code_are_no_markup(text: str, made: str) -> None:
    assert escaped(text) == made
    assert table(("h",), [(made,)]).splitlines()[2] == f"| {made} |"


@pytest.mark.parametrize(
    ("tag", "fetched"),
    [
        ('<script src="https://example.com/x.js">', True),
        ('<link rel="stylesheet" href="//example.com/x.css">', True),
        ('<link href="https://example.com/x.css" rel="preconnect">', True),
        ('<img alt="x" src=http://example.com/x.png>', True),
        ('<a href="https://example.com">', False),
        ('<link rel="canonical" href="https://example.com">', False),
        ('<script src="../assets/x.js">', False),
    ],
)
def test_a_page_that_loads_from_elsewhere_is_noticed(tag: str, fetched: bool) -> None:
    assert (_FETCHED.search(tag) is not None) == fetched
