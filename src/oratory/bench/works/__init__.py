"""What is timed, one file for each kind of work. Those who do it are loaded when it is done, for they need torch."""
