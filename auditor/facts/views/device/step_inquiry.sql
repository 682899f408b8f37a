-- materialize: table
-- One row per answer to an inquiry under a small number, with the array family it means. `is_namespace`: an NVMe namespace, whose vendor ESXi shows
-- as NVMe, and no SCSI LUN; NULL when the inquiry was not read (docs/domain/facts.md#2).
SELECT
    CAST(row_number() OVER () AS INTEGER) AS inquiry_number,
    i.vendor,
    i.model,
    i.device_type,
    f.family,
    lower(i.vendor) = 'nvme' AS is_namespace
FROM (SELECT DISTINCT vendor, model, device_type FROM fact.device) AS i
LEFT JOIN step_family AS f ON f.vendor IS NOT DISTINCT FROM i.vendor AND f.model IS NOT DISTINCT FROM i.model;
