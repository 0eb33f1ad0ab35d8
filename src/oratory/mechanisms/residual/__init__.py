"""Mechanisms of the kind residual, one file each."""
