"""Read one kind of endpoint into fact tables; never write."""
