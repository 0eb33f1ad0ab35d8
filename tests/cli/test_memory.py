"""Commands for which there is not enough memory say so."""

import sys

import pytest

from oratory import cli
from oratory.errors import NO_MEMORY
from oratory.training import loop


@pytest.mark.parametrize(
    "error",
    [MemoryError(), RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate")],
)
def test_memory_that_runs_out_is_a_sentence(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(standalone_mode: bool) -> None:
        raise error

    assert loop.__name__ in sys.modules
    monkeypatch.setattr(cli, "command_line", lambda: fail)
    with pytest.raises(SystemExit, match="2"):
        cli.main()
    assert capsys.readouterr().err == f"oratory: {NO_MEMORY}\n"


def test_other_errors_are_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(standalone_mode: bool) -> None:
        raise RuntimeError("A fault of ours.")

    monkeypatch.setattr(cli, "command_line", lambda: fail)
    with pytest.raises(RuntimeError, match="A fault of ours"):
        cli.main()
