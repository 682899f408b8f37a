-- materialize: view
-- One row per host and disk or protocol endpoint: its path policy, and what the claim rule that names it gives to a device like it.
-- A rule names it when SATP, vendor and model are the same; one that names the vendor alone counts where none names the model, and one
-- that somebody added goes before the build's (not verified: no VMware document states it). Rules with patterns, or for a transport, driver or
-- single device, are left out. `has_claim_rule` is false when none names it, or several that differ do; NULL when rules were not read whole, or
-- what they go by is not known of the device. One that another plug-in than the native one serves has no SATP, and no rule names it.
SELECT * EXCLUDE (host_number, device_number, class_key) FROM step_claim_of_class;
