-- materialize: table
-- For each efficiency policy the most volumes of one aggregate that use it, and the free schedule that would take it out of the hour it shares
-- with other policies: each gets another one. NULL where it shares none, or no schedule of the cluster is left.
-- How many use it is NULL where one of them lies on several aggregates, or on nobody knows which.
WITH used AS (
    SELECT endpoint, policy_id, CASE WHEN count(pool_id) = count(*) THEN max(volumes) END AS volumes
    FROM (
        SELECT endpoint, policy_id, pool_id, count(*) AS volumes
        FROM fact.array_efficiency
        WHERE policy_id IS NOT NULL AND coalesce(state, 'enabled') <> 'disabled'
        GROUP BY endpoint, policy_id, pool_id
    )
    GROUP BY endpoint, policy_id
),
crowded AS (
    SELECT x.endpoint, x.policy_id
    FROM fact.array_efficiency AS x
    JOIN step_efficiency_wave AS w USING (endpoint, volume_id)
    JOIN used AS u ON u.endpoint = x.endpoint AND u.policy_id = x.policy_id
    GROUP BY x.endpoint, x.policy_id
    HAVING max(w.volumes_in_wave) > max(u.volumes)
),
ordered AS (
    SELECT c.endpoint, c.policy_id, count(*) AS place
    FROM crowded AS c
    JOIN crowded AS o ON o.endpoint = c.endpoint AND o.policy_id <= c.policy_id
    GROUP BY c.endpoint, c.policy_id
)
SELECT u.endpoint, u.policy_id, u.volumes AS policy_volumes, s.name AS free_schedule
FROM used AS u
LEFT JOIN ordered AS c ON c.endpoint = u.endpoint AND c.policy_id = u.policy_id
LEFT JOIN step_free_schedule AS s ON s.endpoint = c.endpoint AND s.place = c.place;
