-- materialize: table
-- What was read of every host that may see a device, where its array's lists say who that is: then nobody else has to be known.
-- `hosts_read`: all they see was read; `datastores_read`: and all datastores of their vCenters. False where the lists were not read whole, where
-- they name fewer hosts than are known to see it, and for a stretched volume with one array that was read.
WITH side AS (
    SELECT
        v.device,
        v.endpoint,
        coalesce(u.hosts, 0) AS hosts,
        coalesce(u.hosts_read, true) AS hosts_read,
        coalesce(u.datastores_read, true) AS datastores_read,
        coalesce(r.array_hosts_read AND r.connections_read AND (r.sessions_read OR a.family <> 'solidfire'), false) AS lists_read
    FROM step_volume AS v
    JOIN step_array AS a USING (endpoint)
    LEFT JOIN step_endpoint_reading AS r USING (endpoint)
    LEFT JOIN step_volume_audience AS u USING (endpoint, volume_id)
    WHERE v.device IS NOT NULL AND NOT coalesce(v.is_virtual, false)
),
together AS (
    SELECT
        device,
        count(DISTINCT endpoint) AS arrays,
        sum(hosts) AS hosts,
        bool_and(hosts_read) AS hosts_read,
        bool_and(datastores_read) AS datastores_read,
        bool_and(lists_read) AS lists_read
    FROM side
    GROUP BY device
),
known AS (
    SELECT
        t.device,
        any_value(t.hosts_read) AS hosts_read,
        any_value(t.datastores_read) AS datastores_read,
        any_value(t.lists_read AND NOT d.is_ambiguous AND (t.arrays > 1 OR NOT d.is_stretched))
            AND any_value(t.hosts) >= coalesce(max(s.hosts), 0) AS is_known
    FROM together AS t
    JOIN step_array_device AS d USING (device)
    LEFT JOIN step_seen_device AS s USING (device)
    GROUP BY t.device
)
SELECT device, is_known AND hosts_read AS hosts_read, is_known AND datastores_read AS datastores_read
FROM known;
