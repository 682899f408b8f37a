"""The description of a simulated vCenter: plain data decoded from a scenario; serving it changes nothing in it."""
