"""Facts as a person sees them: on the terminal, and as a page."""
