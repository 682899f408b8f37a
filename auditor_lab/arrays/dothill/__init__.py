"""The lab's double of an array of the Dot Hill family."""
