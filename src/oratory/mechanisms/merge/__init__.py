"""Mechanisms of the kind merge, one file each."""
