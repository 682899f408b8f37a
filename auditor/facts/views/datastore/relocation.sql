-- materialize: table
-- One row per machine whose disks are being moved, or wait to be: from which datastores to which, and whether that is from one array to another. The
-- disks lie on their source until the move ends. Two datastores are on one array where the arrays that were read say so, and on two where these
-- differ, or their families do; else it is not known.
WITH moving AS (
    SELECT endpoint, task_id, entity_id AS vm_id, entity_name, state, progress_percent, started_at, target_datastore_id
    FROM fact.running_task
    WHERE description_id ILIKE '%relocate%' OR description_id ILIKE '%storagevmotion%'
),
source AS (
    SELECT m.endpoint, m.task_id, d.datastore_id
    FROM moving AS m
    JOIN fact.vm_disk AS d ON d.endpoint = m.endpoint AND d.vm_id = m.vm_id
),
compared AS (
    SELECT
        s.endpoint,
        s.task_id,
        few_distinct(f.name) AS datastores,
        few_distinct(f.arrays) AS arrays,
        few_distinct(f.family) AS families,
        bool_or(
            CASE
                WHEN f.array_key IS NOT NULL AND t.array_key IS NOT NULL THEN f.array_key <> t.array_key
                WHEN f.family <> t.family THEN true
            END
        ) AS any_between,
        bool_and(
            coalesce(s.datastore_id = m.target_datastore_id, false) OR coalesce(f.array_key = t.array_key, false)
        ) AS all_within
    FROM source AS s
    JOIN moving AS m ON m.endpoint = s.endpoint AND m.task_id = s.task_id
    LEFT JOIN step_datastore_place AS f ON f.endpoint = s.endpoint AND f.datastore_id = s.datastore_id
    LEFT JOIN step_datastore_place AS t ON t.endpoint = m.endpoint AND t.datastore_id = m.target_datastore_id
    GROUP BY s.endpoint, s.task_id
),
unlimited AS (
    -- Where it comes from an array that holds nobody back (docs/domain/arrays.md#eseries), or may.
    SELECT s.endpoint, s.task_id, f.datastore_id, f.array_key
    FROM source AS s
    JOIN step_datastore_place AS f ON f.endpoint = s.endpoint AND f.datastore_id = s.datastore_id
    WHERE f.family = 'eseries' OR f.family IS NULL
),
near AS (
    SELECT endpoint, task_id, endpoint AS vcenter, datastore_id FROM unlimited
    UNION
    SELECT u.endpoint, u.task_id, p.endpoint, p.datastore_id FROM unlimited AS u JOIN step_datastore_place AS p ON p.array_key = u.array_key
),
neighbour AS (
    SELECT
        n.endpoint,
        n.task_id,
        count(DISTINCT d.endpoint || '/' || d.vm_id) FILTER (WHERE v.power_state = 'poweredOn') AS machines,
        count(*) FILTER (WHERE v.power_state IS NULL) AS undetermined
    FROM near AS n
    JOIN moving AS m ON m.endpoint = n.endpoint AND m.task_id = n.task_id
    JOIN fact.vm_disk AS d ON d.endpoint = n.vcenter AND d.datastore_id = n.datastore_id AND NOT (d.endpoint = m.endpoint AND d.vm_id = m.vm_id)
    LEFT JOIN fact.vm AS v ON v.endpoint = d.endpoint AND v.vm_id = d.vm_id
    GROUP BY n.endpoint, n.task_id
),
arrays_known AS (
    SELECT endpoint, task_id, bool_and(array_key IS NOT NULL) AS are_known FROM unlimited GROUP BY endpoint, task_id
),
whole AS (
    SELECT coalesce(bool_and(coalesce(disks_read, false)), true) AS disks_read FROM fact.vm WHERE power_state IS NULL OR power_state = 'poweredOn'
)
SELECT
    m.endpoint,
    m.task_id AS resource_id,
    coalesce(m.entity_name, m.vm_id) AS resource_name,
    h.cluster,
    h.name AS host,
    v.host_id,
    m.vm_id,
    m.state,
    m.progress_percent,
    m.started_at,
    c.datastores AS source_datastores,
    c.arrays AS source_arrays,
    c.families AS source_families,
    CASE
        WHEN n.machines > 0 THEN n.machines
        WHEN a.are_known AND w.disks_read AND r.vms_read AND r.datastores_read AND coalesce(n.undetermined, 0) = 0 THEN 0
    END AS source_neighbours,
    t.name AS target_datastore,
    t.arrays AS target_arrays,
    t.family AS target_family,
    CASE WHEN c.any_between THEN true WHEN v.disks_read AND c.all_within THEN false END AS is_between_arrays
FROM moving AS m
LEFT JOIN compared AS c ON c.endpoint = m.endpoint AND c.task_id = m.task_id
LEFT JOIN step_datastore_place AS t ON t.endpoint = m.endpoint AND t.datastore_id = m.target_datastore_id
LEFT JOIN neighbour AS n ON n.endpoint = m.endpoint AND n.task_id = m.task_id
LEFT JOIN arrays_known AS a ON a.endpoint = m.endpoint AND a.task_id = m.task_id
CROSS JOIN whole AS w
CROSS JOIN step_vcenter_reading AS r
LEFT JOIN fact.vm AS v ON v.endpoint = m.endpoint AND v.vm_id = m.vm_id
LEFT JOIN fact.host AS h ON h.endpoint = v.endpoint AND h.host_id = v.host_id;
