-- materialize: table
-- The ceilings of ONTAP's adaptive policies. They grow with the size of a volume (`is_own`), or of the file system around its LUN.
-- Likewise those of a PowerStore's policies that limit each GB of a volume (kind density). What a GB is there no source says: at most it has
-- 1,000,000,000 bytes, which gives the most that the ceiling may be (docs/domain/arrays.md#powerstore). Of a volume group no size is read.
-- The ceiling in operations is the greatest of three: expected IOPS per TB, peak IOPS per TB, and absolute minimum IOPS. Per TB means allocated
-- or used space, as the policy says; a TB is 1,024^4 bytes here. With a block size there is a ceiling in bytes, too: the operations times that size.
-- Source: docs/domain/facts.md#7-8. Used space that was not read is at most the whole size. Without a block size nobody knows what counts as one
-- operation, so only the most that the ceiling may be is known.
WITH policy AS (
    SELECT
        endpoint,
        policy_id,
        TRY(TRY_CAST(json_extract_string(raw, '$.expected_iops') AS DOUBLE)) AS expected,
        TRY(TRY_CAST(json_extract_string(raw, '$.peak_iops') AS DOUBLE)) AS peak,
        TRY(TRY_CAST(json_extract_string(raw, '$.absolute_min_iops') AS DOUBLE)) AS absolute,
        coalesce(TRY(lower(json_extract_string(raw, '$.expected_iops_allocation'))), 'allocated_space') AS expected_of,
        coalesce(TRY(lower(json_extract_string(raw, '$.peak_iops_allocation'))), 'used_space') AS peak_of,
        TRY(lower(json_extract_string(raw, '$.block_size'))) AS block_size,
        'adaptive' AS words
    FROM fact.array_qos_policy
    WHERE kind = 'adaptive'
    UNION ALL
    SELECT
        endpoint,
        policy_id,
        TRY(TRY_CAST(json_extract_string(raw, '$.max_iops') AS DOUBLE)) * pow(1024, 4) / 1e9,
        0,
        0,
        'allocated_space',
        'allocated_space',
        NULL,
        'per GB'
    FROM fact.array_qos_policy
    WHERE kind = 'density'
),
given AS (
    SELECT endpoint, volume_id, true AS is_own, qos_policy_id AS policy_id, size_bytes / pow(1024, 4) AS size, used_bytes / pow(1024, 4) AS used
    FROM step_volume
    UNION ALL
    SELECT endpoint, volume_id, false, qos_group_id, qos_group_size_bytes / pow(1024, 4), qos_group_used_bytes / pow(1024, 4)
    FROM step_volume
),
bounded AS (
    SELECT
        g.endpoint,
        g.volume_id,
        g.is_own,
        p.words,
        p.block_size,
        TRY_CAST(regexp_extract(p.block_size, '^([0-9]+)k$', 1) AS BIGINT) * 1024 AS block_bytes,
        greatest(
            p.expected * CASE WHEN p.expected_of = 'allocated_space' THEN g.size ELSE g.used END,
            p.peak * CASE WHEN p.peak_of = 'allocated_space' THEN g.size ELSE g.used END,
            p.absolute
        ) AS at_least,
        p.expected * CASE WHEN p.expected_of = 'used_space' THEN coalesce(g.used, g.size) ELSE g.size END AS expected,
        p.peak * CASE WHEN p.peak_of = 'used_space' THEN coalesce(g.used, g.size) ELSE g.size END AS peak,
        p.absolute
    FROM given AS g
    JOIN policy AS p USING (endpoint, policy_id)
),
rounded AS (
    SELECT
        endpoint,
        volume_id,
        is_own,
        words,
        block_bytes,
        CASE WHEN block_size = 'any' OR block_bytes IS NOT NULL THEN TRY_CAST(round(at_least) AS BIGINT) END AS at_least,
        CASE
            WHEN expected IS NOT NULL AND peak IS NOT NULL AND absolute IS NOT NULL
            THEN TRY_CAST(round(greatest(expected, peak, absolute)) AS BIGINT)
        END AS at_most
    FROM bounded
)
SELECT
    endpoint,
    volume_id,
    is_own,
    words,
    CASE WHEN at_least = at_most THEN at_most END AS max_iops,
    at_least AS max_iops_at_least,
    at_most AS max_iops_at_most,
    CASE WHEN at_least = at_most THEN at_most * block_bytes END AS max_bytes_per_second,
    block_bytes
FROM rounded;
