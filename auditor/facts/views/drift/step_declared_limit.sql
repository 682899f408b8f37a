-- materialize: view
-- One row per volume of an array for which settings.yaml declares a ceiling. Of the entries that fit it, those of the highest rank count: one that
-- names the volume before one with wildcards, one that names the array before one for all.
WITH fitting AS (
    SELECT v.endpoint, v.volume_id, v.name, d.value, d.place, d.rank
    FROM fact.array_volume AS v
    JOIN fact.declared_setting AS d
        ON d.kind = 'volume_limit'
        AND (d.of_endpoint IS NULL OR rtrim(lower(trim(v.endpoint)), '.') GLOB d.of_endpoint OR rtrim(lower(trim(v.endpoint)), '.') = d.of_endpoint)
        AND (rtrim(lower(trim(v.name)), '.') GLOB d.thing OR rtrim(lower(trim(v.name)), '.') = d.thing)
),
narrowest AS (
    SELECT endpoint, volume_id, max(rank) AS rank FROM fitting GROUP BY endpoint, volume_id
)
SELECT
    f.endpoint,
    f.volume_id,
    f.name AS volume,
    count(DISTINCT f.value) AS wanted_values,
    CASE WHEN count(DISTINCT f.value) = 1 THEN min(f.value) END AS wanted,
    string_agg(DISTINCT f.value, ', ' ORDER BY f.value) AS declared_values,
    string_agg(DISTINCT f.place, ', ' ORDER BY f.place) AS declared_at
FROM fitting AS f
JOIN narrowest AS n USING (endpoint, volume_id)
WHERE f.rank = n.rank
GROUP BY f.endpoint, f.volume_id, f.name;
