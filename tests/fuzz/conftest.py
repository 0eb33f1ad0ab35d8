"""What `make fuzz` says at its end: how much was tried."""

from collections import Counter
from pathlib import Path

import pytest

from tests.fuzz.tried import CASES


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """The number of examples, by file."""
    tried: Counter[str] = Counter()
    for report in terminalreporter.stats.get("passed", []):
        tried[Path(report.nodeid.partition("::")[0]).stem.removeprefix("test_")] += dict(report.user_properties).get(
            CASES, 0
        )
    for name, count in sorted(tried.items()):
        if count:
            terminalreporter.write_line(f"{name}: {count:,} cases")
