"""A place is a folder or an address on a store; an address never carries a password."""

from pathlib import Path

import pytest

from auditor.errors import ConfigurationError
from auditor.store.address import Address, place_of


@pytest.mark.parametrize(
    ("text", "place"),
    [
        pytest.param("snapshots/monday", Path("snapshots/monday"), id="a folder"),
        pytest.param("file:///srv/a%20b", Path("/srv/a b"), id="a folder as an address"),
        pytest.param("s3://bucket", Address("s3", "bucket"), id="a bucket"),
        pytest.param("S3://bucket/a/b/", Address("s3", "bucket/a/b"), id="a prefix"),
        pytest.param(
            "abfs://box@account.dfs.core.windows.net/a", Address("abfs", "box@account.dfs.core.windows.net/a"), id="of an account"
        ),
    ],
)
def test_a_text_names_a_folder_or_a_place_on_a_store(text: str, place: object) -> None:
    assert place_of(text) == place


@pytest.mark.parametrize(
    ("text", "what"),
    [
        pytest.param("s3://", "no bucket", id="no bucket"),
        pytest.param("s3://bucket//monday", "empty folder", id="an empty folder"),
        pytest.param("s3://bucket/../other", "no bucket", id="out of the bucket"),
        pytest.param("ftp://host/monday", "ftp:// is no store", id="no store"),
    ],
)
def test_what_names_no_place_is_refused(text: str, what: str) -> None:
    with pytest.raises(ConfigurationError, match=what):
        place_of(text)


def test_an_address_with_a_password_is_refused_without_repeating_it() -> None:
    with pytest.raises(ConfigurationError, match="a user and a password") as refused:
        place_of("s3://AKIAEXAMPLE:hunter2@bucket/monday")
    assert "hunter2" not in str(refused.value)
    assert "AKIAEXAMPLE" not in str(refused.value)


def test_an_address_is_shown_as_it_was_given_and_has_a_name() -> None:
    place = place_of("s3://bucket/audits") / "monday"
    assert str(place) == "s3://bucket/audits/monday"
    assert place.name == "monday"
