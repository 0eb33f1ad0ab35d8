"""Mechanisms of the kind attention, one file each."""
