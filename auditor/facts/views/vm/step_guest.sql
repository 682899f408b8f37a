-- materialize: view
-- What each machine's guest is, as far as it decides how many commands a virtual disk sends: windows | linux-254 (a Linux whose kernel surely
-- sends 254 by PVSCSI) | '' (any other, and a guest that was not reported). What VMware Tools report of the running guest goes before what the
-- machine was made for. `runs` is NULL when its power state was not read: a machine that is off or suspended sends nothing.
-- Source: docs/domain/facts.md#8-4; the ids are VirtualMachineGuestOsIdentifier of the vSphere API.
WITH named AS (
    SELECT
        endpoint,
        vm_id,
        host_id,
        power_state = 'poweredOn' AS runs,
        guest_full_name,
        lower(coalesce(CASE WHEN NOT regexp_matches(running_guest_id, '^other(Guest|Linux)') THEN running_guest_id END, guest_id, running_guest_id, ''))
            AS guest_word
    FROM fact.vm
)
SELECT
    endpoint,
    vm_id,
    host_id,
    runs,
    CASE
        WHEN starts_with(guest_word, 'win') THEN 'windows'
        WHEN regexp_matches(guest_word, '^other|^$') AND regexp_matches(guest_full_name, '(?i)\bwindows\b') THEN 'windows'
        WHEN regexp_matches(guest_word, '^(rhel|centos|oraclelinux)(9|10)_|^debian1[123]_|^other[67]xlinux') THEN 'linux-254'
        ELSE ''
    END AS guest
FROM named;
