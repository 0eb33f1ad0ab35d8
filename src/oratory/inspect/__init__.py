"""Looking inside: what attention does, and what it can be made to do."""

from oratory.inspect.solve import solve
from oratory.inspect.solve_facts import Certificate, Solution

__all__ = ["Certificate", "Solution", "solve"]
