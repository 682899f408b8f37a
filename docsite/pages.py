"""The folder of pages that mkdocs reads: those of the repository at the same paths, so that their links hold, and the reference."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

from auditor.fleet.schema import fleet_schema
from auditor.fleet.settings_schema import settings_schema
from auditor.job.jobs_schema import jobs_schema
from docsite.commands import command_pages
from docsite.markdown import table
from docsite.roles import roles_page
from docsite.schemas import schema_page
from docsite.views import view_pages
from docsite.waivers import waivers_page

ROOT = Path(__file__).parents[1]
COPIED = (
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "LICENSE",
    "docs",
    "auditor/report/*.schema.json",
)
"""Pages, and what the reference links to; what they link to themselves comes with them."""

_LINK = re.compile(r"\[([^\[\]]*)\]\(([^()\s]+)\)")
_FLEET = "What stands in fleet.yaml. Made from the schema that `auditor init` writes for editors; loading checks more than a schema can say, and names the line of a mistake. A commented file to begin with: `auditor init`."  # noqa: E501
_SETTINGS = "What hosts and volumes are to be set to ([how to](../docs/how-to/declare-settings.md)). It lies beside fleet.yaml."
_JOBS = "What stands in jobs.yaml ([the job](../docs/schedule.md)). Made from the schema that `auditor init --jobs` writes for editors."
_JSON = "Made from the published schema, [`{path}`](../../{path}). Fields are only ever added."


def write_pages(folder: Path) -> None:
    """Write every page of the site below `folder`, which is emptied first."""
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    for pattern in COPIED:
        for source in sorted(ROOT.glob(pattern)):
            target = folder / source.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target)
            else:
                shutil.copyfile(source, target)
    for page in sorted(folder.rglob("*.md")):
        _bring_what_it_links_to(page, folder)
    for extra in ("extra.css", "extra.js"):
        shutil.copyfile(Path(__file__).with_name(extra), folder / extra)
    for name, text in reference_pages().items():
        path = folder / "reference" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _bring_what_it_links_to(page: Path, folder: Path) -> None:
    """Copy the files of the repository that `page` links to and the site has not; a link to a folder becomes its text."""
    text = page.read_text(encoding="utf-8")
    here = ROOT / page.relative_to(folder).parent
    for name, target in _LINK.findall(text):
        source = (here / target.partition("#")[0]).resolve()
        if ":" in target or target.startswith("#") or not source.is_relative_to(ROOT):
            continue
        copy = folder / source.relative_to(ROOT)
        if source.is_dir():
            text = text.replace(f"[{name}]({target})", name)
        elif source.is_file() and not copy.exists():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy)
    page.write_text(text, encoding="utf-8")


def reference_pages() -> dict[str, str]:
    """The text of each page of the reference, by its path within reference/."""
    pages = {f"commands/{name}": text for name, text in command_pages().items()}
    pages |= {f"views/{name}": text for name, text in view_pages().items()}
    pages |= {f"json/{path.name.removesuffix('.schema.json')}.md": _json_page(path) for path in schema_files()}
    pages["fleet.md"] = schema_page("fleet.yaml", _FLEET, fleet_schema())
    pages["jobs.md"] = schema_page("jobs.yaml", _JOBS, jobs_schema())
    pages["settings.md"] = schema_page("settings.yaml", _SETTINGS, settings_schema())
    pages["waivers.md"] = waivers_page()
    pages["roles.md"] = roles_page()
    pages["index.md"] = _index()
    return pages


def schema_files() -> list[Path]:
    """The published schemas of what auditor writes for programs."""
    return sorted((ROOT / "auditor/report").glob("*.schema.json"))


def _json_page(path: Path) -> str:
    schema = json.loads(path.read_text(encoding="utf-8"))
    before = _JSON.format(path=path.relative_to(ROOT).as_posix())
    return schema_page(schema.get("title", path.name), f"{before} {schema.get('description', '')}", schema)


def _index() -> str:
    names = [path.name.removesuffix(".schema.json") for path in schema_files()]
    rows = [
        ("[commands](commands/index.md)", "every command with its options and examples"),
        ("[fleet.yaml](fleet.md)", "every key"),
        ("[settings.yaml](settings.md)", "every key"),
        ("[waivers.yaml](waivers.md)", "every key"),
        ("[jobs.yaml](jobs.md)", "every key"),
        ("[exit codes](../docs/exit-codes.md)", "what a script may go by"),
        ("[roles and privileges](roles.md)", "what accounts of vCenters and arrays have to be allowed, and what for"),
        ("[views and facts](views/index.md)", "what rules judge and `auditor query` asks, column by column"),
        ("[rules](../docs/rules/index.md)", "every rule: what it does, why, its fix; [by document](../docs/rules/documents.md)"),
        *((f"[JSON: {name}](json/{name}.md)", "every field") for name in names),
    ]
    return "# Reference\n\nMade from the code when this site was built.\n\n" + table(("page", "what it has"), rows)
