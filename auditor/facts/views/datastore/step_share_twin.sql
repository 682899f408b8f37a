-- materialize: table
-- One row per NFS datastore beside which another of the fleet mounts the same path: which of them mount the same share by the other version of NFS
-- (`of_other_version`, the first five names), and how many more may (`may_be_of_other_version`); how many vCenters besides its own have the share by the
-- same version (`other_vcenters`), and how many datastores of other vCenters may be it (`may_be_elsewhere`). Nobody knows of these whether their server is
-- this one.
-- Two servers are one where an address or a name of them is the same, where one is the first label of the other's name, or where both are one array's and
-- the share is one volume. They are two where they are of different arrays, or of different families. Another path is another datastore. An address that
-- is a host's own says nothing in another vCenter, and neither does the one by which every host of a Nutanix cluster reaches its own controller.
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
        len(list_filter(s.addresses, lambda one: one IN ('localhost', '::1') OR starts_with(one, '127.') OR starts_with(one, '169.254.'))) > 0 AS is_own,
        list_contains(s.addresses, '192.168.5.2') AS may_be_own,
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
        b.endpoint AS other_endpoint,
        b.name,
        a.type <> b.type AS is_other_version,
        CASE
            WHEN a.endpoint <> b.endpoint AND a.is_own THEN false
            WHEN a.endpoint <> b.endpoint AND a.may_be_own THEN NULL
            WHEN list_has_any(a.addresses, b.addresses) OR list_has_any(a.short_names, b.labels) OR list_has_any(a.labels, b.short_names) THEN true
            WHEN a.array_endpoint = b.array_endpoint AND a.volume_id IS NOT NULL AND b.volume_id IS NOT NULL THEN a.volume_id = b.volume_id
            WHEN a.array_endpoint <> b.array_endpoint OR a.family <> b.family THEN false
        END AS is_one_server
    FROM mounted AS a
    JOIN mounted AS b ON a.path = b.path AND (a.endpoint <> b.endpoint OR a.datastore_id <> b.datastore_id)
    WHERE a.type IN ('NFS', 'NFS41') AND b.type IN ('NFS', 'NFS41')
)
SELECT
    endpoint,
    datastore_id,
    few_distinct(CASE WHEN is_other_version AND is_one_server THEN name END) AS of_other_version,
    count(*) FILTER (WHERE is_other_version AND is_one_server IS NULL) AS may_be_of_other_version,
    count(DISTINCT CASE WHEN NOT is_other_version AND is_one_server AND other_endpoint <> endpoint THEN other_endpoint END) AS other_vcenters,
    count(*) FILTER (WHERE NOT is_other_version AND is_one_server IS NULL AND other_endpoint <> endpoint) AS may_be_elsewhere
FROM pair
GROUP BY endpoint, datastore_id;
