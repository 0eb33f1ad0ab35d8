"""Mechanisms of the kind pool, one file each."""
