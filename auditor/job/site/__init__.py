"""The site of the jobs: its pages and feeds, and the server that shows them."""
