"""What replaying a recorded session promises, for every kind of array that speaks HTTPS."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from vcr.errors import CannotOverwriteExistingCassetteException

from auditor.endpoints.element.sdk import api_server_error
from auditor.model import EndpointKind
from tests.endpoints.cassettes import RECORD, TAPES, Tapes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

EVERY_TAPE = [pytest.param(one, id=kind.value) for kind, one in TAPES.items()]
NOT_RECORDED: Mapping[EndpointKind, Callable[[Any], Any]] = {
    EndpointKind.ELEMENT: lambda array: array.call("ListAccounts"),
    EndpointKind.DELL_SC: lambda manager: manager.objects("ScVolume", 64702),
    EndpointKind.FLASHARRAY: lambda array: list(array.pages("pods")),
    EndpointKind.ONTAP: lambda cluster: cluster.get("storage/snapshots"),
    EndpointKind.ESERIES: lambda services: services.listed("1", "volumes"),
    EndpointKind.DOTHILL: lambda array: array.show("sessions"),
    EndpointKind.POWERSTORE: lambda array: array.listed("nas_server", "id"),
    EndpointKind.NIMBLE: lambda group: list(group.pages("snapshots")),
}


@pytest.mark.skipif(RECORD, reason="recording")
@pytest.mark.parametrize("tapes", EVERY_TAPE)
def test_a_request_that_was_not_recorded_fails(tapes: Tapes, tmp_path: Path) -> None:
    # Not an auditor error, which a collector would take for a gap: the test that asks must break. Element's SDK wraps whatever comes.
    error = api_server_error() if tapes.kind is EndpointKind.ELEMENT else CannotOverwriteExistingCassetteException
    with pytest.raises(error), tapes.playing(tapes.short, None, tmp_path) as (session, _):
        NOT_RECORDED[tapes.kind](session)


@pytest.mark.skipif(RECORD, reason="recording")
@pytest.mark.parametrize("tapes", EVERY_TAPE)
def test_an_answer_that_nobody_hears_is_noticed(tapes: Tapes, tmp_path: Path) -> None:
    with tapes.playing(tapes.short, None, tmp_path) as (_, cassette):
        pass
    assert not cassette.all_played


@pytest.mark.parametrize(
    ("tapes", "name"), [pytest.param(one, name, id=f"{kind.value}/{name}") for kind, one in TAPES.items() for name in one.files]
)
def test_no_cassette_holds_a_secret_a_cookie_or_a_real_name(tapes: Tapes, name: str) -> None:
    tapes.check(name)


@pytest.mark.parametrize("tapes", EVERY_TAPE)
def test_the_cassettes_to_check_are_all_there_are(tapes: Tapes) -> None:
    assert sorted(path.name for path in tapes.folder.glob("*")) == list(tapes.files)
