"""How ids become vectors."""
