"""How vectors become predictions."""
