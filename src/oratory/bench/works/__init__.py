"""What is timed, one file for each kind of work."""
