"""com.vmware.cis.tagging.tag_association: attaching tags to objects.

Source: com.vmware.cis.tagging_client of the client that VMware publishes; govmomi, vapi/tags (403 for an object that does not exist, the
messages of a batch). An unknown tag among several is ignored when they are only listed: known.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from auditor_lab.vcenter.vapi.errors import VapiError, invalid_argument, unreadable
from auditor_lab.vcenter.vapi.operations import Operation
from auditor_lab.vcenter.vapi.tags import exists
from auditor_lab.vcenter.vapi.values import ObjectId, Structure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from auditor_lab.vcenter.vapi.operations import Call
    from auditor_lab.vcenter.vapi.tags import Tag

_SERVICE = "com.vmware.cis.tagging.tag_association"
_PATH, _PATH_OF_TAG = "/cis/tagging/tag-association", "/cis/tagging/tag-association/{tag_id}"
_ATTACH = "InventoryService.Tagging.AttachTag"

T = TypeVar("T")


def _attach(call: Call) -> None:
    tag, target = _tag(call), call.arguments.object("object_id")
    if not exists(call.state, target):
        raise invalid_argument(f"{target.type}:{target.id} is not valid.")
    call.stored.tags.attach(tag, target)


def _detach(call: Call) -> None:
    call.stored.tags.detach(_tag(call), call.arguments.object("object_id"))


def _attach_tags(call: Call) -> Structure:
    target, tags = _object(call), call.stored.tags
    return _batch(call.arguments.texts("tag_ids"), lambda key: tags.attach(tags.tag(key), target))


def _detach_tags(call: Call) -> Structure:
    target, tags = _object(call), call.stored.tags
    return _batch(call.arguments.texts("tag_ids"), lambda key: tags.detach(tags.tag(key), target))


def _attach_to_objects(call: Call) -> Structure:
    tag, tags = _tag(call), call.stored.tags
    return _batch(call.arguments.objects("object_ids"), lambda one: tags.attach(tag, _seen(call, one)))


def _detach_from_objects(call: Call) -> Structure:
    tag, tags = _tag(call), call.stored.tags
    return _batch(call.arguments.objects("object_ids"), lambda one: tags.detach(tag, _seen(call, one)))


def _list_attached_objects(call: Call) -> list[Structure]:
    return [one.value() for one in _tag(call).objects]


def _list_attached_objects_on_tags(call: Call) -> list[Structure]:
    known = call.stored.tags.tags
    return [
        Structure(f"{_SERVICE}.tag_to_objects", {"tag_id": key, "object_ids": [one.value() for one in known[key].objects]})
        for key in call.arguments.texts("tag_ids")
        if key in known
    ]


def _list_attached_tags(call: Call) -> list[str]:
    return list(call.stored.tags.of_object.get(_object(call), ()))


def _list_attached_tags_on_objects(call: Call) -> list[Structure]:
    """The tags of several objects; objects without tags are left out: known."""
    held = call.stored.tags.of_object
    return [
        Structure(f"{_SERVICE}.object_to_tags", {"object_id": one.value(), "tag_ids": list(held[one])})
        for one in call.arguments.objects("object_ids")
        if one in held
    ]


def _list_attachable_tags(call: Call) -> list[str]:
    target, tags = _object(call), call.stored.tags
    return [tag.id for tag in tags.tags.values() if target not in tag.objects and not tags.why_not(tag, target)]


def _tag(call: Call) -> Tag:
    return call.stored.tags.tag(call.arguments.text("tag_id"))


def _object(call: Call) -> ObjectId:
    return _seen(call, call.arguments.object("object_id"))


def _seen(call: Call, target: ObjectId) -> ObjectId:
    if not exists(call.state, target):
        raise unreadable(f"{target.type}:{target.id}")
    return target


def _batch(several: Iterable[T], do: Callable[[T], None]) -> Structure:
    """Do it to every object where it is possible; the result names the others."""
    troubles: list[Any] = []
    for one in several:
        try:
            do(one)
        except VapiError as error:
            troubles += error.value.fields["messages"]
    return Structure(f"{_SERVICE}.batch_result", {"success": not troubles, "error_messages": troubles})


def _operations() -> dict[str, Operation]:
    of_tag = {
        "attach": (_attach, _ATTACH),
        "detach": (_detach, _ATTACH),
        "attach_tag_to_multiple_objects": (_attach_to_objects, _ATTACH),
        "detach_tag_from_multiple_objects": (_detach_from_objects, _ATTACH),
        "list_attached_objects": (_list_attached_objects, "System.Read"),
    }
    others = {
        "attach_multiple_tags_to_object": (_attach_tags, _ATTACH),
        "detach_multiple_tags_from_object": (_detach_tags, _ATTACH),
        "list_attached_tags": (_list_attached_tags, "System.Read"),
        "list_attached_tags_on_objects": (_list_attached_tags_on_objects, "System.Read"),
        "list_attached_objects_on_tags": (_list_attached_objects_on_tags, "System.Read"),
        "list_attachable_tags": (_list_attachable_tags, "System.Read"),
    }
    return {
        f"{_SERVICE}.{name}": Operation(run, "POST", path, name.replace("_", "-"), privilege=privilege, resource=resource)
        for path, resource, several in ((_PATH_OF_TAG, "tag_id", of_tag), (_PATH, "", others))
        for name, (run, privilege) in several.items()
    }


OPERATIONS: Mapping[str, Operation] = MappingProxyType(_operations())
