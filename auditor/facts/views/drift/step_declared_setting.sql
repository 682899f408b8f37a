-- materialize: view
-- One row per host and setting that settings.yaml declares for it. Of the entries that fit a host, those of the highest rank count: one that
-- names the host before one that names its cluster, and so on. `wanted_values` is how many values these declare; above 1 nothing is wanted.
WITH fitting AS (
    SELECT h.endpoint, h.host_id, d.kind, d.thing, d.setting, d.value, d.place, d.rank
    FROM fact.host AS h
    JOIN fact.declared_setting AS d
        ON d.kind <> 'volume_limit'
        AND (d.of_endpoint IS NULL OR rtrim(lower(trim(h.endpoint)), '.') GLOB d.of_endpoint OR rtrim(lower(trim(h.endpoint)), '.') = d.of_endpoint)
        AND (d.of_cluster IS NULL OR rtrim(lower(trim(h.cluster)), '.') GLOB d.of_cluster OR rtrim(lower(trim(h.cluster)), '.') = d.of_cluster)
        AND (d.of_host IS NULL OR rtrim(lower(trim(h.name)), '.') GLOB d.of_host OR rtrim(lower(trim(h.name)), '.') = d.of_host)
),
-- The description of a claim rule is no part of what it is.
named AS (
    SELECT endpoint, host_id, kind, thing, CASE WHEN kind = 'claim_rule' THEN '' ELSE setting END AS setting, value, place, rank,
        CASE WHEN kind = 'claim_rule' THEN setting END AS description
    FROM fitting
),
narrowest AS (
    SELECT endpoint, host_id, kind, thing, setting, max(rank) AS rank FROM named GROUP BY endpoint, host_id, kind, thing, setting
)
SELECT
    f.endpoint,
    f.host_id,
    f.kind,
    f.thing,
    f.setting,
    count(DISTINCT f.value) AS wanted_values,
    CASE WHEN count(DISTINCT f.value) = 1 THEN min(f.value) END AS wanted,
    string_agg(DISTINCT f.value, ', ' ORDER BY f.value) AS declared_values,
    string_agg(DISTINCT f.place, ', ' ORDER BY f.place) AS declared_at,
    CASE WHEN count(DISTINCT f.description) = 1 THEN min(f.description) ELSE '' END AS description
FROM named AS f
JOIN narrowest AS n USING (endpoint, host_id, kind, thing, setting)
WHERE f.rank = n.rank
GROUP BY f.endpoint, f.host_id, f.kind, f.thing, f.setting;
