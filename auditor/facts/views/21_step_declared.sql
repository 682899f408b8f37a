-- What fleet.yaml declares of a device; the first entry whose glob matches counts.
-- `firmware_level` is the ETERNUS firmware V<version>L<level> as version * 1000 + level; NULL when not of that form.
CREATE VIEW step_declared AS
SELECT
    d.device,
    arg_min(c.model, c.rowid) AS declared_model,
    arg_min(c.generation, c.rowid) AS declared_generation,
    arg_min(c.firmware, c.rowid) AS declared_firmware,
    arg_min(
        TRY_CAST(regexp_extract(c.firmware, '^V(\d+)L(\d+)', 1) AS BIGINT) * 1000
            + TRY_CAST(regexp_extract(c.firmware, '^V(\d+)L(\d+)', 2) AS BIGINT),
        c.rowid
    ) AS firmware_level
FROM (SELECT DISTINCT device FROM fact.device) AS d
JOIN fact.declared AS c ON d.device GLOB c.devices
GROUP BY d.device;
