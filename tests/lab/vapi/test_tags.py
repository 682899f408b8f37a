"""Tags of the Automation API, by VMware's own client."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from auditor.errors import ConfigurationError
from auditor_lab.scenario import parse_scenario
from auditor_lab.vcenter.server import VCenterServer
from tests.lab.vapi.conftest import CLIENT_WARNS, FLEET, ONE, Client, Connect, error, thing

pytestmark = CLIENT_WARNS


def test_described_tags_are_there_with_what_they_are_attached_to(client: Client) -> None:
    assert client.categories().keys() == {"owner", "tier"}
    owner, tags = client.category.get(client.categories()["owner"]), client.tags()
    assert (str(owner.cardinality), owner.associable_types) == ("SINGLE", set())
    assert client.tag.list_tags_for_category(owner.id) == [tags["storage"], tags["compute"]]
    assert tags["storage"].startswith("urn:vmomi:InventoryServiceTag:")
    assert client.tag.get(tags["storage"]).description == "the storage team"
    attached = client.association.list_attached_objects(tags["storage"])
    assert [(one.type, one.id) for one in attached] == [("HostSystem", "host-11"), ("Datastore", "datastore-101")]


def test_what_is_written_to_tags_sticks(vcenter: VCenterServer, client: Client, log_on: Connect) -> None:
    category = client.create_category("site")
    tag = client.create_tag("north", category)
    client.association.attach(tag, thing("VirtualMachine", "vm-1001"))
    client.association.attach(tag, thing("VirtualMachine", "vm-1001"))  # no error
    client.tag.update(tag, client.tag.UpdateSpec(name="south"))
    client.category.update(category, client.category.UpdateSpec(description="where it stands"))
    again = log_on(vcenter)
    assert again.tag.get(tag).name == "south"
    assert again.category.get(category).description == "where it stands"
    assert again.association.list_attached_tags(thing("VirtualMachine", "vm-1001")) == [tag]
    again.association.detach(tag, thing("VirtualMachine", "vm-1001"))
    assert client.association.list_attached_objects(tag) == []
    client.category.delete(category)
    assert tag not in again.tag.list()
    assert category not in again.category.list()


def test_a_tag_that_is_deleted_is_on_nothing_any_more(client: Client) -> None:
    client.tag.delete(client.tags()["storage"])
    assert client.association.list_attached_tags(thing("HostSystem", "host-11")) == []
    client.association.attach(client.tags()["compute"], thing("HostSystem", "host-11"))  # the category's one place is free


def test_tags_and_objects_are_listed_for_many_at_once(client: Client) -> None:
    tags = client.tags()
    client.association.attach(tags["gold"], thing("Datastore", "datastore-101"))
    asked = [thing("Datastore", "datastore-101"), thing("HostSystem", "host-11"), thing("HostSystem", "host-12")]
    found = client.association.list_attached_tags_on_objects(asked)
    assert {one.object_id.id: one.tag_ids for one in found} == {
        "datastore-101": [tags["storage"], tags["gold"]],
        "host-11": [tags["storage"]],
    }
    (reported,) = client.association.list_attached_objects_on_tags([tags["gold"]])
    assert (reported.tag_id, [one.id for one in reported.object_ids]) == (tags["gold"], ["datastore-101"])


def test_a_category_says_what_its_tags_can_be_attached_to(client: Client) -> None:
    tags = client.tags()
    with pytest.raises(error("InvalidArgument")):  # one of the category at most
        client.association.attach(tags["compute"], thing("HostSystem", "host-11"))
    with pytest.raises(error("InvalidArgument")):  # datastores alone
        client.association.attach(tags["gold"], thing("HostSystem", "host-11"))
    assert client.association.list_attachable_tags(thing("HostSystem", "host-12")) == [tags["storage"], tags["compute"]]
    assert client.association.list_attachable_tags(thing("Datastore", "datastore-101")) == [tags["gold"]]


@pytest.mark.parametrize(
    ("before", "after", "good"),
    [
        pytest.param({"Datastore"}, {"Datastore", "HostSystem"}, True, id="one more type"),
        pytest.param({"Datastore"}, {"HostSystem"}, False, id="another type"),
        pytest.param(set(), {"Datastore"}, False, id="one instead of all"),
    ],
)
def test_the_types_of_a_category_only_grow(client: Client, before: set[str], after: set[str], good: bool) -> None:
    key = client.create_category("site", *before)
    update = client.category.UpdateSpec(associable_types=after)
    if good:
        client.category.update(key, update)
    else:
        with pytest.raises(error("InvalidArgument")):
            client.category.update(key, update)
    assert client.category.get(key).associable_types == (after if good else before)


def test_a_category_that_allows_several_tags_stays_so(client: Client) -> None:
    tier, owner = client.categories()["tier"], client.categories()["owner"]
    with pytest.raises(error("InvalidArgument")):
        client.category.update(tier, client.category.UpdateSpec(cardinality="SINGLE"))
    client.category.update(owner, client.category.UpdateSpec(cardinality="MULTIPLE"))
    client.association.attach(client.tags()["compute"], thing("HostSystem", "host-11"))


def test_names_are_there_once(client: Client) -> None:
    owner, tier = client.categories()["owner"], client.categories()["tier"]
    with pytest.raises(error("AlreadyExists")):
        client.create_category("owner")
    with pytest.raises(error("AlreadyExists")):
        client.create_tag("storage", owner)
    with pytest.raises(error("AlreadyExists")):
        client.tag.update(client.tags()["compute"], client.tag.UpdateSpec(name="storage"))
    client.create_tag("storage", tier)


@pytest.mark.parametrize(
    "ask",
    [
        pytest.param(lambda client: client.tag.get("urn:gone"), id="tag"),
        pytest.param(lambda client: client.category.get("urn:gone"), id="category"),
        pytest.param(lambda client: client.create_tag("x", "urn:gone"), id="category of a new tag"),
        pytest.param(lambda client: client.association.attach("urn:gone", thing("HostSystem", "host-11")), id="tag to attach"),
        pytest.param(lambda client: client.configuration.get("domain-c99"), id="cluster"),
        pytest.param(lambda client: client.configuration.get(ONE, commit="gone"), id="commit"),
        pytest.param(lambda client: client.drafts.get(ONE, "gone"), id="draft"),
        pytest.param(lambda client: client.last.get(ONE), id="compliance that nobody checked"),
    ],
)
def test_what_is_not_there_is_not_found(client: Client, ask: Callable[[Client], Any]) -> None:
    with pytest.raises(error("NotFound")) as raised:
        ask(client)
    assert str(raised.value.error_type) == "NOT_FOUND"
    assert raised.value.messages[0].default_message


def test_a_batch_does_what_can_be_done_and_tells_the_rest(client: Client) -> None:
    tags = client.tags()
    reported = client.association.attach_multiple_tags_to_object(thing("HostSystem", "host-12"), ["urn:gone", tags["storage"]])
    assert reported.success is False
    assert [one.id for one in reported.error_messages] == ["cis.tagging.objectNotFound.error"]
    assert client.association.list_attached_tags(thing("HostSystem", "host-12")) == [tags["storage"]]
    everything = [thing("HostSystem", key) for key in ("host-11", "host-12")]
    assert client.association.detach_tag_from_multiple_objects(tags["storage"], everything).success is True
    assert [one.id for one in client.association.list_attached_objects(tags["storage"])] == ["datastore-101"]


@pytest.mark.parametrize(
    ("kind", "key"),
    [("HostSystem", "host-99"), ("ClusterComputeResource", "domain-c99"), ("Nonsense", "host-11"), ("Datacenter", "host-11")],
)
def test_an_object_that_is_not_there_has_no_tags(client: Client, kind: str, key: str) -> None:
    with pytest.raises(error("Unauthorized")):
        client.association.list_attached_tags(thing(kind, key))
    with pytest.raises(error("InvalidArgument")):
        client.association.attach(client.tags()["compute"], thing(kind, key))


@pytest.mark.parametrize(("kind", "key"), [("ClusterComputeResource", ONE), ("Datacenter", "datacenter-2"), ("Folder", "group-h3")])
def test_a_tag_can_be_attached_to_what_is_no_machine(client: Client, kind: str, key: str) -> None:
    client.association.attach(client.tags()["compute"], thing(kind, key))
    assert [one.id for one in client.association.list_attached_objects(client.tags()["compute"])] == [key]


def test_who_uses_a_category_is_kept(client: Client) -> None:
    tier = client.categories()["tier"]
    client.category.add_to_used_by(tier, "backup")
    assert client.category.get(tier).used_by == {"backup"}
    assert client.category.list_used_categories("backup") == [tier]
    client.category.remove_from_used_by(tier, "backup")
    assert client.category.list_used_categories("backup") == []


@pytest.mark.parametrize(
    ("slip", "why"),
    [
        pytest.param(("objects: [esx-1, fast]", "objects: [esx-77]"), "nothing named", id="an object there is not"),
        pytest.param(("name: vm-1,", "name: fast,"), "several things named", id="a name two things have"),
    ],
)
def test_a_scenario_with_a_tag_for_something_unclear_is_refused(slip: tuple[str, str], why: str) -> None:
    with pytest.raises(ConfigurationError, match=why):
        parse_scenario(FLEET.replace(*slip), "slip")
