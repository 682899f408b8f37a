-- materialize: table
-- One row per endpoint behind which arrays are. A Dell Storage Manager has several: what they do not agree on is NULL, and so is array_key.
-- Two endpoints with one `array_key` are the same array, listed twice in fleet.yaml; both are `known_as` the one whose name comes first.
-- Models are told as people write them (DX90): what is not of that form on an ETERNUS is an order number, which no source here translates.
WITH told AS (
    SELECT
        endpoint,
        CASE WHEN count(DISTINCT family) = 1 THEN any_value(family) END AS family,
        CASE WHEN count(*) = 1 THEN any_value(family || ' ' || array_id) END AS array_key,
        CASE WHEN count(DISTINCT model) = 1 AND count(model) = count(*) THEN any_value(model) END AS model,
        CASE WHEN count(*) = 1 THEN any_value(generation) END AS generation,
        CASE WHEN count(DISTINCT version) = 1 AND count(version) = count(*) THEN any_value(version) END AS version,
        CASE WHEN count(*) = 1 THEN any_value(latency_threshold_ms) END AS latency_threshold_ms
    FROM fact.array
    GROUP BY endpoint
),
first AS (
    SELECT array_key, min(endpoint) AS endpoint FROM told GROUP BY array_key
)
SELECT
    t.endpoint,
    coalesce(f.endpoint, t.endpoint) AS known_as,
    t.family,
    t.array_key,
    CASE WHEN t.family = 'eternus-dx' THEN nullif(replace(regexp_extract(t.model, 'DX ?\d+'), ' ', ''), '') ELSE t.model END AS model,
    coalesce(t.generation, nullif(regexp_extract(t.model, 'DX ?\d+ ?(S\d+)', 1), '')) AS generation,
    t.version,
    t.latency_threshold_ms
FROM told AS t
LEFT JOIN first AS f USING (array_key);
