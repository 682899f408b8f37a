-- materialize: view
-- One row per host and disk or protocol endpoint: its path policy, and what the claim rule that names it gives to a device like it.
-- A rule names it when the SATP is the same and its texts take the device's vendor, model and transport; which rule goes first, and what is not known,
-- step_claim says. `has_claim_rule` is false when none names it, or several of the build's that differ do; NULL when rules were not read whole, what they
-- go by is not known of the device, or a rule that somebody added leaves it open, as one for the device alone does. One that another plug-in than
-- the native one serves has no SATP, and no rule names it.
SELECT * EXCLUDE (host_number, device_number, class_key) FROM step_claim_of_class;
