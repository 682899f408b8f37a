-- materialize: table
-- One row per device name under a small number, in the order of the names, with what is the same for every host that sees it. `array_number` is the same for names whose
-- family, model, generation and firmware are; `array_name_number` where the array behind them is called the same.
SELECT
    CAST(row_number() OVER (ORDER BY k.device) AS INTEGER) AS device_number,
    CAST(dense_rank() OVER (ORDER BY a.array_name) AS INTEGER) AS array_name_number,
    CAST(dense_rank() OVER (ORDER BY k.name_family, k.array_model, k.array_generation, k.array_firmware) AS INTEGER) AS array_number,
    k.*,
    a.* EXCLUDE (device, is_ambiguous, presented_by, array_endpoint, read_model, read_generation, read_version),
    w.qos_wait
FROM step_known_device AS k
LEFT JOIN step_array_device AS a USING (device)
LEFT JOIN step_device_wait AS w USING (device);
