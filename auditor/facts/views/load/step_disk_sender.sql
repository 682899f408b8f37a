-- materialize: table
-- The virtual disks of a host's machines that send most into a device of the host, or onto a datastore, the first five by bytes a second, in words;
-- '' where none of them sends. A disk that was not counted may send more: where there is one, and where no disk is known, there is no row.
WITH sender AS (
    SELECT endpoint, host_id, 'device' AS kind, device AS place, resource_name, samples, commands_per_second, io_bytes
    FROM disk_stream
    WHERE device IS NOT NULL
    UNION ALL
    SELECT endpoint, host_id, 'datastore', datastore_id, resource_name, samples, commands_per_second, io_bytes
    FROM disk_stream
    WHERE datastore_id IS NOT NULL AND rdm_mode IS NULL
)
SELECT
    endpoint,
    host_id,
    kind,
    place,
    coalesce(
        array_to_string(
            list_slice(
                list(
                    printf('%s (%.0f/s, %.0f KiB/s)', resource_name, commands_per_second, commands_per_second * io_bytes / 1024)
                    ORDER BY commands_per_second * io_bytes DESC, resource_name
                ) FILTER (WHERE commands_per_second > 0 AND io_bytes IS NOT NULL),
                1, 5
            ),
            ', '
        ),
        ''
    ) AS busiest_disks
FROM sender
GROUP BY endpoint, host_id, kind, place
HAVING count(samples) = count(*);
