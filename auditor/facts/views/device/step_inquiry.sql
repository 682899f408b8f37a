-- materialize: table
-- One row per answer to an inquiry and operational state under a small number, with the array family it means. `is_namespace`: an NVMe namespace, whose vendor
-- ESXi shows as NVMe, and no SCSI LUN; NULL when the inquiry was not read (docs/domain/facts.md#2). `special_purpose`: of what holds no data of machines
-- (facts/special_devices.py). `is_detached`: by an administrator. Neither such devices nor detached ones are disks of an array: `is_aside`.
-- Source: VIM API reference, ScsiLun.operationalState (the first state is the primary one) and ScsiLunState.
WITH seen AS (
    SELECT DISTINCT
        vendor,
        model,
        device_type,
        main_state(operational_state) AS device_state,
        is_tiny_disk(size_bytes) AS is_tiny
    FROM fact.device
),
named AS (
    SELECT
        *,
        coalesce(
            purpose_of_device(vendor, model, is_tiny),
            CASE WHEN vendor IS NOT NULL AND model IS NOT NULL AND (is_tiny IS NOT NULL OR purpose_of_device(vendor, model, true) IS NULL) THEN 'none' END
        ) AS special_purpose,
        device_state = 'off' AS is_detached
    FROM seen
)
SELECT
    CAST(row_number() OVER () AS INTEGER) AS inquiry_number,
    i.vendor,
    i.model,
    i.device_type,
    i.device_state,
    i.is_tiny,
    f.family,
    i.special_purpose,
    lower(i.vendor) = 'nvme' AS is_namespace,
    i.is_detached,
    i.is_detached OR i.special_purpose <> 'none' AS is_aside
FROM named AS i
LEFT JOIN step_family AS f ON f.vendor IS NOT DISTINCT FROM i.vendor AND f.model IS NOT DISTINCT FROM i.model;
