"""Mechanisms of the kind pattern, one file each."""
