"""VI/JSON: the vSphere API as JSON over HTTP."""
