-- materialize: table
-- One row per host with an adapter that does not report its kernel module: any module may drive what is behind that one.
SELECT DISTINCT endpoint, host_id FROM fact.hba WHERE driver IS NULL;
