-- materialize: table
-- One row per class of devices: rows of `device` that are the same in all these columns. `devices` counts them. A rule that looks at these
-- columns alone is judged once for a class instead of once for each device.
WITH class AS (
    SELECT * EXCLUDE (host_number, device_number), count(*) AS devices
    FROM step_device_joined
    GROUP BY ALL
),
named AS (
    SELECT
        array_number,
        min(name_family) AS name_family,
        min(array_model) AS array_model,
        min(array_generation) AS array_generation,
        min(array_firmware) AS array_firmware,
        min(firmware_level) AS firmware_level
    FROM step_device_number
    GROUP BY array_number
)
SELECT
    CAST(row_number() OVER () AS INTEGER) AS class_number,
    k.* EXCLUDE (devices),
    i.vendor,
    i.model,
    believed_family(i.family, n.name_family) AS family,
    i.* EXCLUDE (inquiry_number, vendor, model, family, is_tiny, is_detached, is_aside),
    v.driver,
    n.array_model,
    n.array_generation,
    n.array_firmware,
    n.firmware_level,
    dsnro_advice(believed_family(i.family, n.name_family)) AS dsnro_advice,
    k.devices
FROM class AS k
LEFT JOIN step_inquiry AS i USING (inquiry_number)
LEFT JOIN named AS n USING (array_number)
LEFT JOIN step_driver AS v USING (driver_number);
