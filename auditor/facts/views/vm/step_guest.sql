-- materialize: view
-- What each machine's guest is, as far as it decides how many commands a virtual disk sends: windows | linux-254 (a Linux whose kernel surely
-- sends 254 by PVSCSI) | '' (any other, and a guest that was not reported). What VMware Tools report of the running guest goes before what the
-- machine was made for, which counts where they report none; where what they report was not read, any guest may run ('?', which is ''), as
-- where they report some Linux in a machine that was made for Windows. `runs` is NULL when its power state was not read, and when its host is
-- away, since vCenter then has the last known one: a machine that is off or suspended sends nothing.
-- Source: docs/domain/facts.md#8-4; the ids are VirtualMachineGuestOsIdentifier of the vSphere API.
WITH named AS (
    SELECT
        v.endpoint,
        v.vm_id,
        v.host_id,
        CASE WHEN v.power_state = 'poweredOn' AND h.connection_state <> 'connected' THEN NULL ELSE v.power_state = 'poweredOn' END AS runs,
        v.guest_full_name,
        lower(CASE WHEN starts_with(v.running_guest_id, 'otherLinux') AND starts_with(v.guest_id, 'win') THEN '?'
            WHEN regexp_matches(v.running_guest_id, '^$|^other(Guest|Linux)') THEN coalesce(v.guest_id, v.running_guest_id)
            ELSE coalesce(v.running_guest_id, '?') END) AS guest_word
    FROM fact.vm AS v LEFT JOIN fact.host AS h USING (endpoint, host_id)
)
SELECT
    endpoint,
    vm_id,
    host_id,
    runs,
    CASE
        WHEN starts_with(guest_word, 'win') THEN 'windows'
        WHEN regexp_matches(guest_word, '^otherguest|^$') AND regexp_matches(guest_full_name, '(?i)\bwindows\b') THEN 'windows'
        WHEN regexp_matches(guest_word, '^(rhel|centos|oraclelinux)(9|10)_|^debian1[123]_|^other[67]xlinux') THEN 'linux-254'
        ELSE ''
    END AS guest
FROM named;
