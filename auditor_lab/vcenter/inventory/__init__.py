"""The inventory: managed objects, and their properties as pyVmomi objects."""
