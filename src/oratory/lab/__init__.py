"""The laboratory as Python sees it: what the commands do, as functions."""
