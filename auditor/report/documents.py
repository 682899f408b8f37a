"""The documents that a rule answers to, as reports show them: a line for people, an object for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from auditor.model import Document, DocumentKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

KINDS = {DocumentKind.VENDOR: "vendor", DocumentKind.STIG: "DISA STIG", DocumentKind.HARDENING: "hardening guide"}
"""What a person reads of who publishes it."""


def document_text(document: Document) -> str:
    """The document in one line: publication, number, section, and whether only a quotation was read."""
    name = document.title if document.kind is DocumentKind.VENDOR else f"{KINDS[document.kind]}, {document.title}"
    named = ", ".join(part for part in (name, document.number) if part)
    whole = f"{named}: {document.section}" if document.section else named
    return f"{whole} (read in quotation only)" if document.quoted else whole


def documents_json(documents: Iterable[Document]) -> list[dict[str, Any]]:
    """Each document for programs, its kind as in a rule file; None where it has no number, section or address."""
    return [
        {
            "kind": one.kind.value,
            "title": one.title,
            "number": one.number,
            "section": one.section,
            "url": one.url,
            "quoted": one.quoted,
        }
        for one in documents
    ]


def documents_read(objects: Sequence[Mapping[str, Any]]) -> tuple[Document, ...]:
    """The documents that `documents_json` wrote."""
    return tuple(
        Document(DocumentKind(one["kind"]), one["title"], one["number"], one["section"], one["url"], one["quoted"]) for one in objects
    )
