"""The sheets of the inventory, in their order, which stays as it is: a new sheet or column comes last."""

from __future__ import annotations

from auditor.report.inventory.host_sheets import ADAPTERS, DEVICES, HOSTS, PATHS
from auditor.report.inventory.storage_sheets import ARRAYS, DATASTORES, GAPS, POOLS, VIRTUAL_DISKS, VOLUMES

SHEETS = (HOSTS, ADAPTERS, DEVICES, PATHS, DATASTORES, VIRTUAL_DISKS, ARRAYS, POOLS, VOLUMES, GAPS)
