-- materialize: table
-- One row per kernel module that drives an adapter, under a small number.
SELECT CAST(row_number() OVER (ORDER BY driver) AS INTEGER) AS driver_number, driver
FROM (SELECT DISTINCT driver FROM fact.hba WHERE driver IS NOT NULL);
