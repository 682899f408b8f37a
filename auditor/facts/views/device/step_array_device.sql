-- materialize: table
-- The one join from a device name to what an array presents under it: volume or protocol endpoint, and the QoS in force.
-- * The same array listed twice in fleet.yaml is one, and goes by the endpoint whose name comes first.
-- * A stretched volume is two arrays' by right: same name, same FlashArray pod. Both are named, and of its ceilings the tightest counts;
--   its id and pool are those of the endpoint whose name comes first.
--   It has no ceiling only where every array of its pod says so. A pod lies on two arrays unless the array tells otherwise.
-- * So is one name that one volume each of two ONTAP clusters (active sync, MetroCluster, SVM-DR), two SCs (Live Volume), two ETERNUS
--   (Storage Cluster) or two 3PARs (Peer Persistence) presents: these families give the copy the name of its original, and no two other volumes one name.
--   Two PowerStores do where each says that its volume is one of a metro session; its id there need not be the same on both.
-- * Any other name that two arrays, or two volumes of one, present is nobody's: NULL, and what rests on it is unknown.
-- * A protocol endpoint that an array also tells as a volume (FlashArray) is no volume here.
WITH presented AS (
    SELECT
        v.device, v.endpoint, v.volume_id, v.name AS volume, v.pod, v.pod_arrays, v.pool_id, NULL AS protocol_endpoint_id, q.qos, q.qos_policy,
        q.qos_group, q.qos_max_iops, q.qos_max_bytes_per_second, q.is_capped, q.qos_sharers, q.qos_shared_by
    FROM step_volume AS v
    LEFT JOIN step_volume_qos AS q USING (endpoint, volume_id)
    WHERE v.device IS NOT NULL AND NOT coalesce(v.is_virtual, false) AND v.kind IS DISTINCT FROM 'protocol_endpoint'
    UNION ALL
    SELECT device, endpoint, NULL, NULL, NULL, NULL, NULL, protocol_endpoint_id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
    FROM fact.array_protocol_endpoint
    WHERE device IS NOT NULL
),
joined AS (
    SELECT
        p.device,
        CASE WHEN min(coalesce(a.array_key, p.endpoint)) = max(coalesce(a.array_key, p.endpoint)) THEN 1 ELSE 2 END AS arrays,
        count(p.volume_id) <= count(DISTINCT p.endpoint)
            AND min(p.protocol_endpoint_id) IS NOT DISTINCT FROM max(p.protocol_endpoint_id) AS is_one,
        (min(p.pod) = max(p.pod) AND count(p.pod) = count(*))
            OR (
                min(a.family) = max(a.family)
                AND (min(a.family) IN ('ontap', 'dell-sc', 'eternus-dx', '3par') OR (min(a.family) = 'powerstore' AND count(p.pod) = count(*)))
                AND count(a.family) = count(p.volume_id) AND count(p.volume_id) = count(*) AND count(DISTINCT coalesce(a.array_key, p.endpoint)) = 2
            ) AS is_a_pair,
        coalesce(max(len(string_split(p.pod_arrays, ','))), CASE WHEN count(p.pod) > 0 THEN 2 ELSE 1 END) AS arrays_of_pod,
        min(coalesce(a.known_as, p.endpoint)) AS first_array,
        max(coalesce(a.known_as, p.endpoint)) AS last_array,
        min(p.endpoint) AS array_endpoint,
        min(a.model) AS model,
        min(a.generation) AS generation,
        min(a.version) AS version,
        arg_min(p.volume_id, (p.endpoint, p.volume_id)) AS volume_id,
        arg_min(p.volume, (p.endpoint, p.volume)) AS volume,
        arg_min(p.pool_id, (p.endpoint, p.pool_id)) AS pool_id,
        min(p.protocol_endpoint_id) AS protocol_endpoint_id,
        few_distinct(p.qos_policy) AS qos_policy,
        few_distinct(p.qos_group) AS qos_group,
        min(p.qos_max_iops) AS qos_max_iops,
        min(p.qos_max_bytes_per_second) AS qos_max_bytes_per_second,
        bool_or(p.is_capped) AS is_capped,
        count(p.is_capped) = count(p.volume_id) AND count(p.volume_id) > 0 AS caps_read,
        arg_min(p.qos, (p.endpoint, p.qos)) AS qos,
        min(coalesce(a.known_as, p.endpoint) || ': ' || coalesce(p.qos, 'not read')) AS first_qos,
        max(coalesce(a.known_as, p.endpoint) || ': ' || coalesce(p.qos, 'not read')) AS last_qos,
        max(p.qos_sharers) AS qos_sharers,
        few_distinct(p.qos_shared_by) AS qos_shared_by
    FROM presented AS p
    LEFT JOIN step_array AS a USING (endpoint)
    GROUP BY p.device
),
judged AS (
    SELECT
        *,
        is_one AND (arrays = 1 OR is_a_pair) AS fits,
        arrays >= arrays_of_pod AS is_whole,
        first_array || CASE WHEN arrays > 1 THEN ', ' || last_array ELSE '' END AS array_names
    FROM joined
)
SELECT
    device,
    NOT fits AS is_ambiguous,
    array_names AS presented_by,
    CASE WHEN fits THEN array_endpoint END AS array_endpoint,
    CASE WHEN fits AND arrays = 1 THEN model END AS read_model,
    CASE WHEN fits AND arrays = 1 THEN generation END AS read_generation,
    CASE WHEN fits AND arrays = 1 THEN version END AS read_version,
    CASE WHEN fits THEN array_names END AS array_name,
    CASE WHEN fits THEN arrays > 1 OR arrays_of_pod > 1 END AS is_stretched,
    CASE WHEN fits THEN volume END AS volume,
    CASE WHEN fits THEN volume_id END AS volume_id,
    CASE WHEN fits THEN pool_id END AS pool_id,
    CASE WHEN fits THEN protocol_endpoint_id END AS protocol_endpoint_id,
    CASE
        WHEN fits AND arrays > 1 THEN first_qos || '; ' || last_qos
        WHEN fits AND is_whole THEN qos
        WHEN fits THEN qos || '; the other array of its pod was not read'
    END AS qos,
    CASE WHEN fits THEN qos_policy END AS qos_policy,
    CASE WHEN fits THEN qos_group END AS qos_group,
    CASE WHEN fits THEN qos_max_iops END AS qos_max_iops,
    CASE WHEN fits THEN qos_max_bytes_per_second END AS qos_max_bytes_per_second,
    CASE WHEN NOT fits THEN NULL WHEN is_capped THEN true WHEN caps_read AND is_whole THEN false END AS qos_capped,
    CASE WHEN fits THEN qos_sharers END AS qos_sharers,
    CASE WHEN fits THEN qos_shared_by END AS qos_shared_by
FROM judged;
