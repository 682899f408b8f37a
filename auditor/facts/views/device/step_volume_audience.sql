-- materialize: table
-- Who may see a volume, by the array's own lists: how many ESXi hosts, and what was read of them. A volume that nobody was given has no row.
-- `hosts_read`: the devices of each of them were read, and how they are scheduled; `datastores_read`: all datastores of their vCenters were.
-- False as soon as one initiator is no known adapter, since it may be that of a host that was not read. An array host without initiators lets
-- nobody in. On Element a host may also log in by its account's secret, which only its session shows (docs/domain/arrays.md#audience).
WITH adapter AS (
    SELECT DISTINCT
        b.initiator,
        b.endpoint || '/' || b.host_id AS host_key,
        r.devices_read AND r.device_scheduling_read AS hosts_read,
        coalesce(e.datastores_read, false) AS datastores_read
    FROM fact.hba AS b
    JOIN step_host_reading AS r USING (endpoint, host_id)
    LEFT JOIN step_endpoint_reading AS e USING (endpoint)
    WHERE b.initiator IS NOT NULL
),
named AS (
    SELECT
        i.endpoint,
        i.array_host_id,
        count(DISTINCT b.host_key) AS hosts,
        bool_and(coalesce(b.hosts_read, false)) AS hosts_read,
        bool_and(coalesce(b.datastores_read, false)) AS datastores_read
    FROM fact.array_initiator AS i
    LEFT JOIN adapter AS b USING (initiator)
    GROUP BY i.endpoint, i.array_host_id
),
admitted AS (
    SELECT
        c.endpoint,
        c.volume_id,
        sum(coalesce(n.hosts, 0)) AS hosts,
        bool_and(coalesce(n.hosts_read, true)) AS hosts_read,
        bool_and(coalesce(n.datastores_read, true)) AS datastores_read
    FROM fact.array_connection AS c
    LEFT JOIN named AS n USING (endpoint, array_host_id)
    GROUP BY c.endpoint, c.volume_id
    UNION ALL
    SELECT
        s.endpoint,
        s.volume_id,
        count(DISTINCT b.host_key) AS hosts,
        bool_and(coalesce(b.hosts_read, false)) AS hosts_read,
        bool_and(coalesce(b.datastores_read, false)) AS datastores_read
    FROM fact.array_session AS s
    LEFT JOIN adapter AS b USING (initiator)
    WHERE s.volume_id IS NOT NULL
    GROUP BY s.endpoint, s.volume_id
)
SELECT
    endpoint,
    volume_id,
    CAST(max(hosts) AS BIGINT) AS hosts,
    bool_and(hosts_read) AS hosts_read,
    bool_and(datastores_read) AS datastores_read
FROM admitted
GROUP BY endpoint, volume_id;
