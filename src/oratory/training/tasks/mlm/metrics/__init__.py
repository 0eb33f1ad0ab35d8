"""The metrics of a masked language model; each is one file here."""
