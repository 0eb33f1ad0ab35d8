"""The metrics of a classifier; each is one file here."""
