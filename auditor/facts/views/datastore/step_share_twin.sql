-- materialize: table
-- One row per NFS datastore beside which another of the fleet mounts the same path: which of them mount the same share by the other version of NFS
-- (`of_other_version`, the first five names), and how many more may (`may_be_of_other_version`); how many vCenters besides its own have the share by the
-- same version (`other_vcenters`), and how many datastores of other vCenters may be it (`may_be_elsewhere`). Which are the same share by NFS 3 under another
-- name of the server or the path, so that of two hosts of a cluster each lacks what the other has (`by_other_name`), and how many more may
-- (`may_be_by_other_name`). Nobody knows of those that may whether their server is this one.
-- Two servers are one where an address or a name of them is the same, where one is the first label of the other's name, or where both are one array's and
-- the share is one volume. They are two where they are of different arrays, or of different families. Another path is another datastore. An address that
-- is a host's own says nothing in another vCenter, and neither does the one by which every host of a Nutanix cluster reaches its own controller. Nor does a
-- short name, which each site may have given to a server of its own, unless the domains of the hosts that mount it complete it to the same name; one that
-- is the same on both sides counts where a domain is not known.
-- Source: docs/domain/facts.md#5-13.
WITH resolver AS (
    SELECT m.endpoint, m.datastore_id, list_sort(list(DISTINCT lower(substr(h.name, 1 + strpos(h.name, '.'))))) AS domains
    FROM fact.datastore_mount AS m
    JOIN fact.host AS h USING (endpoint, host_id)
    WHERE contains(h.name, '.') AND ipv4(h.name) IS NULL
    GROUP BY m.endpoint, m.datastore_id
),
server AS (
    SELECT *, list_filter(addresses, lambda one: NOT contains(one, '.') AND NOT contains(one, ':')) AS short_names FROM step_nfs_server
),
mounted AS (
    SELECT
        s.endpoint,
        s.datastore_id,
        d.name,
        d.type,
        s.path,
        s.addresses,
        s.short_names,
        list_transform(list_filter(s.addresses, lambda one: ipv4(one) IS NULL AND contains(one, '.')), lambda one: split_part(one, '.', 1)) AS labels,
        len(list_filter(s.addresses, lambda one: one IN ('localhost', '::1') OR starts_with(one, '127.') OR starts_with(one, '169.254.'))) > 0 AS is_own,
        list_contains(s.addresses, '192.168.5.2') AS may_be_own,
        r.domains,
        list_concat(
            list_filter(s.addresses, lambda one: contains(one, '.') OR contains(one, ':')),
            flatten(list_transform(r.domains, lambda domain: list_transform(s.short_names, lambda one: one || '.' || domain)))
        ) AS whole_names,
        s.family,
        s.array_endpoint,
        s.volume_id
    FROM server AS s
    JOIN fact.datastore AS d USING (endpoint, datastore_id)
    LEFT JOIN resolver AS r USING (endpoint, datastore_id)
),
pair AS (
    SELECT
        a.endpoint,
        a.datastore_id,
        b.endpoint AS other_endpoint,
        b.datastore_id AS other_id,
        b.name,
        a.type <> b.type AS is_other_version,
        a.endpoint = b.endpoint AND a.type = 'NFS' AND b.type = 'NFS' AS may_be_divided,
        CASE
            WHEN a.endpoint <> b.endpoint AND a.is_own THEN false
            WHEN a.endpoint <> b.endpoint AND a.may_be_own THEN NULL
            WHEN list_has_any(a.whole_names, b.whole_names) THEN true
            WHEN (a.endpoint = b.endpoint OR a.domains IS NULL OR b.domains IS NULL) AND list_has_any(a.addresses, b.addresses) THEN true
            WHEN a.endpoint = b.endpoint AND (list_has_any(a.short_names, b.labels) OR list_has_any(a.labels, b.short_names)) THEN true
            WHEN a.array_endpoint = b.array_endpoint AND a.volume_id IS NOT NULL AND b.volume_id IS NOT NULL THEN a.volume_id = b.volume_id
            WHEN a.array_endpoint <> b.array_endpoint OR a.family <> b.family THEN false
        END AS is_one_server
    FROM mounted AS a
    JOIN mounted AS b ON a.path = b.path AND (a.endpoint <> b.endpoint OR a.datastore_id <> b.datastore_id)
    WHERE a.type IN ('NFS', 'NFS41') AND b.type IN ('NFS', 'NFS41')
),
sole AS (
    -- Clusters in which a host has the one and not the other.
    SELECT DISTINCT p.endpoint, p.datastore_id, p.other_id, h.cluster_id
    FROM pair AS p
    JOIN fact.datastore_mount AS m ON m.endpoint = p.endpoint AND m.datastore_id = p.datastore_id
    JOIN fact.host AS h ON h.endpoint = m.endpoint AND h.host_id = m.host_id
    LEFT JOIN fact.datastore_mount AS o ON o.endpoint = p.endpoint AND o.datastore_id = p.other_id AND o.host_id = m.host_id
    WHERE p.may_be_divided AND h.cluster_id IS NOT NULL AND o.host_id IS NULL
),
divided AS (
    SELECT DISTINCT a.endpoint, a.datastore_id, a.other_id
    FROM sole AS a
    JOIN sole AS b ON b.endpoint = a.endpoint AND b.datastore_id = a.other_id AND b.other_id = a.datastore_id AND b.cluster_id = a.cluster_id
)
SELECT
    p.endpoint,
    p.datastore_id,
    few_distinct(CASE WHEN p.is_other_version AND p.is_one_server THEN p.name END) AS of_other_version,
    count(*) FILTER (WHERE p.is_other_version AND p.is_one_server IS NULL) AS may_be_of_other_version,
    count(DISTINCT CASE WHEN NOT p.is_other_version AND p.is_one_server AND p.other_endpoint <> p.endpoint THEN p.other_endpoint END) AS other_vcenters,
    count(*) FILTER (WHERE NOT p.is_other_version AND p.is_one_server IS NULL AND p.other_endpoint <> p.endpoint) AS may_be_elsewhere,
    few_distinct(CASE WHEN d.other_id IS NOT NULL AND p.is_one_server THEN p.name END) AS by_other_name,
    count(d.other_id) FILTER (WHERE p.is_one_server IS NULL) AS may_be_by_other_name
FROM pair AS p
LEFT JOIN divided AS d ON p.may_be_divided AND d.endpoint = p.endpoint AND d.datastore_id = p.datastore_id AND d.other_id = p.other_id
GROUP BY p.endpoint, p.datastore_id;
