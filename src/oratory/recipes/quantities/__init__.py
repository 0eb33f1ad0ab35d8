"""The kinds of published figures."""
