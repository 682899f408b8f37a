"""com.vmware.cis.tagging.category and .tag. Source: com.vmware.cis.tagging_client of the client that VMware publishes.

Privileges: "the create category privilege" and so on of the same source, with the names in vCenter's own list (govmomi,
simulator/esx/authorization_manager.go).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from auditor_lab.vcenter.vapi.errors import VapiError, invalid_argument, message
from auditor_lab.vcenter.vapi.operations import Operation
from auditor_lab.vcenter.vapi.tags import Category, Tag, category_id, tag_id
from auditor_lab.vcenter.vapi.values import Structure

if TYPE_CHECKING:
    from collections.abc import Iterable

    from auditor_lab.vcenter.vapi.operations import Call

_CARDINALITIES = ("SINGLE", "MULTIPLE")
_PRIVILEGES = "InventoryService.Tagging."


def _list_categories(call: Call) -> list[str]:
    return list(call.stored.tags.categories)


def _get_category(call: Call) -> Structure:
    one = _category(call)
    fields = {
        "id": one.id,
        "name": one.name,
        "description": one.description,
        "cardinality": one.cardinality,
        "associable_types": one.associable_types,
        "used_by": one.used_by,
    }
    return Structure("com.vmware.cis.tagging.category_model", fields)


def _create_category(call: Call) -> str:
    spec, known = call.arguments.structure("create_spec"), call.stored.tags.categories
    key = spec.text_or_none("category_id") or category_id()
    one = Category(key, spec.text("name"), spec.text("description"), spec.text("cardinality"), set(spec.texts("associable_types")))
    _check_name(one.name, known.values())
    _check_cardinality(one.cardinality)
    if key in known:
        raise _exists(key)
    known[key] = one
    return key


def _update_category(call: Call) -> None:
    """Change the given fields; associable types can only grow. That cardinality can only become MULTIPLE is known."""
    one, spec = _category(call), call.arguments.structure("update_spec")
    cardinality, types = spec.text_or_none("cardinality") or one.cardinality, spec.texts_or_none("associable_types")
    _check_cardinality(cardinality)
    if one.cardinality == "MULTIPLE" and cardinality == "SINGLE":
        raise invalid_argument("A category that allows several tags cannot be made to allow one.")
    if types and not (one.associable_types and one.associable_types <= set(types)):
        raise invalid_argument("The associable types of a category can only grow.")
    _rename(one, spec.text_or_none("name"), call.stored.tags.categories.values())
    one.description = one.description if spec.text_or_none("description") is None else spec.text("description")
    one.cardinality = cardinality
    one.associable_types = one.associable_types if types is None else set(types)


def _delete_category(call: Call) -> None:
    tags, one = call.stored.tags, _category(call)
    for tag in tags.in_category(one.id):
        tags.delete(tag)
    del tags.categories[one.id]


def _list_tags(call: Call) -> list[str]:
    return list(call.stored.tags.tags)


def _list_tags_for_category(call: Call) -> list[str]:
    return [tag.id for tag in call.stored.tags.in_category(_category(call).id)]


def _get_tag(call: Call) -> Structure:
    one = _tag(call)
    fields = {"id": one.id, "category_id": one.category_id, "name": one.name, "description": one.description, "used_by": one.used_by}
    return Structure("com.vmware.cis.tagging.tag_model", fields)


def _create_tag(call: Call) -> str:
    spec, tags = call.arguments.structure("create_spec"), call.stored.tags
    category = tags.category(spec.text("category_id"))
    key = spec.text_or_none("tag_id") or tag_id()
    one = Tag(key, category.id, spec.text("name"), spec.text("description"))
    _check_name(one.name, tags.in_category(category.id))
    if key in tags.tags:
        raise _exists(key)
    tags.tags[key] = one
    return key


def _update_tag(call: Call) -> None:
    one, spec = _tag(call), call.arguments.structure("update_spec")
    _rename(one, spec.text_or_none("name"), call.stored.tags.in_category(one.category_id))
    one.description = one.description if spec.text_or_none("description") is None else spec.text("description")


def _delete_tag(call: Call) -> None:
    call.stored.tags.delete(_tag(call))


def _category(call: Call) -> Category:
    return call.stored.tags.category(call.arguments.text("category_id"))


def _tag(call: Call) -> Tag:
    return call.stored.tags.tag(call.arguments.text("tag_id"))


def _add_to_used_by(find: Any, call: Call) -> None:
    find(call).used_by.add(call.arguments.text("used_by_entity"))


def _remove_from_used_by(find: Any, call: Call) -> None:
    find(call).used_by.discard(call.arguments.text("used_by_entity"))


def _used_by(among: Iterable[Category | Tag], call: Call) -> list[str]:
    return [one.id for one in among if call.arguments.text("used_by_entity") in one.used_by]


def _rename(one: Category | Tag, name: str | None, among: Iterable[Category | Tag]) -> None:
    if name is not None and name != one.name:
        _check_name(name, among)
        one.name = name


def _check_name(name: str, among: Iterable[Category | Tag]) -> None:
    if not name:
        raise invalid_argument("A name is needed.")
    if any(one.name == name for one in among):
        raise _exists(name)


def _check_cardinality(cardinality: str) -> None:
    if cardinality not in _CARDINALITIES:
        raise invalid_argument(f"A cardinality is one of {', '.join(_CARDINALITIES)}, not {cardinality}.")


def _exists(what: str) -> VapiError:
    return VapiError("already_exists", [message("lab.already_exists", "%s exists already.", what)])


_CATEGORY, _CATEGORY_ID = "/cis/tagging/category", "/cis/tagging/category/{category_id}"
_TAG, _TAG_ID = "/cis/tagging/tag", "/cis/tagging/tag/{tag_id}"


def _named(service: str, operations: Mapping[str, Operation]) -> dict[str, Operation]:
    return {f"com.vmware.cis.tagging.{service}.{name}": operation for name, operation in operations.items()}


def _subscriptions(key: str, path: str, path_of_one: str, find: Any, among: Any, several: str) -> dict[str, Operation]:
    """The operations on `used_by`, which categories and tags share."""
    privilege = f"{_PRIVILEGES}ModifyUsedByFor{key.capitalize()}"
    return {
        f"list_used_{several}": Operation(lambda call: _used_by(among(call), call), "POST", path, f"list-used-{several}"),
        "add_to_used_by": Operation(
            lambda call: _add_to_used_by(find, call), "POST", path_of_one, "add-to-used-by", "", privilege, f"{key}_id"
        ),
        "remove_from_used_by": Operation(
            lambda call: _remove_from_used_by(find, call), "POST", path_of_one, "remove-from-used-by", "", privilege, f"{key}_id"
        ),
    }


OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    _named(
        "category",
        {
            "list": Operation(_list_categories, "GET", _CATEGORY),
            "get": Operation(_get_category, "GET", _CATEGORY_ID, resource="category_id"),
            "create": Operation(_create_category, "POST", _CATEGORY, "", "create_spec", f"{_PRIVILEGES}CreateCategory", status=201),
            "update": Operation(_update_category, "PATCH", _CATEGORY_ID, "", "update_spec", f"{_PRIVILEGES}EditCategory", "category_id"),
            "delete": Operation(_delete_category, "DELETE", _CATEGORY_ID, privilege=f"{_PRIVILEGES}DeleteCategory", resource="category_id"),
            **_subscriptions(
                "category", _CATEGORY, _CATEGORY_ID, _category, lambda call: call.stored.tags.categories.values(), "categories"
            ),
        },
    )
    | _named(
        "tag",
        {
            "list": Operation(_list_tags, "GET", _TAG),
            "list_tags_for_category": Operation(_list_tags_for_category, "POST", _TAG, "list-tags-for-category", resource="category_id"),
            "get": Operation(_get_tag, "GET", _TAG_ID, resource="tag_id"),
            "create": Operation(_create_tag, "POST", _TAG, "", "create_spec", f"{_PRIVILEGES}CreateTag", status=201),
            "update": Operation(_update_tag, "PATCH", _TAG_ID, "", "update_spec", f"{_PRIVILEGES}EditTag", "tag_id"),
            "delete": Operation(_delete_tag, "DELETE", _TAG_ID, privilege=f"{_PRIVILEGES}DeleteTag", resource="tag_id"),
            **_subscriptions("tag", _TAG, _TAG_ID, _tag, lambda call: call.stored.tags.tags.values(), "tags"),
        },
    )
)
