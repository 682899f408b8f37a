-- materialize: view
-- The DSNRO that each host's release of ESXi gives a protocol endpoint: 128 from 6.0 to 7.0 U1, 256 from 7.0 U2 to 9.0; nothing later is recorded.
-- Source: lamw's dumps, docs/domain/facts.md#1-4.
SELECT
    endpoint,
    host_id,
    CASE
        WHEN version IS NULL OR NOT regexp_matches(version, '^\d+\.\d+\.\d+') OR version >= '9.1' OR version < '6.' THEN NULL
        WHEN version >= '7.0.2' THEN 256
        ELSE 128
    END AS stock_pe_dsnro
FROM fact.host;
