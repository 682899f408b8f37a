-- materialize: view
-- Whether the volumes, and the addresses, of every array of the fleet that serves NFS (ONTAP, PowerStore) were read whole: one row. One that could not
-- be reached has no row among the arrays, and still may have any share. NULL where there is none.
WITH cluster AS (
    SELECT endpoint FROM step_array WHERE family IN ('ontap', 'powerstore')
    UNION
    SELECT endpoint FROM fact.listed_endpoint WHERE kind IN ('ontap', 'powerstore')
)
SELECT bool_and(coalesce(r.volumes_read, false)) AS volumes_read, bool_and(coalesce(r.addresses_read, false)) AS addresses_read
FROM cluster AS c
LEFT JOIN step_endpoint_reading AS r USING (endpoint);
