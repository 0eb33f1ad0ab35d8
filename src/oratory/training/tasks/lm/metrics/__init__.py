"""The metrics of a language model; each is one file here."""
