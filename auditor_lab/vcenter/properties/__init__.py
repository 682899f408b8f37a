"""Reading objects: container views, the property collector, and waiting for updates."""
