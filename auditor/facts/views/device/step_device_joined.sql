-- materialize: table
-- One row per host and device, in numbers: the one join over every device of every host. Dropped once step_device_row is made of it.
-- `driver_number` is NULL when no path tells the kernel module, or paths use several. ScsiDisk.localDisk is optional in the vSphere API: a disk
-- without it is an array's where its inquiry is, and else `is_shared` is NULL.
WITH scheduled AS (
    SELECT n.host_number, m.device_number, s.dsnro, s.is_vvol_pe
    FROM fact.device_scheduling AS s
    JOIN step_host_number AS n USING (endpoint, host_id)
    JOIN step_device_number AS m USING (device)
),
numbered AS (
    SELECT
        n.host_number,
        m.device_number,
        i.inquiry_number,
        m.array_number,
        m.name_family,
        i.family,
        d.is_protocol_endpoint,
        d.is_local,
        d.queue_depth,
        d.device,
        d.device_type
    FROM fact.device AS d
    JOIN step_host_number AS n USING (endpoint, host_id)
    LEFT JOIN step_device_number AS m ON m.device IS NOT DISTINCT FROM d.device
    LEFT JOIN step_inquiry AS i ON i.vendor IS NOT DISTINCT FROM d.vendor AND i.model IS NOT DISTINCT FROM d.model
        AND i.device_type IS NOT DISTINCT FROM d.device_type
),
classified AS (
    SELECT t.*, s.dsnro, coalesce(t.is_protocol_endpoint, s.is_vvol_pe, starts_with(t.device, 'naa.6f47acc2')) AS is_endpoint
    FROM numbered AS t
    LEFT JOIN scheduled AS s USING (host_number, device_number)
)
SELECT
    t.host_number,
    t.device_number,
    t.inquiry_number,
    t.array_number,
    c.driver_number,
    t.queue_depth,
    t.dsnro,
    t.is_endpoint AS is_protocol_endpoint,
    CASE WHEN t.is_endpoint THEN true WHEN t.device_type <> 'disk' THEN false WHEN t.is_local IS NULL AND believed_family(t.family, t.name_family) <> 'other' THEN true ELSE NOT t.is_local END AS is_shared
FROM classified AS t
LEFT JOIN step_device_driver AS c USING (host_number, device_number);
