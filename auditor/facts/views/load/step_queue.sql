-- materialize: table
-- One row per host and device on which commands passed in the last five minutes, or where that is not known, in numbers: its load, where that
-- counts, and what the disks of the host's machines send to it. `outstanding` is NULL where not all of them are known, or what they do.
WITH counted AS (
    SELECT l.host_number, l.device_number, l.load_key, k.commands_per_second
    FROM step_device_load AS l
    JOIN step_load AS k USING (load_key)
    JOIN step_host_number AS n USING (host_number)
    LEFT JOIN step_load_reading AS t ON t.endpoint = n.endpoint AND t.scope = n.host_id AND t.topic = 'device_load'
    WHERE k.samples >= 5 AND coalesce(epoch(t.read_at) - epoch(k.sampled_at) <= 900, true)
),
chosen AS (
    SELECT r.host_number, r.device_number, l.load_key
    FROM step_device_row AS r
    LEFT JOIN counted AS l USING (host_number, device_number)
    WHERE l.commands_per_second IS DISTINCT FROM 0
),
sent AS (
    SELECT
        endpoint,
        host_id,
        device,
        count(*) FILTER (WHERE runs AND (outstanding > 0 OR commands_per_second > 0)) AS worlds,
        sum(outstanding ORDER BY outstanding) FILTER (WHERE runs) AS outstanding,
        count(*) FILTER (WHERE runs IS NULL OR outstanding IS NULL) AS undetermined,
        count(*) FILTER (WHERE driver = 'iscsi_vmk' AND outstanding > 0 AND NOT coalesce(io_bytes <= largest_io_bytes, false)) AS split
    FROM disk_stream
    WHERE device IS NOT NULL
    GROUP BY endpoint, host_id, device
),
perhaps AS (
    -- Disks that lie on one of several devices, and nobody knows which.
    SELECT s.endpoint, s.host_id, x.device
    FROM disk_stream AS s
    JOIN fact.datastore_extent AS x ON x.endpoint = s.endpoint AND x.datastore_id = s.datastore_id
    WHERE s.device IS NULL AND s.rdm_mode IS NULL
    UNION
    SELECT s.endpoint, s.host_id, m.device
    FROM disk_stream AS s
    JOIN fact.vvol_mount AS m ON m.endpoint = s.endpoint AND m.datastore_id = s.datastore_id AND m.host_id = s.host_id
    WHERE s.device IS NULL AND s.rdm_mode IS NULL
),
anywhere AS (
    -- Disks, and machines whose disks or host were not read, that may send to any device of the host.
    SELECT endpoint, host_id FROM disk_stream WHERE device IS NULL AND (rdm_mode IS NOT NULL OR datastore_type IS NULL)
    UNION
    SELECT r.endpoint, r.host_id
    FROM step_host_reading AS r
    JOIN fact.vm AS vm ON vm.endpoint = r.endpoint AND coalesce(vm.host_id, r.host_id) = r.host_id
    JOIN step_guest AS g ON g.endpoint = vm.endpoint AND g.vm_id = vm.vm_id
    WHERE (NOT coalesce(vm.disks_read, false) OR vm.host_id IS NULL) AND g.runs IS DISTINCT FROM false
),
named AS (
    SELECT c.host_number, c.device_number, c.load_key, n.endpoint, n.host_id, m.device
    FROM chosen AS c
    JOIN step_host_number AS n USING (host_number)
    LEFT JOIN step_device_number AS m USING (device_number)
),
joined AS (
    SELECT
        d.host_number,
        d.device_number,
        d.load_key,
        coalesce(s.worlds, 0) AS worlds_at_least,
        e.vms_read AND p.device IS NULL AND y.host_id IS NULL AND coalesce(s.undetermined, 0) = 0 AS are_known,
        coalesce(s.outstanding, 0) AS known_outstanding,
        coalesce(s.split, 0) > 0 AS is_split
    FROM named AS d
    LEFT JOIN step_endpoint_reading AS e ON e.endpoint = d.endpoint
    LEFT JOIN sent AS s ON s.endpoint = d.endpoint AND s.host_id = d.host_id AND s.device = d.device
    LEFT JOIN perhaps AS p ON p.endpoint = d.endpoint AND p.host_id = d.host_id AND p.device = d.device
    LEFT JOIN anywhere AS y ON y.endpoint = d.endpoint AND y.host_id = d.host_id
)
SELECT
    host_number,
    device_number,
    load_key,
    worlds_at_least,
    are_known,
    CASE WHEN are_known THEN known_outstanding END AS outstanding,
    is_split
FROM joined;
