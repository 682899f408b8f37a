-- materialize: table
-- One row per datastore that a host of a cluster mounts, about the hosts of its clusters that are to have it: all of a cluster of which most hosts have it,
-- and those that see a disk on which it lies. `hosts` counts those of the cluster that has most, `without_mount` names those that lack it (the first five).
-- How many more, that answer and lack it, may be among the first is `hosts_open`, among the second `mounts_open`.
-- A few hosts may keep a datastore for themselves, as a backup server's, or where they alone reach its array. A host that does not answer, or on which somebody works, lacks nothing, and neither
-- does one whose mount is listed as unmounted. A name that begins with mpx. is a disk's on its own host alone.
-- Source: docs/domain/facts.md#5-14.
WITH member AS (
    SELECT
        h.endpoint,
        h.cluster_id,
        h.host_id,
        coalesce(h.name, h.host_id) AS host,
        h.connection_state = 'connected' AND NOT h.in_maintenance_mode AS is_asked,
        r.devices_read,
        r.hbas_read
    FROM fact.host AS h
    JOIN step_host_reading AS r USING (endpoint, host_id)
    WHERE h.cluster_id IS NOT NULL
),
sized AS (
    SELECT endpoint, cluster_id, count(*) AS hosts FROM member GROUP BY endpoint, cluster_id
),
place AS (
    SELECT m.endpoint, m.datastore_id, h.cluster_id, count(*) > 1 AND 2 * count(*) > z.hosts AS is_on_most
    FROM fact.datastore_mount AS m
    JOIN member AS h USING (endpoint, host_id)
    JOIN sized AS z ON z.endpoint = h.endpoint AND z.cluster_id = h.cluster_id
    GROUP BY m.endpoint, m.datastore_id, h.cluster_id, z.hosts
),
-- Namespaces of NVMe are behind adapters of their own, which a host need not have.
lying AS (
    SELECT endpoint, datastore_id, bool_or(starts_with(device, 'eui.') OR starts_with(device, 'uuid.')) AS may_be_nvme
    FROM fact.datastore_extent
    GROUP BY endpoint, datastore_id
),
by_nvme AS (
    SELECT DISTINCT endpoint, host_id FROM fact.hba WHERE kind = 'nvme' AND coalesce(driver, '') NOT IN ('nvme', 'nvme_pcie', 'iavmd')
),
seen AS (
    SELECT DISTINCT x.endpoint, x.datastore_id, d.host_id
    FROM fact.datastore_extent AS x
    JOIN fact.device AS d USING (endpoint, device)
    WHERE NOT starts_with(x.device, 'mpx.')
),
compared AS (
    SELECT
        p.endpoint,
        p.datastore_id,
        p.cluster_id,
        h.host,
        m.host_id IS NOT NULL OR NOT h.is_asked AS is_right,
        CASE
            WHEN m.host_id IS NOT NULL OR s.host_id IS NOT NULL THEN true
            WHEN p.is_on_most AND (n.host_id IS NOT NULL OR NOT coalesce(x.may_be_nvme, false)) THEN true
            WHEN p.is_on_most AND NOT h.hbas_read THEN NULL
            WHEN h.devices_read OR x.datastore_id IS NULL THEN false
        END AS is_to_have_it
    FROM place AS p
    JOIN member AS h USING (endpoint, cluster_id)
    LEFT JOIN lying AS x ON x.endpoint = p.endpoint AND x.datastore_id = p.datastore_id
    LEFT JOIN fact.datastore_mount AS m ON m.endpoint = p.endpoint AND m.datastore_id = p.datastore_id AND m.host_id = h.host_id
    LEFT JOIN by_nvme AS n ON n.endpoint = p.endpoint AND n.host_id = h.host_id
    LEFT JOIN seen AS s ON s.endpoint = p.endpoint AND s.datastore_id = p.datastore_id AND s.host_id = h.host_id
),
counted AS (
    SELECT endpoint, datastore_id, cluster_id, count(*) FILTER (WHERE is_to_have_it) AS hosts
    FROM compared
    GROUP BY endpoint, datastore_id, cluster_id
),
largest AS (
    SELECT endpoint, datastore_id, max(hosts) AS hosts FROM counted GROUP BY endpoint, datastore_id
)
SELECT
    c.endpoint,
    c.datastore_id,
    n.hosts,
    count(*) FILTER (WHERE c.is_to_have_it IS NULL AND c.is_right IS NOT true) AS hosts_open,
    few_distinct(CASE WHEN c.is_to_have_it AND NOT c.is_right THEN c.host END) AS without_mount,
    count(*) FILTER (WHERE (c.is_right OR NOT c.is_to_have_it) IS NULL) AS mounts_open
FROM compared AS c
JOIN largest AS n USING (endpoint, datastore_id)
GROUP BY c.endpoint, c.datastore_id, n.hosts;
