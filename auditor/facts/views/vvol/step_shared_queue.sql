-- materialize: view
-- What is known of an array's family about single virtual volumes that the array caps behind a protocol endpoint, whose queue on the host they
-- share (incident S0). A family that is not here is not judged by it: auditor reads no array of that family.
--   stalls_neighbours: a capped one keeps its places in that queue. ONTAP: NetApp says that it does not (docs/domain/facts.md#4-7). FlashArray, Dell
--     SC, ETERNUS and Nimble: by the same mechanism, unverified on an array.
--     PowerStore: no release of its API up to 4.4 has a ceiling of a virtual volume, so none is held back by one; what its relative priority does
--     to the queue is in no source (docs/domain/arrays.md#powerstore).
--   is_deepened: a source says that a deeper queue helps (docs/domain/incidents.md#s0). All others by hand.
--   keeps_defaults: the vendor, or S2 of a FlashArray, asks to leave the queues as installed (docs/domain/incidents.md#s2, docs/domain/facts.md#10-3).
SELECT * FROM (VALUES
    ('solidfire', true, true, false),
    ('flasharray', true, false, true),
    ('ontap', false, false, true),
    ('dell-sc', true, false, false),
    ('eternus-dx', true, false, false),
    ('nimble', true, false, false),
    ('powerstore', false, false, false)
) AS t (family, stalls_neighbours, is_deepened, keeps_defaults);
