"""Mechanisms of the kind mixer, one file each."""
