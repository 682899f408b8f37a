"""A page for each command, made of what it prints for --help."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from docsite.markdown import escaped, table

Context: TypeAlias = Any
"""Of a command: typer has its own copy of click, and says nothing of its types."""

WIDTH = 110
"""Characters of a line of help on a page."""


def command_pages() -> dict[str, str]:
    """The text of each page by its path; index.md lists the commands."""
    root, context = _root()
    commands = {name: root.get_command(context, name) for name in root.list_commands(context)}
    pages = {f"{name}.md": "\n".join(_page(name, command, context)) for name, command in commands.items()}
    rows = [(f"[`auditor {name}`]({name}.md)", escaped(_first_sentence(command))) for name, command in commands.items()]
    head = "# Commands\n\nEach page is what `auditor COMMAND --help` prints. `auditor --version` says which version this is.\n\n"
    return {"index.md": head + table(("command", "what it does"), rows), **pages}


def _root() -> tuple[Any, Context]:
    """The whole command line, and the context in which its commands are found."""
    from typer.main import get_command

    from auditor.cli.app import app

    root = get_command(app)
    return root, root.make_context("auditor", [], resilient_parsing=True)


def _page(name: str, command: Any, parent: Context) -> Iterator[str]:
    context = _context(name, command, parent)
    yield from (f"# auditor {name}", "", "```text", command.get_help(context), "```", "")
    subcommands = command.list_commands(context) if hasattr(command, "list_commands") else ()
    for sub in subcommands:
        inner = command.get_command(context, sub)
        yield from (f"## auditor {name} {sub}", "", "```text", inner.get_help(_context(sub, inner, context)), "```", "")


def _context(name: str, command: Any, parent: Context) -> Context:
    context: Context = command.context_class(command, info_name=name, parent=parent)
    context.terminal_width = WIDTH
    return context


def _first_sentence(command: Any) -> str:
    text = " ".join((command.help or "").split("\n\n")[0].split())
    return text.partition(". ")[0].rstrip(".")
