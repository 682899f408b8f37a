-- Every name that a host sees a device by, once.
CREATE VIEW step_device_name AS
SELECT DISTINCT device FROM fact.device;
