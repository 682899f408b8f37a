"""Events: recording them, filtering them, and the EventManager."""
