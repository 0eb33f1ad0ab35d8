"""Mechanisms of the kind norm, one file each."""
