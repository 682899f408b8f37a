"""The lab: a simulated fleet that speaks the real wire protocols on loopback."""
