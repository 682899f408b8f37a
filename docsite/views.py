"""Pages of what rules judge and what `auditor query` asks: views and fact tables, with each column."""

from __future__ import annotations

from auditor.authoring.schema_docs import about_view, described
from auditor.facts.array_tables import ARRAY_TABLES
from auditor.facts.catalog import catalog, view_columns
from auditor.facts.table import Table
from auditor.facts.vcenter_tables import VCENTER_TABLES
from docsite.markdown import code, escaped, table

_MOST_SOURCES = 4


def view_pages() -> dict[str, str]:
    """The text of each page by its path: one for each domain of views, index.md, and the fact tables."""
    domains: dict[str, list[str]] = {}
    for view in view_columns():
        domains.setdefault(catalog().views[view].domain, []).append(view)
    pages = {f"{domain}.md": f"# Views: {domain}\n\n" + "".join(map(_view, views)) for domain, views in sorted(domains.items())}
    rows = [
        (f"[`{view}`]({domain}.md#{view.replace('_', '-')})", escaped(about_view(view)))
        for domain, views in sorted(domains.items())
        for view in views
    ]
    facts = {"facts-vcenter.md": _fact_page("vCenter", VCENTER_TABLES), "facts-arrays.md": _fact_page("arrays", ARRAY_TABLES)}
    return {"index.md": _INDEX + table(("view", "one row is"), rows), **pages, **facts}


_INDEX = """# Views and facts

Rules judge rows of views, and `auditor query` asks them in SQL ([querying](../../docs/querying.md)). Views are made of facts: [what is read of a vCenter](facts-vcenter.md), [of arrays](facts-arrays.md).
A fact that was not read is NULL. `auditor rules schema VIEW` shows the same, with a value of each column.

"""  # noqa: E501  one paragraph of Markdown


def _view(view: str) -> str:
    rows = [(code(one.name), code(one.type), escaped(one.what), _sources(one.sources)) for one in described(view)]
    heading = f'## <a id="{view.replace("_", "-")}"></a>{view}'
    return f"{heading}\n\n{escaped(about_view(view))}\n\n" + table(("column", "type", "what it is", "made of"), rows)


def _sources(sources: tuple[str, ...]) -> str:
    more = f" and {len(sources) - _MOST_SOURCES} more" if len(sources) > _MOST_SOURCES else ""
    return ", ".join(map(code, sources[:_MOST_SOURCES])) + more


def _fact_page(of: str, tables: tuple[Table, ...]) -> str:
    parts = [f"# Facts of {of}\n\nIn SQL a table is called `fact.NAME`. Every table has `endpoint` as well: the name of the endpoint.\n\n"]
    for one in tables:
        rows = [(code(column.name), code(column.type), escaped(column.what), code(column.property or "")) for column in one.columns]
        parts.append(f"## {one.name}\n\n{escaped(one.what)}\n\n" + table(("column", "type", "what it is", "requested as"), rows))
    return "".join(parts)
