"""The properties that SARIF's schema allows and requires, from the object model that is made from it."""

from typing import Any

CHILDREN = {
    "SarifLog": {"runs": "Run"},
    "Run": {"tool": "Tool", "automationDetails": "RunAutomationDetails", "invocations": "Invocation", "results": "Result"},
    "Tool": {"driver": "ToolComponent"},
    "ToolComponent": {"rules": "ReportingDescriptor"},
    "ReportingDescriptor": {
        "shortDescription": "MultiformatMessageString",
        "fullDescription": "MultiformatMessageString",
        "help": "MultiformatMessageString",
        "defaultConfiguration": "ReportingConfiguration",
    },
    "Invocation": {"toolExecutionNotifications": "Notification"},
    "Notification": {"message": "Message", "locations": "Location"},
    "Result": {"message": "Message", "locations": "Location", "suppressions": "Suppression"},
    "Location": {"logicalLocations": "LogicalLocation"},
}
"""The objects of a report: property -> the class of its values."""


def conforms(value: Any, kind: str) -> None:
    """Hold an object to the properties that the schema allows and requires."""
    import sarif_om

    fields = {field.metadata["schema_property_name"]: field for field in getattr(sarif_om, kind).__attrs_attrs__}
    assert set(value) <= set(fields), kind
    assert {name for name, field in fields.items() if field.default.__class__.__name__ == "_Nothing"} <= set(value), kind
    for name, child in CHILDREN.get(kind, {}).items():
        held = value.get(name, [])
        for one in held if isinstance(held, list) else [held]:
            conforms(one, child)
