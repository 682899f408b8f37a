"""Reads a rule's sources, and the documents that ask for the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.engine.rules.file_reading.texts import stripped
from auditor.model import Document, DocumentKind

if TYPE_CHECKING:
    from auditor.engine.rules.file_reading.mistakes import Mistakes
    from auditor.engine.rules.shape import RuleShape
    from auditor.yaml.reading import YamlDocument


NO_SOURCE = "The author of this rule, who names no source"
"""The source of a rule that has none."""


def read_sources(document: YamlDocument, shape: RuleShape, mistakes: Mistakes) -> tuple[tuple[str, str | None], ...]:
    """Who says so: each with its link, or None."""
    for index, source in enumerate(shape.sources):
        if source.url and not source.url.startswith(("https://", "http://", "docs/")):  # docs/: a page of this repository
            mistakes.add(f'"{source.url}" is not a URL', "sources", index, "url")
    if document.data.get("sources") == []:
        mistakes.add("a rule without a source is a rumour: name at least one", "sources")
    return tuple((source.what.strip(), stripped(source.url)) for source in shape.sources) or ((NO_SOURCE, None),)


def read_documents(shape: RuleShape, mistakes: Mistakes) -> tuple[Document, ...]:
    """The documents of vendors and security guides that the rule names."""
    for index, document in enumerate(shape.documents):
        if document.url and not document.url.startswith(("https://", "http://")):
            mistakes.add(f'"{document.url}" is not a URL', "documents", index, "url")
        if document.kind is not DocumentKind.VENDOR and not document.number:
            mistakes.add("a control of a security guide has an id: write it as its number", "documents", index)
        elif not (document.number or document.section):
            mistakes.add("nobody finds the place in it: name its number, or the section", "documents", index)
    return tuple(
        Document(one.kind, one.title.strip(), stripped(one.number), stripped(one.section), stripped(one.url), one.quoted)
        for one in shape.documents
    )
