"""The files that a person, or vm-support, would take of a simulated host: what ESXi's commands print, in every formatter."""
