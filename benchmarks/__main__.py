"""Run all benchmarks, or those whose names are given: `python -m benchmarks tokens audit`."""

import pkgutil
import sys
from importlib import import_module

from benchmarks import __path__
from oratory.errors import unknown
from oratory.reports.terminal import print_tables

names = [found.name for found in pkgutil.iter_modules(__path__) if not found.name.startswith("_")]
for name in sys.argv[1:] or names:
    if name not in names:
        sys.exit(str(unknown("benchmark", name, names)))
    print_tables([import_module(f"benchmarks.{name}").measure()])
