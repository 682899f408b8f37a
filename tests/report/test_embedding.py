"""What the page carries of findings is what they are, in blocks that are small."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.model import Finding, Verdict
from auditor.report.finding_ids import FindingIds
from auditor.report.html import embedding
from auditor.report.html.embedding import Embedding
from auditor.report.json.saved_report import key_of
from auditor.report.provenance import Provenance
from tests.report import samples
from tests.report.page_data import evidence_of, values_of

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text("ab", max_size=2)
)


def blocks_of(findings: Iterable[Finding], rules: Sequence[str] = (samples.DSNRO.id, samples.SIOC.id)) -> list[dict[str, Any]]:
    run = samples.run()
    made = Embedding({rule: place for place, rule in enumerate(rules)}, Provenance(run), FindingIds(run))
    return [json.loads(str(block)) for block in made.blocks(iter(findings))]


def with_evidence(**evidence: Any) -> Finding:
    return replace(samples.pe_finding(), evidence=evidence)


@pytest.mark.long
@given(st.lists(st.tuples(st.sampled_from(["a", "b"]), SCALARS, SCALARS), min_size=1, max_size=12))
def test_each_value_comes_back_as_it_was(rows: list[tuple[str, Any, Any]]) -> None:
    findings = [with_evidence(**{name: value, "same": other}) for name, value, other in rows]
    found = evidence_of(blocks_of(findings))
    assert [{name: (type(value), value) for name, value in one.items()} for one in found] == [
        {name: (type(value), value) for name, value in finding.evidence.items()} for finding in findings
    ]


def test_zero_and_false_stay_apart_where_a_column_repeats_another() -> None:
    finding = replace(with_evidence(flag=False, number=0), observed=0)
    [block] = blocks_of([finding, finding])
    assert dict(block["evidence"]) == {"flag": {"v": False}, "number": {"as": "observed"}}


def test_findings_keep_their_order_whatever_their_evidence_is() -> None:
    findings = [replace(samples.pe_finding(f"esx-{n}"), evidence={"ab"[n % 2]: n}) for n in range(5)]
    blocks = blocks_of(findings)
    assert len(blocks) == 2
    assert values_of(blocks, "host") == [f"esx-{n}" for n in range(5)]


def test_an_id_that_ends_with_the_name_is_not_carried_twice() -> None:
    finding = samples.pe_finding("esx-01")
    [block] = blocks_of([finding])
    assert (block["id"], block["named"], block["name"]) == ({"v": "esx-01/"}, {"v": 1}, {"v": finding.resource.name})


def test_a_full_page_carries_findings_without_evidence_and_then_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "_BLOCK", 10)
    one = len(json.dumps(blocks_of([samples.pe_finding()])[0]))
    monkeypatch.setattr(embedding, "BYTES_WITH_EVIDENCE", one)
    monkeypatch.setattr(embedding, "BYTES_EMBEDDED", 2 * one)
    run = samples.run()
    made = Embedding({samples.DSNRO.id: 0}, Provenance(run), FindingIds(run))
    blocks = [json.loads(str(block)) for block in made.blocks(samples.pe_finding(f"esx-{n:05}") for n in range(5_000))]
    assert made.carried == sum(block["n"] for block in blocks) < 5_000
    assert 0 < made.without_evidence < made.carried
    assert values_of(blocks, "whole") == [1] * (made.carried - made.without_evidence) + [0] * made.without_evidence
    assert values_of(blocks, "host") == [f"esx-{n:05}" for n in range(made.carried)]


def test_findings_that_differ_in_a_few_values_take_little_room() -> None:
    findings = list(samples.huge(2_000, clusters=20).findings())
    blocks = blocks_of(findings, sorted({finding.rule for finding in findings}))
    assert sum(len(json.dumps(block, separators=(",", ":"))) for block in blocks) < 150 * len(findings)


def test_what_became_of_a_finding_stands_beside_it() -> None:
    run, one, other = samples.run(), samples.pe_finding("esx-01"), samples.pe_finding("esx-02", Verdict.UNKNOWN)
    made = Embedding({samples.DSNRO.id: 0}, Provenance(run), FindingIds(run), {key_of(other): "newly unknown"})
    blocks = [json.loads(str(block)) for block in made.blocks(iter([one, other]))]
    assert values_of(blocks, "change") == ["", "newly unknown"]
