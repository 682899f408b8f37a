"""The lab's vCenter: methods that change hosts and storage."""
