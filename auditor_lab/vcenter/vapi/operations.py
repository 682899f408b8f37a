"""The context of one request to the vSphere Automation API: its arguments, session and state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from auditor_lab.vcenter.vapi.errors import missing_field
from auditor_lab.vcenter.vapi.values import ObjectId

if TYPE_CHECKING:
    from auditor_lab.vcenter.soap.sessions import Session, Sessions
    from auditor_lab.vcenter.state.vcenter import VCenterState
    from auditor_lab.vcenter.vapi.commits import ClusterConfiguration
    from auditor_lab.vcenter.vapi.tags import Tags
    from auditor_lab.vcenter.vapi.tasks import Tasks


@dataclass(frozen=True, slots=True)
class Arguments:
    """The fields of a structure that a client sent; each method raises VapiError where a field is missing or has another type."""

    fields: Mapping[str, Any]
    where: str = "operation-input"

    def text(self, name: str) -> str:
        """A text field."""
        return self._of(name, str)  # type: ignore[no-any-return]

    def text_or_none(self, name: str) -> str | None:
        """A text field that may be unset."""
        return None if self.fields.get(name) is None else self.text(name)

    def number_or_none(self, name: str) -> int | None:
        """A whole number that may be unset."""
        return None if self.fields.get(name) is None else self._of(name, int)

    def flag(self, name: str) -> bool:
        """A boolean; unset is false."""
        return self.fields.get(name) is not None and bool(self._of(name, bool))

    def texts(self, name: str) -> list[str]:
        """A list or set of texts."""
        values = self._of(name, list)
        if not all(isinstance(one, str) for one in values):
            raise missing_field(self.where, name)
        return list(values)

    def texts_or_none(self, name: str) -> list[str] | None:
        """A list or set of texts that may be unset."""
        return None if self.fields.get(name) is None else self.texts(name)

    def structure(self, name: str) -> Arguments:
        """A nested structure."""
        return Arguments(self._of(name, dict), name)

    def structure_or_none(self, name: str) -> Arguments | None:
        """A nested structure that may be unset."""
        return None if self.fields.get(name) is None else self.structure(name)

    def object(self, name: str) -> ObjectId:
        """The identifier of an inventory object."""
        fields = self.structure(name)
        return ObjectId(fields.text("type"), fields.text("id"))

    def objects(self, name: str) -> list[ObjectId]:
        """The identifiers of several inventory objects."""
        values = self._of(name, list)
        if not all(isinstance(one, dict) for one in values):
            raise missing_field(self.where, name)
        return [ObjectId(one.text("type"), one.text("id")) for one in (Arguments(fields, name) for fields in values)]

    def _of(self, name: str, kind: type) -> Any:
        value = self.fields.get(name)
        if type(value) is not kind:
            raise missing_field(self.where, name)
        return value


@dataclass(slots=True)
class Stored:
    """What the services store besides the state of the fleet."""

    tags: Tags
    configurations: dict[str, ClusterConfiguration]  # by the cluster's name


@dataclass(frozen=True, slots=True)
class Call:
    """One request to the API.

    Attributes:
        session: None without a login.
        credentials: user name and password, where the request has them.
    """

    state: VCenterState
    stored: Stored
    tasks: Tasks
    sessions: Sessions
    arguments: Arguments
    session: Session | None = None
    credentials: tuple[str, str] | None = None

    @property
    def user(self) -> str:
        """The user who sends the request."""
        return self.session.user if self.session else ""


Run: TypeAlias = Callable[[Call], Any]
"""Answers an operation with a data value, None for void; raises VapiError."""


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation of a service, and its REST form.

    Attributes:
        method: HTTP method of the REST form; `path` is below /api, with the names of arguments in braces.
        action: of the query.
        body: the argument that is the whole body; empty where the body's members are the arguments.
        privilege: that the account needs.
        resource: the argument that names the object the privilege is needed on; empty for the service itself.
    """

    run: Run
    method: str
    path: str
    action: str = ""
    body: str = ""
    privilege: str = "System.Read"
    resource: str = ""
    status: int = 200
    without_session: bool = False
