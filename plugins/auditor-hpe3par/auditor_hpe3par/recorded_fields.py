"""Fields of WSAPI's answers that `auditor record` keeps as they are; all others are masked, as they may name something."""

KEPT = """
RAIDType active bwMaxLimitKB bwMinGoalKB cardPort code copyType diskType enabled ioMaxLimit ioMinGoal latencyGoal latencyGoaluSecs lun model
node persona priority provisioningType sizeMiB slot state systemVersion total totalNodes totalSpaceMiB type
"""
