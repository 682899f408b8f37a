"""Plans fixes: what to set, in which order, what it reaches, and what it would break."""
