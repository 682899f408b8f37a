"""Recorded sessions with arrays that speak HTTPS: answers are replayed, or recorded anew from the lab and from nothing else.

To record again: AUDITOR_RECORD=1 pytest -k cassettes
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import vcr
from vcr.serializers import yamlserializer

from auditor.endpoints.common.masking import MASK, masked
from auditor.endpoints.common.sessions import open_session
from auditor.model import EndpointKind
from tests.endpoints.arrays import PASSWORD, endpoint_of, serving_array

if TYPE_CHECKING:
    from collections.abc import Iterator

RECORD = os.environ.get("AUDITOR_RECORD") == "1"
_FOLDER = Path(__file__).parents[2] / "cassettes"
_DOCUMENTATION = ("192.0.2.", "198.51.100.", "203.0.113.")  # RFC 5737: nobody's
_ADDRESS = re.compile(r"(?<![\d.])\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?![\d.])")


def _same(request: Any) -> Any:
    return request


def _numbered_one(request: Any) -> Any:
    """The SDK numbers its calls through the life of a process, so the number says nothing."""
    request.body = json.dumps({**json.loads(request.body), "id": 1}).encode()
    return request


def _same_call(asked: Any, recorded: Any) -> None:
    ours, theirs = json.loads(asked.body), json.loads(recorded.body)
    assert (asked.path, ours["method"], ours["params"]) == (recorded.path, theirs["method"], theirs["params"])


def _without_hash(request: Any) -> Any:
    """The hash by which one logs in to a Dot Hill array is as good as the password."""
    request.uri = re.sub(r"/login/[0-9a-f]{64}$", "/login/masked", request.uri)
    return request


def _without_key(answer: Any) -> Any:
    """What a login answers is the key of its session; it has return code 1, and no other answer has."""
    return {**answer, "status": [{**one, "response": MASK} if one["return-code"] == 1 else one for one in answer["status"]]}


def _without_password(request: Any) -> Any:
    """Where a login holds it in its body."""
    if request.body:
        request.body = json.dumps(masked(json.loads(request.body))).encode()
    return request


def _answer_number_one(answer: Any) -> Any:
    return {**answer, "id": 1}


@dataclass(frozen=True, slots=True)
class Tapes:
    """How the sessions of one kind are kept.

    Attributes:
        sent, answered: names of the headers, in lower case, that are kept of requests and answers; all others are dropped.
        request, body: what is changed of a request, and of an answer's JSON, before it is kept.
        names: other hosts that may be named in an answer.
        addresses: what looks like an address in an answer and is none, or nobody's.
    """

    kind: EndpointKind
    files: tuple[str, ...]
    sent: frozenset[str] = frozenset()
    answered: frozenset[str] = frozenset({"content-type"})
    match_on: tuple[str, ...] = ("method", "host", "path", "query", "body")
    request: Callable[[Any], Any] = _same
    body: Callable[[Any], Any] = _same
    names: frozenset[str] = frozenset()
    addresses: frozenset[str] = frozenset()
    matchers: Mapping[str, Callable[[Any, Any], None]] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def folder(self) -> Path:
        """Where they lie."""
        return _FOLDER / self.kind.value.replace("-", "_")

    @property
    def short(self) -> str:
        """One of them that is small: of a fix, where something on such an array is written."""
        return "fix.yaml" if "fix.yaml" in self.files else self.files[0]

    @property
    def host(self) -> str:
        """The name of the array in them."""
        return f"{self.kind.value}.example.net"

    def player(self) -> Any:
        """Replays them, or records when RECORD is set."""
        player = vcr.VCR(
            record_mode="all" if RECORD else "none",
            cassette_library_dir=str(self.folder),
            decode_compressed_response=True,
            before_record_request=self._kept_request,
            before_record_response=self._kept_answer,
        )
        for name, matcher in self.matchers.items():
            player.register_matcher(name, matcher)
        player.match_on = self.match_on
        return player

    def _kept_request(self, request: Any) -> Any:
        request.uri = re.sub(r"https://[^/]+", f"https://{self.host}", request.uri)
        request.headers = {name: value for name, value in request.headers.items() if name.lower() in self.sent}
        return self.request(request)

    def _kept_answer(self, response: Any) -> Any:
        kept = {name: value for name, value in response["headers"].items() if name.lower() in self.answered}
        response["headers"] = {name: [MASK] if name.lower() == "x-auth-token" else value for name, value in kept.items()}
        text = response["body"]["string"]
        response["body"] = {"string": json.dumps(masked(self.body(json.loads(text)))).encode() if text else b""}
        return response

    @contextmanager
    def playing(self, name: str, description: Any, folder: Path, **options: Any) -> Iterator[tuple[Any, Any]]:
        """A session that hears the cassette `name`, and the cassette; recorded anew from `description` when RECORD is set."""
        with ExitStack() as stack:
            if RECORD:
                (self.folder / name).unlink(missing_ok=True)
                _, endpoint = stack.enter_context(serving_array(self.kind, description, folder, **options))
            else:
                endpoint = endpoint_of(self.kind, folder, self.host, 443)
            cassette = stack.enter_context(self.player().use_cassette(name))
            yield stack.enter_context(open_session(endpoint)), cassette

    def check(self, name: str) -> None:
        """Fail where a cassette holds a secret, a cookie or a real name."""
        text = (self.folder / name).read_text(encoding="utf-8")
        assert not re.search(r"(?i)authorization|cookie|\bbasic [a-z0-9+/=]{6,}|user-agent|api-token", text)
        assert PASSWORD not in text
        for interaction in yamlserializer.deserialize(text)["interactions"]:
            assert {header.lower() for header in interaction["request"]["headers"]} <= self.sent
            assert interaction["response"]["headers"].get("x-auth-token", [MASK]) == [MASK]
            for body in (interaction["request"]["body"], interaction["response"]["body"]["string"]):
                assert not body or masked(json.loads(body)) == json.loads(body)
        assert set(re.findall(r"https?://([^/\s\"']+)", text)) <= {self.host} | self.names
        assert {each for each in _ADDRESS.findall(text) if not each.startswith(_DOCUMENTATION)} <= self.addresses


TAPES: Mapping[EndpointKind, Tapes] = MappingProxyType(
    {
        one.kind: one
        for one in (
            Tapes(
                EndpointKind.ELEMENT,
                ("account.yaml", "fix.yaml", "reading.yaml", "volume.yaml"),
                sent=frozenset({"content-type"}),
                match_on=("method", "host", "call"),
                matchers=MappingProxyType({"call": _same_call}),
                request=_numbered_one,
                body=_answer_number_one,
                addresses=frozenset({"0.0.0.0", "12.3.0.958"}),
            ),
            Tapes(
                EndpointKind.DELL_SC,
                ("fix.yaml", "reading.yaml"),
                sent=frozenset({"x-dell-api-version", "async"}),
                names=frozenset({"localhost:3033"}),  # how a manager sees itself
                addresses=frozenset({"0.0.0.0", "127.0.0.1", "7.3.20.19", "18.1.10.153"}),
            ),
            Tapes(
                EndpointKind.FLASHARRAY,
                ("fix.yaml", "reading.yaml"),
                answered=frozenset({"content-type", "x-auth-token", "x-next-token"}),
            ),
            Tapes(EndpointKind.ONTAP, ("fix.yaml", "reading.yaml")),
            Tapes(EndpointKind.ESERIES, ("fix.yaml", "reading.yaml"), addresses=frozenset({"08.73.00.00", "05.30.0000.0003"})),
            Tapes(EndpointKind.DOTHILL, ("reading.yaml",), sent=frozenset({"datatype"}), request=_without_hash, body=_without_key),
            Tapes(
                EndpointKind.POWERSTORE, ("fix.yaml", "reading.yaml"), sent=frozenset({"content-type"}), addresses=frozenset({"4.1.0.0"})
            ),
            Tapes(
                EndpointKind.NIMBLE,
                ("fix.yaml", "reading.yaml"),
                request=_without_password,
                addresses=frozenset({"6.0.0.300", "6.1.2.700"}),
            ),
        )
    }
)
