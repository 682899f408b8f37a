"""The documents that shipped rules answer to: one name for each, and no id of a security guide that docs/mapping.md denies."""

from collections import defaultdict
from pathlib import Path

from auditor.model import DocumentKind
from auditor.pipeline.policy import load_rule_set

MAPPING = Path(__file__).parents[2] / "docs/mapping.md"
DOCUMENTS = [document for rule in load_rule_set() for document in rule.documents]


def test_a_number_and_a_publication_have_one_name_everywhere() -> None:
    titles, articles = defaultdict(set), defaultdict(set)
    for document in DOCUMENTS:
        if document.number is not None:
            titles[document.number].add(document.title)
            if document.number.startswith("KB "):
                articles[document.number].add((document.section, document.url, document.quoted))
    assert {number: found for number, found in (titles | articles).items() if len(found) > 1} == {}


def test_a_rule_names_a_document_once() -> None:
    assert [rule.id for rule in load_rule_set() if len(set(rule.documents)) != len(rule.documents)] == []


def test_an_id_of_a_security_guide_is_one_that_was_looked_up() -> None:
    claimed = {document.number for document in DOCUMENTS if document.kind is not DocumentKind.VENDOR}
    none_fits = "No rule answers to a STIG or to a hardening guide today." in MAPPING.read_text(encoding="utf-8")
    assert none_fits == (not claimed), "docs/mapping.md says which guide a rule answers to, and when its controls were read"
