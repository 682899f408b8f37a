-- materialize: table
-- Every name that a host sees a device by, once.
SELECT DISTINCT device FROM fact.device;
