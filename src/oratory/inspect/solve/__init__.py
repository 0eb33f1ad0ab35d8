"""Attention by hand: queries and keys that select one value, average some, or give any weights."""

from oratory.inspect.solve.certificate import Certificate
from oratory.inspect.solve.solution import Solution
from oratory.inspect.solve.solver import solve

__all__ = ["Certificate", "Solution", "solve"]
