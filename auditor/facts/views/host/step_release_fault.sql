-- materialize: view
-- Builds of ESXi that a document of VMware names as faulty with storage of a kind that a host mounts: from a build on, below another, of the releases that
-- `of_release` matches. A build that is on no line is not known to be good.
-- Sources, read in the documents' own text:
--   7.0 Update 3 (18644231) stops where a guest on a thin disk on VMFS 6 sends UNMAP; Update 3a has the fix: Broadcom KB 307646 (86100),
--     https://knowledge.broadcom.com/external/article?legacyId=86100
--   7.0 before Update 3f (20036589) may stop after a server of NFS 4.1 failed over: Broadcom KB 341164,
--     https://knowledge.broadcom.com/external/article/341164/esxi-host-crashes-with-a-psod-error-even.html
SELECT * FROM (VALUES
    ('7[.]0[.].*', 18644231, 18644232, 'VMFS 6', 'stops when a guest on a thin disk on VMFS 6 gives much space back (Broadcom KB 307646); 7.0 Update 3a mends it'),
    ('7[.]0[.].*', 15843807, 20036589, 'NFS 4.1', 'may stop after a server of NFS 4.1 failed over (Broadcom KB 341164); 7.0 Update 3f mends it')
) AS t (of_release, first_build, fixed_build, storage, fault);
