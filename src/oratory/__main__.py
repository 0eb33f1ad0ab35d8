"""`python -m oratory` is `oratory`."""

from oratory.cli import main

main()
