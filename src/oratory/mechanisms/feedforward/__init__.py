"""Mechanisms of the kind feedforward, one file each."""
