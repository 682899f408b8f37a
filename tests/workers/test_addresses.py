"""Addresses of schedulers: as people write them, with TLS unless loopback is asked for without."""

from __future__ import annotations

import pytest

from auditor.errors import ConfigurationError
from auditor.workers.address import parse_address


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("scheduler.example.net", "tls://scheduler.example.net:8786"),
        ("scheduler.example.net:9", "tls://scheduler.example.net:9"),
        ("tls://192.0.2.7:9", "tls://192.0.2.7:9"),
        ("2001:db8::7", "tls://[2001:db8::7]:8786"),
        ("tls://[2001:db8::7]:9", "tls://[2001:db8::7]:9"),
        ("tcp://127.0.0.1", "tcp://127.0.0.1:8786"),
        ("tcp://localhost:9", "tcp://localhost:9"),
        ("tcp://[::1]:9", "tcp://[::1]:9"),
    ],
)
def test_an_address_is_taken_as_people_write_it_and_is_encrypted_unless_loopback_is_not(text: str, meant: str) -> None:
    assert str(parse_address(text, "--workers")) == meant


@pytest.mark.parametrize("host", ["scheduler.example.net", "0.0.0.0:8786", "192.0.2.7:1", "[2001:db8::7]", "localhost.example.net"])
def test_nothing_is_sent_in_clear_over_a_network(host: str) -> None:
    with pytest.raises(ConfigurationError, match="tcp:// is for loopback alone") as caught:
        parse_address(f"tcp://{host}", "--workers")
    assert "auditor workers certificates" in caught.value.do


@pytest.mark.parametrize("text", ["", "tls://", "http://127.0.0.1", "a:b", "a:99999", "a/b", "root:hunter2@a", "tls://root:hunter2@a:1"])
def test_what_is_no_address_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(ConfigurationError, match="--workers is not an address") as caught:
        parse_address(text, "--workers")
    assert "hunter2" not in str(caught.value)
