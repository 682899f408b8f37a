"""What auditor does to a host besides writing settings: maintenance mode and the reboot. Read and written like settings, by no rule."""
