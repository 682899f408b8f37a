"""How a person makes the changes of vCenter and ESXi by commands."""
