"""The lab's vCenter answers with faults also in a process that uses Dask, which changes how exceptions are copied."""

import copyreg

import pytest
from pyVmomi import vim, vmodl
from tblib import pickling_support

from auditor_lab.vcenter.soap.envelope import serialise, wire_version


def test_a_property_that_may_not_be_read_is_named_where_dask_copies_exceptions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copyreg, "dispatch_table", dict(copyreg.dispatch_table))
    fault = vim.fault.NoPermission(privilegeId="System.Read")
    pickling_support.install(type(fault))
    monkeypatch.setattr("copy.dispatch_table", copyreg.dispatch_table)
    named = vmodl.LocalizedMethodFault(fault=fault, localizedMessage="no")
    text = serialise(named, "fault", vmodl.LocalizedMethodFault, wire_version("8.0.2.0"))
    assert "<privilegeId>System.Read</privilegeId>" in text
    assert fault.privilegeId == "System.Read"
