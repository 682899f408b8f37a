"""Links of the documentation, and citations of it in code and rules: each leads to a heading that exists."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from auditor.pipeline.policy import load_rule_set

ROOT = Path(__file__).parents[2]
CITING = {
    "auditor": (".py", ".sql", ".yaml"),
    "benchmarks": (".py",),
    "docsite": (".py",),
    "rules": (".yaml",),
    "tests": (".py", ".yaml"),
}
"""Folders whose files cite pages of docs/, and the endings of these files."""

CITATION = re.compile(r"(?<![\w/])docs/[\w/-]+\.md(?:#[\w-]+(?:(?:, and |, | and | to )#[\w-]+)*)?")
"""docs/PAGE.md, docs/PAGE.md#ANCHOR, or several anchors of one page: docs/PAGE.md#1-4 and #1-6."""

LINK = re.compile(r"(?<!\\)\]\(([^()\s]+)\)")
OTHER_FORMS = re.compile(
    r"(?<![\w/#-])(?:facts|arrays|incidents|advanced-options|peers|vsphere-peers|rule-catalogue|design|house-style|house-plan|corrections)\.md"
    r"|(?<![\w/])[Ff]acts,? (?:section )?\d+(?:\.\d+)?\b"
    r"|[Cc]atalogue,? (?:VA|S-|[AVQIMOWEC])\d"
    r"|\.\./shared"
)
"""How the papers were cited before they were pages of docs/domain."""


@cache
def anchors(page: Path) -> frozenset[str]:
    """What can follow the # of a link to `page`: ids, and headings as GitHub spells them."""
    text = without_code(page.read_text(encoding="utf-8"))
    found = set(re.findall(r'<a id="([^"]+)"></a>', text))
    for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE):
        words = re.sub(r"<[^>]+>|[^\w\s-]", "", heading.lower())
        found.add(words.strip().replace(" ", "-"))
    return frozenset(found)


def without_code(text: str) -> str:
    """`text` with fenced blocks emptied, so that line numbers stay."""
    return re.sub(r"^```.*?^```", lambda block: "\n" * block[0].count("\n"), text, flags=re.MULTILINE | re.DOTALL)


def wrong(target: str, start: Path) -> str | None:
    """Why the link `target`, relative to the folder `start`, leads nowhere; None where it leads somewhere."""
    path, _, anchor = target.partition("#")
    page = (start / path).resolve()
    if not page.exists():
        return f"{target}: there is no {path}"
    if anchor and anchor not in anchors(page):
        return f"{target}: {path} has no heading or id {anchor!r}"
    return None


def citations(line: str) -> Iterator[str]:
    """Each citation in `line` as one path with one anchor."""
    for found in CITATION.findall(line):
        page, *_ = found.split("#")
        named = re.findall(r"#[\w-]+", found)
        yield from (f"{page}{anchor}" for anchor in named or [""])


def broken_citations(path: Path, root: Path) -> Iterator[str]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        for target in citations(line):
            if why := wrong(target, root):
                yield f"{path.relative_to(root)}:{number}: {why}"


def broken_links(path: Path, root: Path) -> Iterator[str]:
    for number, line in enumerate(without_code(path.read_text(encoding="utf-8")).splitlines(), start=1):
        for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
            if re.match(r"[a-z]+:", target) is None:
                full = target if not target.startswith("#") else f"{path.name}{target}"
                if why := wrong(full, path.parent):
                    yield f"{path.relative_to(root)}:{number}: {why}"


def citing_files() -> list[Path]:
    return [
        path
        for folder, endings in CITING.items()
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in endings and path != Path(__file__)
    ]


def pages() -> list[Path]:
    return [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def test_no_page_has_an_anchor_twice() -> None:
    ids = {page: re.findall(r'<a id="([^"]+)"></a>', without_code(page.read_text(encoding="utf-8"))) for page in pages()}
    twice = {f"{page.relative_to(ROOT)}#{one}" for page, found in ids.items() for one in found if found.count(one) > 1}
    assert twice == set(), "a citation of it leads to the first one"


@pytest.mark.long
def test_every_citation_in_code_rules_and_pages_leads_to_a_heading_that_exists() -> None:
    problems = [problem for path in (*citing_files(), *pages()) for problem in broken_citations(path, ROOT)]
    assert not problems, "\n".join(problems)


def test_every_link_between_pages_leads_to_a_heading_that_exists() -> None:
    problems = [problem for path in pages() for problem in broken_links(path, ROOT)]
    assert not problems, "\n".join(problems)


@pytest.mark.long
def test_nothing_is_cited_in_any_other_form() -> None:
    problems = [
        f"{path.relative_to(ROOT)}:{number}: {match[0]!r}: write docs/domain/PAGE.md#ANCHOR"
        for path in citing_files()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if (match := OTHER_FORMS.search(line))
    ]
    assert not problems, "\n".join(problems)


def test_no_page_cites_a_paper_outside_of_the_repository() -> None:
    outside = re.compile(r"\.\./shared|vsphere-peers\.md|design\.md|house-(?:style|plan)\.md|corrections\.md")
    assert [
        f"{path.relative_to(ROOT)}: {match[0]}" for path in pages() if (match := outside.search(path.read_text(encoding="utf-8")))
    ] == []


def test_every_path_that_a_page_names_exists() -> None:
    named = re.compile(r"`((?:auditor|benchmarks|docs|rules|tests)/[^`\s<>]*)`")
    gone = [
        f"{page.relative_to(ROOT)}: {path}"
        for page in pages()
        for path in named.findall(page.read_text(encoding="utf-8"))
        if not any(ROOT.glob(path.rstrip("/").partition("#")[0]))
    ]
    assert not gone, "\n".join(gone)


def test_no_two_decisions_have_one_number() -> None:
    numbers = [path.name[:4] for path in (ROOT / "docs/decisions").glob("*.md")]
    assert sorted(numbers) == sorted(set(numbers))


def test_the_folder_table_of_the_architecture_names_all_that_is_at_the_top() -> None:
    text = (ROOT / "docs/ARCHITECTURE.md").read_text(encoding="utf-8")
    top = [path for path in (ROOT / "auditor").iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()]
    names = {f"auditor/{path.name}{'/' if path.is_dir() else ''}" for path in top if not path.name.startswith("__")}
    missing = sorted(name for name in names if f"`{name}`" not in text)
    assert not missing, f"docs/ARCHITECTURE.md, folders: say what {', '.join(missing)} holds"


def test_a_source_of_a_rule_that_is_an_incident_links_to_it() -> None:
    unlinked = [
        f"{rule.id}: {what}"
        for rule in load_rule_set()
        for what, url in rule.sources
        if re.match(r"Incidents? S\d", what) and not (url or "").startswith("docs/domain/incidents.md")
    ]
    assert unlinked == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("Source: docs/page.md#here and #there", None, id="both are there"),
        pytest.param("Source: docs/page.md#a-heading", None, id="a heading as GitHub spells it"),
        pytest.param("Source: docs/page.md#here and #nowhere", "docs/page.md has no heading or id 'nowhere'", id="the second is not there"),
        pytest.param("Source: docs/gone.md#here", "there is no docs/gone.md", id="the page is not there"),
    ],
)
def test_a_citation_that_leads_nowhere_is_named_with_its_line(tmp_path: Path, text: str, problem: str | None) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "page.md").write_text('# <a id="here"></a>Here\n\n## A heading\n\n| <a id="there"></a>x |\n')
    (tmp_path / "code.py").write_text(f"\n# {text}\n")
    found = list(broken_citations(tmp_path / "code.py", tmp_path))
    assert [one.partition(": ")[0] for one in found] == ([] if problem is None else ["code.py:2"])
    assert problem is None or problem in found[0]


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        pytest.param("[x](page.md#here)", False, id="a heading of another page"),
        pytest.param("[x](#mine)", False, id="a heading of its own"),
        pytest.param("[x](https://example.com/page)", False, id="the web is not asked"),
        pytest.param("`[x](nowhere.md)`", False, id="code is no link"),
        pytest.param("[x](nowhere.md)", True, id="no such page"),
        pytest.param("[x](#not-mine)", True, id="no such heading"),
    ],
)
def test_a_link_is_followed_from_the_page_it_is_on(tmp_path: Path, text: str, broken: bool) -> None:
    (tmp_path / "page.md").write_text('# <a id="here"></a>Here\n')
    (tmp_path / "other.md").write_text(f"# Mine\n\n{text}\n")
    assert bool(list(broken_links(tmp_path / "other.md", tmp_path))) is broken
