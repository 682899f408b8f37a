-- materialize: table
-- What is the same of a device name for every host that sees it: the family its name tells, where its beginning belongs to one family alone
-- (facts/families.py), and what array is behind it. What the array itself told comes before what fleet.yaml declares; where the two differ
-- there is a gap (facts/unjoined.py). `firmware_level` is the ETERNUS firmware V<version>L<level> as version * 1000 + level; NULL when not
-- of that form.
WITH known AS (
    SELECT
        n.device,
        coalesce(a.read_model, c.declared_model) AS array_model,
        coalesce(a.read_generation, c.declared_generation) AS array_generation,
        coalesce(a.read_version, c.declared_firmware) AS array_firmware
    FROM step_device_name AS n
    LEFT JOIN step_array_device AS a USING (device)
    LEFT JOIN step_declared AS c USING (device)
)
SELECT
    device,
    family_of_name(device) AS name_family,
    array_model,
    array_generation,
    array_firmware,
    TRY_CAST(regexp_extract(upper(array_firmware), '^V(\d+)L(\d+)', 1) AS BIGINT) * 1000
        + TRY_CAST(regexp_extract(upper(array_firmware), '^V(\d+)L(\d+)', 2) AS BIGINT) AS firmware_level
FROM known;
