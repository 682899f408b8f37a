"""What the clients of Google and Azure are asked for, and what their errors become; `make stores` tries the clients themselves."""

from __future__ import annotations

import logging
import sys
from types import ModuleType
from typing import Any

import pytest

from auditor.errors import StoreError
from auditor.store.address import Address, place_of
from auditor.store.clients import open_client
from auditor.store.failures import translated
from auditor.store.objects import ObjectStore


class Client:
    """A file system that remembers how it was made, and lists nothing."""

    refusal: Exception | None = None

    def __init__(self, **options: Any) -> None:
        self.options = options
        self.listed: list[str] = []

    @staticmethod
    def _get_kwargs_from_urls(url: str) -> dict[str, str]:
        account = url.partition("@")[2].partition(".")[0]
        return {"account_name": account} if account else {}

    @staticmethod
    def _strip_protocol(url: str) -> str:
        container, _, path = url.partition("://")[2].partition("/")
        return f"{container.partition('@')[0]}/{path}"

    def ls(self, path: str, detail: bool) -> list[str]:
        self.listed.append(path)
        if self.refusal is not None:
            raise self.refusal
        return []


class HttpError(Exception):
    """As gcsfs.retry has it: the status may be a text."""

    def __init__(self, code: int | str) -> None:
        self.code = code


class AzureError(Exception):
    """As azure.core.exceptions has it; that of an answer has its status."""

    def __init__(self, status_code: int | None = None) -> None:
        self.status_code = status_code


class GoogleAuthError(Exception):
    pass


class DefaultCredentialsError(GoogleAuthError):
    pass


class ClientAuthenticationError(AzureError):
    pass


class ServiceRequestError(AzureError):
    pass


class ServiceResponseError(AzureError):
    pass


class ClientConnectorError(OSError):
    """As aiohttp has it."""


class ClientConnectorCertificateError(ClientConnectorError):
    """Likewise."""


@pytest.fixture(autouse=True)
def clients(monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules in the place of the clients, which are not installed here."""
    made: dict[str, dict[str, Any]] = {
        "gcsfs": {},
        "gcsfs.core": {"GCSFileSystem": Client},
        "gcsfs.retry": {"HttpError": HttpError, "ChecksumError": ValueError},
        "google.auth.exceptions": {"GoogleAuthError": GoogleAuthError},
        "adlfs": {"AzureBlobFileSystem": Client},
        "azure.core.exceptions": {"AzureError": AzureError},
    }
    for name, members in made.items():
        for parent in (name.rpartition(".")[0], name.partition(".")[0]):
            if parent and parent not in made:
                monkeypatch.setitem(sys.modules, parent, ModuleType(parent))
        module = ModuleType(name)
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, name, module)
    for name in ("gcsfs", "adlfs", "azure"):
        monkeypatch.setattr(logging.getLogger(name), "level", logging.NOTSET)


@pytest.mark.parametrize(
    ("scheme", "error", "what", "do"),
    [
        pytest.param("gs", OSError("Forbidden: b/audits/o\nhunter2"), "refuses it .403.", "GOOGLE_APPLICATION_CREDENTIALS", id="gs 403"),
        pytest.param("gs", HttpError("401"), "does not know these credentials", "GOOGLE_APPLICATION_CREDENTIALS", id="gs 401"),
        pytest.param("gs", HttpError(503), "HttpError of its client", "store's own log", id="gs 503"),
        pytest.param("gs", DefaultCredentialsError("hunter2"), "no credentials were found", "GOOGLE_APPLICATION", id="gs none"),
        pytest.param("gs", ValueError("hunter2"), "makes no sense of its settings or of an answer", "a proxy answers", id="gs odd"),
        pytest.param("gs", ClientConnectorError("hunter2"), "cannot be reached", "proxy, firewall", id="gs away"),
        pytest.param("gs", ClientConnectorCertificateError("hunter2"), "TLS with the store failed", "SSL_CERT_FILE", id="gs certificate"),
        pytest.param("abfs", AzureError(403), "refuses it .403.", "AZURE_STORAGE_ACCOUNT_KEY", id="abfs 403"),
        pytest.param("abfs", ClientAuthenticationError(None), "no credentials were found", "AZURE_STORAGE_ACCOUNT_NAME", id="abfs none"),
        pytest.param("abfs", ServiceRequestError(), "cannot be reached", "the account's name", id="abfs away"),
        pytest.param("abfs", ServiceResponseError(), "did not answer in time", "the account's name", id="abfs silent"),
        pytest.param("abfs", ValueError("hunter2"), "makes no sense of its settings", "AZURE_STORAGE_CONNECTION_STRING", id="abfs odd"),
        pytest.param("s3", ValueError("Invalid endpoint: hunter2"), "makes no sense of its settings", "AWS_ENDPOINT_URL", id="s3 odd"),
    ],
)
def test_an_error_of_a_client_says_what_happened_and_repeats_nothing(scheme: str, error: Exception, what: str, do: str) -> None:
    with pytest.raises(StoreError, match=what) as refused, translated(Address(scheme, "audits/x"), "read", "nothing was read."):
        raise error
    assert do in refused.value.do
    assert "hunter2" not in str(refused.value)
    assert refused.value.__cause__ is None


def test_an_error_of_our_own_is_not_taken_for_the_stores() -> None:
    with pytest.raises(KeyError), translated(Address("gs", "audits/x"), "read", "nothing was read."):
        raise KeyError("x")


def test_no_client_waits_without_a_limit_or_keeps_what_it_listed() -> None:
    google, azure = open_client(Address("gs", "audits/x")), open_client(Address("abfs", "audits/x"))
    for options in (google.options, azure.options):
        assert options["use_listings_cache"] is False
        assert options["skip_instance_cache"] is True
    limits = google.options["requests_timeout"]
    assert (limits.total, limits.sock_connect, limits.sock_read) == (None, 10, 60)
    assert (azure.options["connection_timeout"], azure.options["read_timeout"]) == (10, 60)


def test_the_account_of_an_address_is_the_one_that_is_asked() -> None:
    place = place_of("abfs://audits@company.dfs.core.windows.net/fleet")
    assert isinstance(place, Address)
    store = ObjectStore(place)
    store.check_bucket()
    assert store._fs.options["account_name"] == "company"
    assert store._fs.listed == ["audits"]
    assert "account_name" not in open_client(Address("abfs", "audits/fleet")).options


@pytest.mark.parametrize(("scheme", "refusal"), [("gs", OSError("Forbidden: b/audits/o")), ("abfs", AzureError(403))])
def test_an_account_that_may_not_list_its_bucket_is_let_on(monkeypatch: pytest.MonkeyPatch, scheme: str, refusal: Exception) -> None:
    monkeypatch.setattr(Client, "refusal", refusal)
    ObjectStore(Address(scheme, "audits/x")).check_bucket()
    monkeypatch.setattr(Client, "refusal", FileNotFoundError())
    with pytest.raises(StoreError, match="no such bucket"):
        ObjectStore(Address(scheme, "audits/x")).check_bucket()


def test_a_client_logs_nothing_unless_somebody_set_its_level() -> None:
    logging.getLogger("adlfs").setLevel(logging.DEBUG)
    open_client(Address("gs", "audits/x"))
    open_client(Address("abfs", "audits/x"))
    assert not logging.getLogger("gcsfs").isEnabledFor(logging.ERROR)
    assert not logging.getLogger("azure.storage.blob").isEnabledFor(logging.ERROR)
    assert logging.getLogger("adlfs").isEnabledFor(logging.DEBUG)
