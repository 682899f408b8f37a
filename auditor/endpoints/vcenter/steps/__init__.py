"""Steps on a host besides settings: maintenance mode and the reboot. They are read and written like settings, and no rule asks for them."""
