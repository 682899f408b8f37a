-- materialize: table
-- One row per NFS datastore: which others of the fleet mount the same share by the other version of NFS (`of_other_version`, the first five names), and how
-- many more may (`may_be_of_other_version`): they mount the same path, and nobody knows whether their server is this one.
-- Two servers are one where an address or a name of them is the same, where one is the first label of the other's name, or where both are one array's and
-- the share is one volume. They are two where they are of different arrays, or of different families. Another path is another datastore.
-- Source: docs/domain/facts.md#5-13.
WITH mounted AS (
    SELECT
        s.endpoint,
        s.datastore_id,
        d.name,
        d.type,
        s.path,
        s.addresses,
        list_filter(s.addresses, lambda one: NOT contains(one, '.') AND NOT contains(one, ':')) AS short_names,
        list_transform(list_filter(s.addresses, lambda one: ipv4(one) IS NULL AND contains(one, '.')), lambda one: split_part(one, '.', 1)) AS labels,
        s.family,
        s.array_endpoint,
        s.volume_id
    FROM step_nfs_server AS s
    JOIN fact.datastore AS d USING (endpoint, datastore_id)
),
pair AS (
    SELECT
        a.endpoint,
        a.datastore_id,
        b.name,
        CASE
            WHEN list_has_any(a.addresses, b.addresses) OR list_has_any(a.short_names, b.labels) OR list_has_any(a.labels, b.short_names) THEN true
            WHEN a.array_endpoint = b.array_endpoint AND a.volume_id IS NOT NULL AND b.volume_id IS NOT NULL THEN a.volume_id = b.volume_id
            WHEN a.array_endpoint <> b.array_endpoint OR a.family <> b.family THEN false
        END AS is_one_server
    FROM mounted AS a
    JOIN mounted AS b ON a.path = b.path AND a.type <> b.type
    WHERE a.type IN ('NFS', 'NFS41') AND b.type IN ('NFS', 'NFS41')
)
SELECT
    endpoint,
    datastore_id,
    few_distinct(CASE WHEN is_one_server THEN name END) AS of_other_version,
    count(*) FILTER (WHERE is_one_server IS NULL) AS may_be_of_other_version
FROM pair
GROUP BY endpoint, datastore_id;
