"""Methods of the vSphere API that change hosts, storage, datastore clusters and machines, and the authorization manager."""
