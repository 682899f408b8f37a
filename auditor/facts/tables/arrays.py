"""What arrays say of themselves: systems, alerts, nodes."""

from __future__ import annotations

from auditor.facts.table import ENDPOINT, table

WHOLE_ARRAY_TABLES = (
    table(
        "array",
        "Storage arrays that answered.",
        ENDPOINT,
        ("family", "VARCHAR", "a name of the family table, for example solidfire"),
        ("name", "VARCHAR", "the array's own name"),
        ("array_id", "VARCHAR", "unique id as the array reports it"),
        ("version", "VARCHAR", "operating software", "GetClusterVersionInfo"),
        ("model", "VARCHAR", "as the array reports it, for example DX90 or SCv3020; NULL when it does not", "controllers"),
        ("generation", "VARCHAR", "ETERNUS: S1, S2, ...; ONTAP: ASA r2, AFX; NULL when the array does not report it, or has none"),
        (
            "reports_alerts",
            "BOOLEAN",
            "ETERNUS: false where this account is answered in a form that does not report how it is; NULL elsewhere",
        ),
        (
            "latency_threshold_ms",
            "BIGINT",
            "Dell SC: above it relative priorities count; NULL when not reported, or there is none",
            "ScConfiguration",
        ),
        topic="array",
    ),
    table(
        "array_alert",
        "What an array reports as wrong with itself, as long as it is: faults, alerts.",
        ENDPOINT,
        ("alert_id", "VARCHAR", "unique within the endpoint"),
        ("severity", "VARCHAR", "what own_severity means: critical | error | warning | info; NULL when it is no word that is known"),
        ("own_severity", "VARCHAR", "as the array reports it, for example Major; NULL when it reports none"),
        ("code", "VARCHAR", "by which the vendor's documents know it, for example driveFailed; NULL when it reports none"),
        ("component", "VARCHAR", "what it is about; NULL when not reported"),
        ("summary", "VARCHAR", "in the array's words; NULL when it has none"),
        ("is_open", "BOOLEAN", "false when somebody acknowledged or suppressed it; NULL when it is not reported whether"),
        topic="alerts",
        key=("endpoint", "alert_id"),
        kept_for={
            "alert_id": "which alert to look up at the array",
            "own_severity": "which of the array's words severity was made of",
        },
    ),
    table(
        "array_node",
        "Storage nodes or controllers of an array.",
        ENDPOINT,
        ("node_id", "VARCHAR", ""),
        ("name", "VARCHAR", ""),
        ("state", "VARCHAR", "active | pending (Element), up | down | taken_over | ... (ONTAP), ready | ... (FlashArray)"),
        ("version", "VARCHAR", ""),
        ("model", "VARCHAR", "NULL when not reported"),
        (
            "role",
            "VARCHAR",
            "Element: Storage | Witness | Management | Compute; NULL when not reported, and elsewhere",
        ),
        ("is_fibre_channel", "BOOLEAN", "Element: it has a Fibre Channel target port group; NULL when not reported, and elsewhere"),
        topic="nodes",
        kept_for={"model": "which nodes of a cluster are of another model"},
    ),
)
