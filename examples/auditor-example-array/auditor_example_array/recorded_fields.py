"""Fields of answers that `auditor record` keeps as they are; all others are masked, as they may name something."""

KEPT = "version state size_bytes iops_limit total"
