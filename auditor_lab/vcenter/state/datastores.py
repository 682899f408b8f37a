"""The state of each simulated datastore: its description, and its Storage I/O Control settings as last written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor_lab.vcenter.state.event_log import OnChange, Watched

if TYPE_CHECKING:
    from auditor_lab.vcenter.description.datastores import DatastoreDescription


NORMAL, IN_MAINTENANCE = "normal", "inMaintenance"
"""DatastoreSummary.maintenanceMode. Source: DatastoreSummaryMaintenanceModeState in the vSphere API."""


class DatastoreState:
    """The state of one datastore; `on_change` is called for changes that cause events."""

    sioc_enabled = Watched[bool]()
    sioc_mode = Watched[str]()
    sioc_threshold_ms = Watched[int]()
    sioc_statistics = Watched[bool]()
    sioc_percent_of_peak = Watched[int]()
    on_change: OnChange | None = None

    def __init__(self, description: DatastoreDescription, moid: str) -> None:
        self.description = description
        self.moid = moid
        self.sioc_enabled = description.sioc.enabled
        self.sioc_mode = description.sioc.mode
        self.sioc_threshold_ms = description.sioc.threshold_ms
        self.sioc_statistics = description.sioc.statistics
        self.sioc_percent_of_peak = description.sioc.percent_of_peak
        self.sioc_without_aggregation = False
        self.maintenance_mode = description.maintenance_mode
        self.unmap_priority = description.unmap_priority
