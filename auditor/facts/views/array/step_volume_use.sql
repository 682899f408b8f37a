-- materialize: table
-- Who uses each volume of an array: datastores, hosts, the device they see. A virtual volume's device is the protocol
-- endpoint it is reached by, and its host the one its machine runs on, or else those that see that endpoint.
-- Of the hosts and datastores that were read; NULL where none of them is known to use it.
WITH seen AS (
    -- Each vCenter's row tells the hosts of all of them.
    SELECT device, min(hosts) AS hosts, min(host_names) AS host_names FROM step_seen_device GROUP BY device
),
store AS (
    SELECT b.array_endpoint AS endpoint, b.volume_id, few(d.name) AS datastores
    FROM step_datastore_volume AS b
    JOIN fact.datastore AS d USING (endpoint, datastore_id)
    WHERE b.volume_id IS NOT NULL
    GROUP BY b.array_endpoint, b.volume_id
),
mounted AS (
    SELECT b.array_endpoint AS endpoint, b.volume_id, count(*) AS hosts, few(h.name) AS host_names
    FROM step_datastore_volume AS b
    JOIN fact.datastore_mount AS m USING (endpoint, datastore_id)
    JOIN fact.host AS h ON h.endpoint = m.endpoint AND h.host_id = m.host_id
    WHERE b.volume_id IS NOT NULL AND b.device IS NULL
    GROUP BY b.array_endpoint, b.volume_id
),
placed AS (
    -- Of several endpoints the hosts are known where the same ones see each.
    SELECT p.endpoint, p.volume_id, few(p.device) AS devices, CASE WHEN count(DISTINCT coalesce(s.host_names, '')) = 1 THEN any_value(s.hosts) END AS hosts,
        CASE WHEN count(DISTINCT coalesce(s.host_names, '')) = 1 THEN any_value(s.host_names) END AS host_names
    FROM step_vvol_place AS p
    LEFT JOIN seen AS s USING (device)
    GROUP BY p.endpoint, p.volume_id
)
SELECT
    v.endpoint,
    v.volume_id,
    v.name AS volume,
    v.svm,
    v.pool_id,
    CASE WHEN v.is_virtual THEN p.devices ELSE v.device END AS device,
    coalesce(s.datastores, m.datastore) AS datastores,
    coalesce(d.hosts, n.hosts, CASE WHEN m.host IS NOT NULL THEN len(m.host_keys) END, p.hosts) AS hosts,
    coalesce(d.host_names, n.host_names, m.host, p.host_names) AS host_names,
    m.disk AS vm_disk
FROM step_volume AS v
LEFT JOIN step_array_device AS a ON a.device = v.device AND NOT a.is_ambiguous AND NOT coalesce(v.is_virtual, false)
LEFT JOIN seen AS d ON d.device = a.device
LEFT JOIN store AS s ON s.endpoint = v.endpoint AND s.volume_id = v.volume_id
LEFT JOIN mounted AS n ON n.endpoint = v.endpoint AND n.volume_id = v.volume_id
LEFT JOIN placed AS p ON p.endpoint = v.endpoint AND p.volume_id = v.volume_id
LEFT JOIN step_vvol_vm AS m ON m.vvol_id = lower(v.vvol_id);
