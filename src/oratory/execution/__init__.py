"""Execution: training runs into a store, one or many, on this machine or on Ray."""
