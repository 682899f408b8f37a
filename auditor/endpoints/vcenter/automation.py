"""A vCenter's Automation API, through VMware's own client: tags are reported nowhere else.

The client is imported inside the functions: it is large, and only waivers that go by tags need it.

Source: com.vmware.cis.session and com.vmware.cis.tagging of the vSphere Automation SDK for Python (PyPI: vmware-vcenter).
"""

from __future__ import annotations

import logging
import threading
import warnings
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from auditor.endpoints.common.answer_limits import MOST_BYTES, UnusableAnswerError, json_value, too_large
from auditor.endpoints.common.answer_time import TimedResponse
from auditor.endpoints.common.routes import RouteError, dial
from auditor.endpoints.common.secrets import password_of
from auditor.endpoints.common.tls import tls_context
from auditor.endpoints.vcenter.session_key import session_key_of
from auditor.errors import (
    CredentialsError,
    EndpointError,
    EndpointUnreachableError,
    MalformedAnswerError,
    NotThereError,
    PermissionMissingError,
)
from auditor.model import OpenSession, Sso

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator

    from auditor.model import Endpoint

_TAGS_AT_ONCE = 100  # of how many tags the objects are asked in one request; no limit is documented
_PIECE_BYTES = 1 << 16
_IMPORTING = threading.Lock()
_LOST = "tags were not read; what a waiver names by a tag counts as not waived."


@dataclass(frozen=True, slots=True)
class Tagged:
    """One tag, and what it is attached to, as far as the account may see either."""

    category: str
    tag: str
    objects: tuple[tuple[str, str], ...]  # (type, managed object id), for example ("HostSystem", "host-12")


class Automation:
    """One session; made by `open_automation`."""

    def __init__(self, endpoint: Endpoint, stubs: Any) -> None:
        tagging = _module("com.vmware.cis.tagging_client")
        self._endpoint, self._stubs = endpoint, stubs
        self._categories, self._tags, self._attached = tagging.Category(stubs), tagging.Tag(stubs), tagging.TagAssociation(stubs)

    def tags(self) -> Iterator[Tagged]:
        """Every tag that is attached to something. One that is deleted meanwhile is left out.

        Raises:
            EndpointError: it could not be read.
        """
        with _translated(self._endpoint, "listing tags"):
            known = list(self._tags.list())
        categories: dict[str, str] = {}
        for start in range(0, len(known), _TAGS_AT_ONCE):
            with _translated(self._endpoint, "reading what tags are attached to"):
                attached = self._attached.list_attached_objects_on_tags(known[start : start + _TAGS_AT_ONCE])
            for one in attached:
                if one.object_ids:
                    with suppress(NotThereError), _translated(self._endpoint, "reading a tag"):
                        yield self._tagged(one, categories)

    def has_configuration_profile(self, cluster_id: str) -> bool:
        """Whether a cluster is managed by a configuration profile.

        Raises:
            NotThereError: there is no such cluster, or this release has no such profiles.
            EndpointError: it could not be read.
        """
        enablement = _module("com.vmware.esx.settings.clusters.enablement_client").Configuration(self._stubs)
        with _translated(self._endpoint, "reading whether a configuration profile manages a cluster"):
            return bool(enablement.get(cluster_id).enabled)

    def _tagged(self, attached: Any, categories: dict[str, str]) -> Tagged:
        tag = self._tags.get(attached.tag_id)
        if tag.category_id not in categories:
            categories[tag.category_id] = self._categories.get(tag.category_id).name
        return Tagged(categories[tag.category_id], tag.name, tuple((one.type, one.id) for one in attached.object_ids))


@contextmanager
def open_automation(endpoint: Endpoint) -> Iterator[Automation]:
    """A session of its own, which those of SOAP have nothing to do with; ended whatever happens inside.

    Where somebody else has opened a session of SOAP, it goes on with that one: since vCenter 8.0.3 one session is good for both, by
    Broadcom's sample single_session/pyvmomi_to_vapi_transfer.py (https://github.com/vmware/vcf-sdk-python). Older ones refuse it.

    Raises:
        EndpointUnreachableError: no connection, no answer in time, or a certificate that does not verify.
        CredentialsError: the password cannot be looked up, or vCenter refuses it.
        MalformedAnswerError: something answers that is not a vCenter.
    """
    # It has a word for every error, which we say ourselves; and what it may log of a request, a password included, is for no log.
    logging.getLogger("vmware").setLevel(logging.CRITICAL + 1)
    sessions = _module("com.vmware.cis_client")
    keys = _module("vmware.vapi.security.session")
    is_ours = not isinstance(endpoint.login, OpenSession)
    with _http(endpoint) as http:
        if is_ours:
            with _translated(endpoint, "logging in to its Automation API"):
                key = sessions.Session(_stubs(endpoint, http, _who(endpoint))).create()
        else:
            key = session_key_of(endpoint).strip('"')
        stubs = _stubs(endpoint, http, keys.create_session_security_context(key))
        try:
            yield Automation(endpoint, stubs)
        finally:
            if is_ours:  # nothing is lost if this fails: vCenter ends an idle session by itself
                with suppress(EndpointError), _translated(endpoint, "logging out"):
                    sessions.Session(stubs).delete()


def _who(endpoint: Endpoint) -> Any:
    """What the client sends at its login.

    Source: vmware.vapi.security.sso of vmware-vapi-runtime, which has both kinds of tokens and signs for the holder of a key itself.
    """
    if not isinstance(endpoint.login, Sso):
        passwords = _module("vmware.vapi.security.user_password")
        return passwords.create_user_password_security_context(endpoint.username, password_of(endpoint))
    from auditor.endpoints.vcenter.sso import token_of

    tokens, core = _module("vmware.vapi.security.sso"), _module("vmware.vapi.core")
    token, signer = token_of(endpoint, endpoint.login)
    if signer is None:
        return tokens.create_saml_bearer_security_context(token.text)
    return core.SecurityContext(
        {
            tokens.SCHEME_ID: tokens.SAML_SCHEME_ID,
            tokens.PRIVATE_KEY: signer.pem(),
            tokens.SAML_TOKEN: token.text,
            tokens.SIGNATURE_ALGORITHM: tokens.DEFAULT_ALGORITHM_TYPE,
        }
    )


def _stubs(endpoint: Endpoint, http: Any, security: Any) -> Any:
    connect, filters = _module("vmware.vapi.lib.connect"), _module("vmware.vapi.security.client.security_context_filter")
    factories = _module("vmware.vapi.stdlib.client.factories")
    host = f"[{endpoint.address}]" if ":" in endpoint.address else endpoint.address
    connector = connect.get_requests_connector(
        session=http,
        url=f"https://{host}:{endpoint.port}/api",
        timeout=endpoint.limits.timeout_seconds,
        pool_size=0,  # otherwise it puts adapters of its own in place of ours, which check certificates in another way
        provider_filter_chain=[filters.LegacySecurityContextFilter(security_context=security)],
    )
    return factories.StubConfigurationFactory.new_std_configuration(connector)


@contextmanager
def _http(endpoint: Endpoint) -> Iterator[Any]:
    """A `requests` session that checks certificates by the TLS context of all our other clients."""
    import requests
    from requests.adapters import HTTPAdapter
    from urllib3.connection import HTTPSConnection
    from urllib3.connectionpool import HTTPSConnectionPool

    context = tls_context(endpoint)
    seconds = endpoint.limits.timeout_seconds

    class Connection(HTTPSConnection):
        response_class = partial(TimedResponse, timeout_seconds=seconds)  # type: ignore[assignment]  # it is only called

        def _new_conn(self) -> socket.socket:
            return super()._new_conn() if endpoint.route is None else dial(endpoint).socket

    class Pool(HTTPSConnectionPool):
        ConnectionCls = Connection

    if not endpoint.tls.verify:
        from urllib3 import disable_warnings
        from urllib3.exceptions import InsecureRequestWarning

        disable_warnings(InsecureRequestWarning)  # asked for in fleet.yaml, and said in every report

    class Adapter(HTTPAdapter):
        def init_poolmanager(self, *args: Any, **options: Any) -> None:
            # A pinned certificate is stronger than a name, and False keeps urllib3 from checking the name itself.
            named = None if context.check_hostname else False
            super().init_poolmanager(*args, **options, ssl_context=context, assert_hostname=named)
            self.poolmanager.pool_classes_by_scheme = {"https": Pool}

        def cert_verify(self, conn: Any, url: str, verify: Any, cert: Any) -> None:  # noqa: ARG002  its signature
            # The default would trust the authorities of certifi besides those of the context.
            conn.cert_reqs = "CERT_REQUIRED" if endpoint.tls.verify else "CERT_NONE"

    with requests.Session() as session:
        session.trust_env = False  # a proxy, a CA bundle or a .netrc of the environment would go before what fleet.yaml says
        session.verify = endpoint.tls.verify
        session.max_redirects = 0  # a password goes to nobody else
        session.headers["Accept-Encoding"] = "identity"  # what is not packed cannot be a thousand times as long as it looks
        session.hooks["response"].append(_refuse_unusable)
        session.mount("https://", Adapter())
        yield session


def _refuse_unusable(response: Any, **_options: Any) -> None:
    """Read an answer within the limits that all answers have, before the client does so without any.

    Raises:
        UnusableAnswerError: it is over one.
    """
    if response.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise UnusableAnswerError("it is packed, which was not asked for")
    body = bytearray()
    for piece in response.iter_content(_PIECE_BYTES):
        body += piece
        if len(body) > MOST_BYTES:
            raise UnusableAnswerError(too_large())
    response._content = bytes(body)  # noqa: SLF001  what `content` gives from now on; there is no public way to read with a limit
    if response.status_code == 200:
        json_value(response.content)


@contextmanager
def _translated(endpoint: Endpoint, doing: str) -> Iterator[None]:
    """Turn the client's errors into ours; they are cut off, for they may hold what was sent.

    Source: com.vmware.vapi.std.errors: Unauthenticated, Unauthorized, NotFound, OperationNotFound.
    """
    import requests

    std, core = _module("com.vmware.vapi.std.errors_client"), _module("vmware.vapi.exception")
    answers = _module("vmware.vapi.data.serializers.jsonrpc")
    what = f"endpoint {endpoint.name}: {doing}"
    try:
        yield
    except std.Unauthenticated:
        do = "check how this endpoint is logged in to by fleet.yaml."
        if isinstance(endpoint.login, OpenSession):
            do = "look whether it is still open; before vCenter 8.0.3 the Automation API takes no session of SOAP: log in by `sso:` there."
        raise CredentialsError(f"{what}: it refuses {endpoint.who}", why=_LOST, do=do) from None
    except std.Unauthorized:
        raise PermissionMissingError(f"{what}: Unauthorized", why=_LOST, do="give the account the role Read-only, propagated.") from None
    except (std.NotFound, std.OperationNotFound) as error:
        do = "check that this vCenter is of release 6.5 or later."
        raise NotThereError(f"{what}: {type(error).__name__}", why=_LOST, do=do) from None
    except (std.VapiError, core.CoreException, answers.JsonRpc20Error, RecursionError) as error:
        raise MalformedAnswerError(f"{what}: {type(error).__name__}", why=_LOST, do="look at vCenter's log.") from None
    except UnusableAnswerError as error:
        do = "check that the address is a vCenter's, and any proxy between."
        raise MalformedAnswerError(f"{what}: its answer is of no use: {error}", why=_LOST, do=do) from None
    except (requests.RequestException, OSError) as error:
        do = "check the address, the port and the firewall between."
        reason = _of_its_way(error) or type(error).__name__
        raise EndpointUnreachableError(f"{what}: {reason}", why=_LOST, do=do) from None


def _of_its_way(error: BaseException | None) -> str:
    """What a proxy that leads to the endpoint said, where that is behind an error of the client; "" elsewhere."""
    while error is not None and not isinstance(error, RouteError):
        error = error.__cause__ or error.__context__
    return "" if error is None else str(error)


def _module(name: str) -> Any:
    """A module of the client, which is silent about its own age."""
    with _IMPORTING, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return import_module(name)
