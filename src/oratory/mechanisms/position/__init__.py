"""Mechanisms of the kind position, one file each."""
