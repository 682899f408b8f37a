"""A kind of endpoint that is new says what a recording may keep of its answers, or is not recorded at all."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from auditor.errors import ConfigurationError
from auditor.fleet.loading import Fleet
from auditor.model import Exchange
from auditor.recording.capture import record
from auditor.recording.exchanges import masked_exchange
from auditor.recording.fields import kept_fields, kept_forms
from auditor.recording.masking import Masker
from auditor.recording.pseudonyms import Pseudonyms
from tests.new_kind import new_kind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from auditor.model import Endpoint

EXCHANGE = Exchange("GET /x", "GET", "/x", b"", 200, {}, json.dumps({"state": "degraded", "owner": "degraded"}).encode())
ASKED = "raise AssertionError('it was asked')"


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    yield
    kept_fields.cache_clear()
    kept_forms.cache_clear()


def masked(endpoint: Endpoint) -> dict[str, str]:
    answer: dict[str, str] = json.loads(masked_exchange(endpoint.kind, EXCHANGE, Masker(Pseudonyms(b"k" * 32))).answer)
    return answer


def test_what_a_new_kind_lists_beside_itself_is_kept_and_nothing_else(tmp_path: Path) -> None:
    with new_kind(tmp_path, {"recorded_fields": "KEPT = 'model State'"}, kept_fields="recorded_fields:KEPT") as endpoint:
        answer = masked(endpoint)
    assert answer["state"] == "degraded"
    assert "degraded" not in answer["owner"]


def test_the_form_of_a_new_kind_s_answers_is_what_it_says_beside_itself(tmp_path: Path) -> None:
    forms = """
import json
import re
from auditor.endpoints.common.kept_forms import KeptForms
KEPT = ""
FORMS = KeptForms(
    constants=re.compile("degraded"),
    chosen_id=re.compile("(/systems/)([^/]+)(.*)"),
    numbered=frozenset({"id"}),
    from_xml=lambda xml: {"state": xml.decode().strip("<>")},
)
"""
    masker = Masker(Pseudonyms(b"k" * 32))
    answer = json.dumps({"owner": "degraded", "room": "dresden", "id": "64702.7", "serial": "64702.7"}).encode()
    asked = "/systems/leipzig/leipzig/64702.7"
    with new_kind(tmp_path, {"recorded_fields": forms}, kept_fields="recorded_fields:KEPT", kept_forms="recorded_fields:FORMS") as endpoint:
        in_json = masked_exchange(endpoint.kind, Exchange(f"GET {asked}", "GET", asked, b"", 200, {}, answer), masker)
        in_xml = masked_exchange(endpoint.kind, Exchange("GET /x", "GET", "/x", b"", 200, {}, b"<degraded>"), masker)
    fields = json.loads(in_json.answer)
    assert (fields["owner"], fields["room"] == "dresden") == ("degraded", False), "a constant stays in any field, and nothing else does"
    assert fields["id"].endswith(".7"), "the number within the system stays"
    assert not fields["serial"].endswith(".7")
    assert in_json.path.endswith(fields["id"]), "and is the same one in a path"
    assert in_json.path.split("/")[2] != "leipzig", "a person chose that id"
    assert in_json.path.split("/")[3] == "leipzig", "and the API the same word behind it"
    assert json.loads(in_xml.answer) == {"state": "degraded"}


def test_a_new_kind_without_a_list_is_neither_asked_nor_recorded_and_the_error_says_what_to_add(tmp_path: Path) -> None:
    with new_kind(tmp_path, {"client": ASKED, "collect": ASKED}) as endpoint:
        fleet, out, state = Fleet(tmp_path / "fleet.yaml", (endpoint,)), tmp_path / "fleet.tar.gz", tmp_path / "state"
        with pytest.raises(ConfigurationError, match=r"new-kind .* cannot be recorded") as refused:
            record(fleet, out, state=state, key=state / "key", progress=lambda *_: None)
        assert "`kept_fields` in TYPE of auditor.endpoints.new_kind" in refused.value.do
        assert not out.exists()
        assert not state.exists(), "nothing was begun"
        with pytest.raises(ConfigurationError, match="cannot be recorded"):
            masked(endpoint)
