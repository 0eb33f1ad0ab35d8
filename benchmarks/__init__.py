"""Measurements beside peers. `make bench` runs every file here that has no leading underscore."""
