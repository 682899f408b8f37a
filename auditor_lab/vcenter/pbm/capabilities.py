"""The capabilities that policies can require: those that storage providers publish, and the tags.

Source: the API reference of PbmCapabilityMetadata and its parts. The metadata of vSAN and of ESXi's own data services are not known and
left out. The category in which a real vCenter lists a provider's capabilities, and its vendor ids, are not known either: here they are the
provider's name, and an id derived from the namespace.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pyVmomi import pbm

from auditor_lab.vcenter.pbm.constraints import TAG_NAMESPACE
from auditor_lab.vcenter.pbm.operation import STORAGE, invalid
from auditor_lab.vcenter.pbm.placement import range_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditor_lab.vcenter.description.policies import StorageCapabilityDescription, StorageProviderDescription
    from auditor_lab.vcenter.pbm.operation import Operation, PolicyCall
    from auditor_lab.vcenter.vapi.tags import Category, Tags

_provider = pbm.capability.provider
_LINES_OF_SERVICE = _provider.LineOfServiceInfo.LineOfServiceEnum.values


def _metadata(call: PolicyCall) -> list[Any]:
    """Metadata by category; without a vendor also the tags, which are a category of their own."""
    call.check_resource_type()
    categories = [_of_provider(one) for one in _providers(call)]
    if not call.arguments.get("vendorUuid") and call.tags.categories:
        tags = [_of_tags(call.tags, one) for one in call.tags.categories.values()]
        categories.append(_provider.CapabilityObjectMetadataPerCategory(subCategory="tag", capabilityMetadata=tags))
    return categories


def _schema(call: PolicyCall) -> list[Any]:
    """Schemas of the providers; none for a line of service, because the lab's providers only store data."""
    lines = call.arguments.get("lineOfService", [])
    if any(one not in _LINES_OF_SERVICE for one in lines):
        raise invalid("lineOfService")
    return [
        _provider.CapabilityObjectSchema(
            vendorInfo=_vendor(one),
            namespaceInfo=_namespace(one),
            capabilityMetadataPerCategory=[_of_provider(one)],
            capabilityCategory="datastoreSpecific",
        )
        for one in _providers(call)
        if not lines or "PERSISTENCE" in lines
    ]


def _vendor_info(call: PolicyCall) -> list[Any]:
    call.check_resource_type()
    schema = _provider.CapabilityObjectSchema
    vendors = [schema.VendorNamespaceInfo(vendorInfo=_vendor(one), namespaceInfo=_namespace(one)) for one in _providers(call)]
    return [schema.VendorResourceTypeInfo(resourceType=STORAGE, vendorNamespaceInfo=vendors)]


def _resource_types(_asked: PolicyCall) -> list[Any]:
    return [pbm.profile.ResourceType(resourceType=STORAGE)]


def _providers(call: PolicyCall) -> Iterator[StorageProviderDescription]:
    """The providers of the requested vendor; providers with one namespace are listed once."""
    vendor, known = call.arguments.get("vendorUuid"), set()
    for provider in call.state.description.storage_providers:
        if provider.namespace not in known and vendor in (None, "", _vendor_uuid(provider)):
            known.add(provider.namespace)
            yield provider


def _of_provider(provider: StorageProviderDescription) -> Any:
    metadata = [_of_number(provider, one) for one in provider.capabilities]
    return _provider.CapabilityObjectMetadataPerCategory(subCategory=provider.name, capabilityMetadata=metadata)


def _of_number(provider: StorageProviderDescription, capability: StorageCapabilityDescription) -> Any:
    limited = capability.minimum is not None or capability.maximum is not None
    described = _described(f"{provider.namespace}.{capability.id}", capability.id, capability.label)
    return pbm.capability.CapabilityMetadata(
        id=pbm.capability.CapabilityMetadata.UniqueId(namespace=provider.namespace, id=capability.id),
        summary=described,
        mandatory=False,
        propertyMetadata=[
            pbm.capability.PropertyMetadata(
                id=capability.id,
                summary=_described(f"{provider.namespace}.{capability.id}.{capability.id}", capability.id, capability.label),
                mandatory=False,
                type=pbm.capability.TypeInfo(typeName="XSD_INT"),
                defaultValue=capability.default,
                allowedValue=range_of(capability) if limited else None,
            )
        ],
    )


def _of_tags(tags: Tags, category: Category) -> Any:
    key = f"com.vmware.storage.tag.{category.name}.property"
    names = [
        pbm.capability.types.DescriptiveValue(description=_described(one.name, one.name, one.description), value=one.name)
        for one in tags.in_category(category.id)
    ]
    return pbm.capability.CapabilityMetadata(
        id=pbm.capability.CapabilityMetadata.UniqueId(namespace=TAG_NAMESPACE, id=category.name),
        summary=_described(f"{TAG_NAMESPACE}.{category.name}", category.name, category.description),
        mandatory=False,
        propertyMetadata=[
            pbm.capability.PropertyMetadata(
                id=key,
                summary=_described(f"{TAG_NAMESPACE}.{category.name}.{key}", category.name, category.description),
                mandatory=False,
                type=pbm.capability.GenericTypeInfo(typeName="XSD_STRING", genericTypeName="VMW_SET"),
                allowedValue=pbm.capability.types.DiscreteSet(values=names),
                requirementsTypeHint="VMW_SET",
            )
        ],
    )


def _vendor(provider: StorageProviderDescription) -> Any:
    info = _described(provider.namespace, provider.name, provider.name)
    return _provider.CapabilityObjectSchema.VendorInfo(vendorUuid=_vendor_uuid(provider), info=info)


def _vendor_uuid(provider: StorageProviderDescription) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_DNS, provider.namespace))


def _namespace(provider: StorageProviderDescription) -> Any:
    return _provider.CapabilityObjectSchema.NamespaceInfo(version="1.0", namespace=provider.namespace)


def _described(prefix: str, key: str, label: str) -> Any:
    return pbm.ExtendedElementDescription(label=label or key, summary=label or key, key=key, messageCatalogKeyPrefix=prefix)


OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {
        "PbmFetchCapabilityMetadata": _metadata,
        "PbmFetchCapabilitySchema": _schema,
        "PbmFetchVendorInfo": _vendor_info,
        "PbmFetchResourceType": _resource_types,
    }
)
