"""Reading endpoints on other machines: workers of Dask near the endpoints, and a scheduler that hands out what is to be read."""
