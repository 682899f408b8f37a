-- materialize: table
-- One row per host and device, in numbers, with the class it is of: that whose row is the same in every column of step_device_joined but these numbers.
SELECT
    s.* EXCLUDE (array_number),
    k.class_number
FROM step_device_joined AS s
LEFT JOIN step_device_class AS k ON k.inquiry_number = s.inquiry_number
    AND k.array_number = s.array_number
    AND k.driver_number IS NOT DISTINCT FROM s.driver_number
    AND k.queue_depth IS NOT DISTINCT FROM s.queue_depth
    AND k.dsnro IS NOT DISTINCT FROM s.dsnro
    AND k.is_protocol_endpoint IS NOT DISTINCT FROM s.is_protocol_endpoint
    AND k.is_shared IS NOT DISTINCT FROM s.is_shared;
