-- materialize: table
-- One row per host and device, in numbers: the one join over every device of every host. Dropped once step_device_row is made of it.
-- `driver_number` is NULL when no path tells the kernel module, or paths use several. ScsiDisk.localDisk is optional in the vSphere API: a disk
-- without it is an array's where its inquiry is, and else `is_shared` is NULL. Two facts have two readings, vCenter's copy and the host's own esxcli:
-- where they differ neither is believed, and facts/two_readings.py leaves a gap.
-- A disk behind a SAS adapter or a controller in pass-through mode is reported as not local at times (DiskIsNonLocal in the vSphere API; a blade's
-- recorded LSI volume). It is the host's own where it has one path, by SAS, a block adapter or PCIe, one host alone sees it, and neither its inquiry,
-- nor its name, nor fleet.yaml makes it an array's; NULL while a host of its cluster was not read, unless the host is in vSAN, whose disks are never shared.
-- What was detached, or holds no data of machines (step_inquiry), is no disk of an array, whatever else is known of it.
WITH inner_path AS (
    SELECT p.host_number, p.device_number, h.vsan_enabled, q.devices_read
    FROM step_path_row AS p
    JOIN step_path_set AS s USING (set_key)
    JOIN step_host_number AS n ON n.host_number = p.host_number
    JOIN fact.host AS h USING (endpoint, host_id)
    JOIN step_host_reading AS r USING (endpoint, host_id)
    JOIN step_domain_reading AS q ON q.endpoint = r.endpoint AND q.domain_id = r.domain_id
    LEFT JOIN step_driver AS v ON v.driver_number = s.driver_number
    WHERE r.paths_read AND s.paths = 1
        AND (s.transport IN ('sas', 'block') OR (s.transport = 'nvme' AND v.driver IN ('nvme', 'nvme_pcie', 'iavmd')))
),
candidate AS (
    SELECT DISTINCT m.device_number, m.device
    FROM inner_path AS p
    JOIN step_device_number AS m USING (device_number)
    LEFT JOIN step_declared AS c USING (device)
    WHERE c.device IS NULL
),
lone AS (
    -- A name that starts with mpx. is of one host, whatever another host calls by it.
    SELECT c.device_number
    FROM candidate AS c
    JOIN fact.device AS d USING (device)
    GROUP BY c.device_number
    HAVING count(*) = 1 OR any_value(starts_with(c.device, 'mpx.'))
),
own AS (
    SELECT p.host_number, p.device_number, CASE WHEN any_value(p.vsan_enabled OR p.devices_read) THEN false END AS is_shared
    FROM inner_path AS p
    JOIN lone AS l USING (device_number)
    GROUP BY p.host_number, p.device_number
),
scheduled AS (
    SELECT n.host_number, m.device_number, s.dsnro, s.esxcli_queue_depth, s.is_vvol_pe
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
        i.is_aside,
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
        AND i.device_state IS NOT DISTINCT FROM main_state(d.operational_state)
        AND i.is_tiny IS NOT DISTINCT FROM is_tiny_disk(d.size_bytes)
),
classified AS (
    SELECT
        t.* REPLACE (CASE WHEN t.queue_depth <> s.esxcli_queue_depth THEN NULL ELSE t.queue_depth END AS queue_depth),
        s.dsnro,
        CASE
            WHEN t.is_protocol_endpoint <> s.is_vvol_pe THEN NULL
            ELSE coalesce(t.is_protocol_endpoint, s.is_vvol_pe, starts_with(t.device, 'naa.6f47acc2'))
        END AS is_endpoint
    FROM numbered AS t
    LEFT JOIN scheduled AS s USING (host_number, device_number)
)
SELECT
    t.host_number,
    t.device_number,
    t.inquiry_number,
    t.array_number,
    c.driver_number,
    t.is_endpoint AS is_protocol_endpoint,
    NOT t.is_aside AND CASE
        WHEN t.is_endpoint THEN true
        WHEN t.device_type <> 'disk' OR t.is_local THEN false
        WHEN o.host_number IS NOT NULL AND believed_family(t.family, t.name_family) = 'other' THEN o.is_shared
        WHEN t.is_local IS NULL AND believed_family(t.family, t.name_family) <> 'other' THEN true
        ELSE NOT t.is_local
    END AS is_shared,
    t.queue_depth,
    t.dsnro
FROM classified AS t
LEFT JOIN own AS o USING (host_number, device_number)
LEFT JOIN step_device_driver AS c USING (host_number, device_number);
