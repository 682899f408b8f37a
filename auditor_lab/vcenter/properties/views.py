"""Service content, sessions, container views, and the property collector's methods."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pyVmomi import vim, vmodl

from auditor_lab.sites import site_uuid
from auditor_lab.vcenter import host_agent
from auditor_lab.vcenter.inventory.entities import ROOT, Managed
from auditor_lab.vcenter.operations import host_profiles
from auditor_lab.vcenter.properties.collector import Selected, contents, select
from auditor_lab.vcenter.soap.privileges import needed_for_property, no_permission

if TYPE_CHECKING:
    from collections.abc import Callable

    from auditor_lab.vcenter.context import Context, Operation
    from auditor_lab.vcenter.state.vcenter import VCenterState

_BIGGEST_PAGE = 1000  # objects in one answer when the request sets no limit; the real number is not documented


def service_content(state: VCenterState) -> Any:
    """ServiceContent; managers that the lab lacks are left out."""
    about = state.description
    if about.host_agent is not None:
        return host_agent.service_content(about)
    return vim.ServiceInstanceContent(
        rootFolder=ROOT,
        propertyCollector=vmodl.query.PropertyCollector("propertyCollector"),
        viewManager=vim.view.ViewManager("ViewManager"),
        sessionManager=vim.SessionManager("SessionManager"),
        searchIndex=vim.SearchIndex("SearchIndex"),
        storageResourceManager=vim.StorageResourceManager("StorageResourceManager"),
        perfManager=vim.PerformanceManager("PerfMgr"),
        setting=vim.option.OptionManager("VpxSettings"),
        eventManager=vim.event.EventManager("EventManager"),
        authorizationManager=vim.AuthorizationManager("AuthorizationManager"),
        taskManager=vim.TaskManager("TaskManager"),
        extensionManager=vim.ExtensionManager("ExtensionManager"),
        hostProfileManager=host_profiles.REFERENCE,
        about=vim.AboutInfo(
            name="VMware vCenter Server",
            fullName=f"VMware vCenter Server {about.version} build-{about.build}",
            vendor="VMware, Inc.",
            version=about.version,
            build=str(about.build),
            localeVersion="INTL",
            localeBuild="000",
            osType="linux-x64",
            productLineId="vpx",
            apiType="VirtualCenter",
            apiVersion=about.api_version,
            instanceUuid=site_uuid(str(uuid.uuid5(uuid.NAMESPACE_DNS, about.name)), about.site),
        ),
    )


def service_objects(state: VCenterState) -> list[Managed]:
    """The objects that `service_content` refers to."""
    return [
        Managed(vim.ServiceInstance, "ServiceInstance", {"content": lambda: service_content(state)}),
        Managed(vmodl.query.PropertyCollector, "propertyCollector", {}),
        Managed(vim.view.ViewManager, "ViewManager", {}),
        Managed(vim.SessionManager, "SessionManager", {"defaultLocale": lambda: "en"}),
        Managed(vim.SearchIndex, "SearchIndex", {}),
        Managed(vim.StorageResourceManager, "StorageResourceManager", {}),
        Managed(vim.TaskManager, "TaskManager", {"recentTask": lambda: [task for _, task in state.recent_tasks]}),
        *host_agent.licence_objects(state.description),
    ]


def _retrieve_content(context: Context, _this: Any, _arguments: Mapping[str, Any]) -> Any:
    return service_content(context.state)


def _current_time(context: Context, _this: Any, _arguments: Mapping[str, Any]) -> Any:
    skew = context.fault("skew")
    return datetime.now(UTC) + timedelta(seconds=skew.seconds if skew else 0.0)


def _login(context: Context, _this: Any, arguments: Mapping[str, Any]) -> Any:
    context.opened = context.sessions.login(arguments.get("userName", ""), arguments.get("password", ""))
    try:
        host_agent.check_lockdown(context.state.description, context.opened.user)
    except vim.fault.NoPermission:
        context.sessions.close(context.opened)
        context.opened = None
        raise
    return context.opened.about()


def _logout(context: Context, _this: Any, _arguments: Mapping[str, Any]) -> None:
    for view in context.logged_in.views:
        context.inventory.remove(view)
    context.sessions.close(context.logged_in)


def _fetch(context: Context, this: Any, arguments: Mapping[str, Any]) -> Any:
    managed = context.inventory.find(this)
    name = arguments["prop"]
    if managed.kind is vim.SessionManager and name == "currentSession":
        return context.session.about() if context.session else None
    try:
        privilege = needed_for_property(managed.kind, name)
    except AttributeError:
        raise vmodl.query.InvalidProperty(name=name, msg="") from None
    if privilege not in context.privileges:
        raise no_permission(this, privilege)
    return context.inventory.read(managed, name)


def _create_container_view(context: Context, _this: Any, arguments: Mapping[str, Any]) -> Any:
    container = context.inventory.find(arguments["container"])
    kinds = tuple(arguments.get("type") or [vim.ManagedEntity])
    recursive = bool(arguments.get("recursive"))
    moid = f"session[{context.logged_in.key}]{uuid.uuid4()}"

    properties: dict[str, Callable[[], Any]] = {
        "view": partial(_below, context, container, kinds, recursive),
        "container": lambda: container.reference,
        "type": lambda: list(kinds),
        "recursive": lambda: recursive,
    }
    reference = context.inventory.add(Managed(vim.view.ContainerView, moid, properties))
    context.logged_in.views.append(reference)
    return reference


def _below(context: Context, container: Managed, kinds: tuple[type, ...], recursive: bool) -> list[Any]:
    """The entities below `container`; a machine is below its folder, its host and its pool."""
    known: dict[str, bool] = {}  # objects passed on the way up

    def is_below(managed: Managed) -> bool:
        above = [managed.properties["parent"]()]
        if managed.kind is vim.VirtualMachine:
            above += [managed.properties["resourcePool"](), vim.HostSystem(context.state.vm_host[managed.moid])]
        ids = {one._GetMoId(): one for one in above if one is not None}  # noqa: SLF001  pyVmomi's accessor
        return container.moid in ids or (recursive and any(_reaches(moid, one) for moid, one in ids.items()))

    def _reaches(moid: str, reference: Any) -> bool:
        if moid not in known:
            known[moid] = is_below(context.inventory.find(reference))
        return known[moid]

    return [managed.reference for managed in context.inventory.entities(kinds) if is_below(managed)]


def _destroy_view(context: Context, this: Any, _arguments: Mapping[str, Any]) -> None:
    context.inventory.find(this)
    context.inventory.remove(this)


def _find_by_path(context: Context, _this: Any, arguments: Mapping[str, Any]) -> Any:
    """An entity by its inventory path, for example dc-1/host/cluster/host; None when there is none."""
    names = {managed.moid: managed for managed in context.inventory.entities()}
    here = ROOT._GetMoId()  # noqa: SLF001  pyVmomi's accessor
    for step in arguments["inventoryPath"].strip("/").split("/"):
        below = (
            moid
            for moid, managed in names.items()
            if (parent := context.inventory.read(managed, "parent")) is not None
            and parent._GetMoId() == here  # noqa: SLF001  as above
            and context.inventory.read(managed, "name") == step
        )
        child = next(below, None)
        if child is None:
            return None
        here = child
    return names[here].reference


def _retrieve_properties(context: Context, _this: Any, arguments: Mapping[str, Any]) -> Any:
    return contents(context.inventory, select(context.inventory, arguments["specSet"]), context.privileges, context.written)


def _retrieve_properties_ex(context: Context, _this: Any, arguments: Mapping[str, Any]) -> Any:
    selected = select(context.inventory, arguments["specSet"])
    options = arguments.get("options")
    size = options.maxObjects if options is not None else None
    if size is not None and size <= 0:
        raise vmodl.fault.InvalidArgument(invalidProperty="options.maxObjects", msg="")
    return _page(context, selected, size)


def _continue_retrieve(context: Context, _this: Any, arguments: Mapping[str, Any]) -> Any:
    selected, size = _unread(context, arguments["token"])
    return _page(context, selected, size)


def _cancel_retrieve(context: Context, _this: Any, arguments: Mapping[str, Any]) -> None:
    _unread(context, arguments["token"])


def _unread(context: Context, token: str) -> tuple[list[Selected], int | None]:
    try:
        return context.logged_in.unread.pop(token)
    except KeyError:
        raise vmodl.fault.InvalidArgument(invalidProperty="token", msg="A specified parameter was not correct: token") from None


def _page(context: Context, selected: list[Selected], size: int | None) -> Any:
    """One page of results; later pages are read when they are requested."""
    if not selected:
        return None
    some, rest = selected[: size or _BIGGEST_PAGE], selected[size or _BIGGEST_PAGE :]
    here = contents(context.inventory, some, context.privileges, context.written)
    token = None
    if rest:
        token = uuid.uuid4().hex
        context.logged_in.unread[token] = (rest, size)
    return vmodl.query.PropertyCollector.RetrieveResult(token=token, objects=here)


OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {
        "RetrieveServiceContent": _retrieve_content,
        "CurrentTime": _current_time,
        "Login": _login,
        "Logout": _logout,
        "Fetch": _fetch,
        "CreateContainerView": _create_container_view,
        "DestroyView": _destroy_view,
        "FindByInventoryPath": _find_by_path,
        "RetrieveProperties": _retrieve_properties,
        "RetrievePropertiesEx": _retrieve_properties_ex,
        "ContinueRetrievePropertiesEx": _continue_retrieve,
        "CancelRetrievePropertiesEx": _cancel_retrieve,
    }
)
