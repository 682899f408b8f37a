-- materialize: table
-- What fleet.yaml declares of a device; the first entry whose glob matches counts.
SELECT
    d.device,
    arg_min(c.model, c.rowid) AS declared_model,
    arg_min(c.generation, c.rowid) AS declared_generation,
    arg_min(c.firmware, c.rowid) AS declared_firmware
FROM step_device_name AS d
JOIN fact.declared AS c ON d.device GLOB c.devices
GROUP BY d.device;
