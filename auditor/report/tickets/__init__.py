"""Tickets for other systems, as the bodies of their requests: nothing is sent from here."""
