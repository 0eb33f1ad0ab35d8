"""Searches: settings chosen on dev, over several seeds each, and measured on test once they are chosen."""
