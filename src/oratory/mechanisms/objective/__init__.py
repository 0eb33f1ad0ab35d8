"""Mechanisms of the kind objective, one file each."""
