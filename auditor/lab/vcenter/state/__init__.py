"""The lab's vCenter: what the fleet is like right now."""
