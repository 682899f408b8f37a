-- materialize: table
-- Whose share an NFS datastore mounts: a row for each. Many filers export the same path, so that the server decides: `family` is that of the array,
-- ontap or powerstore, whose address it is, other where it is none of theirs, or where none of them exports the path. A server that is only a
-- name may be any of those that export it; fleet.yaml can declare its address, or its family. NULL where that is not known, as in a fleet
-- without such arrays. `addresses` are those that fleet.yaml declares of the server, or else what the mount names. The share is the deepest junction on the way to the mounted path; the root volume of an SVM counts for its own path alone.
-- Source: docs/domain/arrays.md#ontap (NFS), docs/domain/arrays.md#powerstore (files).
WITH mount AS (
    SELECT
        endpoint,
        datastore_id,
        nfs_host AS server,
        rtrim(lower(trim(nfs_host)), '.') AS name,
        coalesce(nullif(rtrim(nfs_path, '/'), ''), '/') AS path
    FROM fact.datastore
    WHERE nfs_path IS NOT NULL
),
named AS (
    -- NFS 4.1 may name several servers of one share.
    SELECT endpoint, datastore_id, rtrim(trim(unnest(string_split(name, ','))), '.') AS name
    FROM mount
),
declared AS (
    SELECT m.endpoint, m.datastore_id, arg_min({'address': c.address, 'family': c.family}, c.rowid) AS entry
    FROM named AS m
    JOIN fact.declared_nfs_server AS c ON m.name GLOB c.server OR m.name = c.server
    GROUP BY m.endpoint, m.datastore_id
),
address AS (
    SELECT m.endpoint, m.datastore_id, d.entry.family AS declared_family, trim(unnest(string_split(coalesce(lower(d.entry.address), m.name), ','))) AS address
    FROM mount AS m
    LEFT JOIN declared AS d USING (endpoint, datastore_id)
),
server AS (
    SELECT
        endpoint,
        datastore_id,
        any_value(declared_family) AS declared_family,
        list_sort(list(DISTINCT address)) AS addresses,
        bool_and(regexp_matches(address, '^\d+\.\d+\.\d+\.\d+$') OR contains(address, ':')) AS is_address
    FROM address
    GROUP BY endpoint, datastore_id
),
interface AS (
    SELECT DISTINCT d.endpoint, d.datastore_id, i.endpoint AS array_endpoint, coalesce(a.array_key, i.endpoint) AS array_key, coalesce(a.family, 'ontap') AS family, i.svm
    FROM address AS d
    JOIN fact.array_address AS i ON i.address = d.address
    LEFT JOIN step_array AS a ON a.endpoint = i.endpoint
    WHERE i.svm IS NOT NULL
),
filer AS (
    SELECT
        endpoint,
        datastore_id,
        min(array_endpoint) AS array_endpoint,
        count(DISTINCT array_key) AS arrays,
        CASE WHEN min(family) = max(family) THEN min(family) END AS family
    FROM interface
    GROUP BY endpoint, datastore_id
),
junction AS (
    SELECT endpoint, svm, volume_id, coalesce(nullif(rtrim(export_path, '/'), ''), '/') AS path
    FROM step_volume
    WHERE kind = 'share' AND export_path IS NOT NULL
),
way AS (
    -- /a, /a/b and /a/b/c for /a/b/c.
    SELECT endpoint, datastore_id, depth, '/' || array_to_string(list_slice(string_split(ltrim(path, '/'), '/'), 1, depth), '/') AS path
    FROM (SELECT *, unnest(range(1, 1 + len(string_split(ltrim(path, '/'), '/')))) AS depth FROM mount)
),
exported AS (
    SELECT w.endpoint, w.datastore_id, few_distinct(j.endpoint) AS arrays
    FROM way AS w
    JOIN junction AS j USING (path)
    GROUP BY w.endpoint, w.datastore_id
),
level AS (
    SELECT f.endpoint, f.datastore_id, w.depth, count(DISTINCT j.volume_id) AS volumes, min(j.volume_id) AS volume_id
    FROM filer AS f
    JOIN interface AS i USING (endpoint, datastore_id, array_endpoint)
    JOIN way AS w USING (endpoint, datastore_id)
    JOIN junction AS j ON j.endpoint = f.array_endpoint AND j.svm = i.svm AND j.path = w.path
    GROUP BY f.endpoint, f.datastore_id, w.depth
),
share AS (
    SELECT endpoint, datastore_id, arg_max({'volume_id': volume_id, 'volumes': volumes}, depth) AS deepest
    FROM level
    GROUP BY endpoint, datastore_id
)
SELECT
    m.endpoint,
    m.datastore_id,
    m.server,
    m.path,
    s.addresses,
    CASE
        WHEN f.arrays > 0 THEN f.family
        WHEN s.declared_family IS NOT NULL THEN s.declared_family
        WHEN l.addresses_read AND s.is_address THEN 'other'
        WHEN l.volumes_read AND e.arrays IS NULL THEN 'other'
    END AS family,
    e.arrays AS exported_by,
    CASE WHEN f.arrays = 1 THEN f.array_endpoint END AS array_endpoint,
    CASE WHEN f.arrays = 1 AND r.volumes_read AND r.addresses_read AND v.deepest.volumes = 1 THEN v.deepest.volume_id END AS volume_id
FROM mount AS m
LEFT JOIN server AS s USING (endpoint, datastore_id)
LEFT JOIN filer AS f USING (endpoint, datastore_id)
LEFT JOIN exported AS e USING (endpoint, datastore_id)
LEFT JOIN share AS v USING (endpoint, datastore_id)
LEFT JOIN step_endpoint_reading AS r ON r.endpoint = f.array_endpoint
CROSS JOIN step_ontap_reading AS l;
