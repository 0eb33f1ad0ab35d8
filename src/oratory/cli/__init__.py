"""The command line. Every file here that has no leading underscore is a command.

A file defines `command`, a function, or `app`, a group of commands. Only `typer` is imported at the top of one, so
that `oratory --help` answers at once; what a command needs, it imports when it runs.
"""

import atexit
import io
import os
import pkgutil
import signal
import sys
from contextlib import suppress
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.main import get_command

from oratory import __version__
from oratory.cli._loading import announce
from oratory.cli._usage import UsageError, tidy, usage_sentence
from oratory.errors import NO_MEMORY, Failed, InputError

_HELP = "A laboratory for small transformers: honest baselines, a leakage audit, and verdicts with error bars."

PANELS = ("Start here", "Texts", "Models", "Verdicts", "A trained model", "Everything else")
"""The parts of the list of all commands, in the order in which they are read; each command says where it belongs."""

AROUND = 80
"""Characters to show on both sides of a wrong one, in a message."""


def build() -> typer.Typer:
    """The application with every command that is found in this folder."""
    app = typer.Typer(
        help=_HELP,
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_options)
    names = [found.name for found in pkgutil.iter_modules(__path__) if not found.name.startswith("_")]
    modules = {name: import_module(f"{__name__}.{name}") for name in names}
    panels = {name: getattr(module, "PANEL", PANELS[-1]) for name, module in modules.items()}
    for name in sorted(names, key=lambda name: PANELS.index(panels[name])):
        if hasattr(modules[name], "app"):
            app.add_typer(modules[name].app, name=name, rich_help_panel=panels[name])
        else:
            app.command(name, rich_help_panel=panels[name])(modules[name].command)
    return app


def command_line() -> Any:
    """The application as a command that can be called. Its help wraps, and has no type where no value is taken."""
    command = get_command(build())
    tidy(command)
    return command


def main() -> None:
    """Run a command, and exit with its code."""
    try:
        code = _run()
    except KeyboardInterrupt:  # Where nothing was being trained; training says what it has kept.
        _complain("Stopped.")
        code = 130
    with suppress(ValueError):  # Not in the main thread, where no signal arrives.
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # All is said; one more Ctrl-C just ends the process.
    if isinstance(code, int) and _trained_with_others():
        _leave(code)
    sys.exit(code)


def _trained_with_others() -> bool:
    parallel = sys.modules.get("oratory.training.parallel")
    try:
        return parallel is not None and parallel.process_count() > 1
    except InputError:  # The environment does not say a number, and that was said.
        return False


def _leave(code: int) -> None:
    """End without taking the interpreter apart: a thread of the framework that still runs would then abort it, and the
    launcher would call a training failed that is finished."""
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def _run() -> int | str | None:
    """Run a command; returns its exit code. What a user can put right is one sentence and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # A terminal that cannot show a character shows its number.
    announce()
    try:
        code: int | None = command_line()(standalone_mode=False)
    except SystemExit as left:
        return left.code
    except UsageError as error:
        if not str(error.format_message()).strip():  # The help was shown in place of a message.
            return 2
        _complain(usage_sentence(error))
        return 2
    except typer.Abort:
        _complain("Stopped.")
        return 1
    except InputError as error:
        _complain(str(error))
        return 2
    except Failed as error:
        _complain(str(error))
        return error.exit_code
    except UnicodeEncodeError as error:
        shown = ascii(error.object[max(0, error.start - AROUND) : error.end + AROUND])
        _complain(f"{shown} is not Unicode text; a name or a text has bytes that are not UTF-8.")
        return 2
    except BrokenPipeError:
        # The reader of our output went away, and so do we, quietly; nothing is left to be flushed at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        _complain(f"{error.filename or 'The output'} cannot be used: {error.strerror or error}.")
        return 2
    except Exception as error:
        sentence = NO_MEMORY if _is_out_of_memory(error) else _blame(error)
        if sentence is None:
            raise
        _complain(sentence)
        return 2
    return code or 0


def _is_out_of_memory(error: Exception) -> bool:
    """Whether memory ran out; what torch says of it is read only where torch was loaded."""
    if isinstance(error, MemoryError):
        return True
    if not isinstance(error, RuntimeError) or "oratory.training.loop" not in sys.modules:
        return False
    from oratory.training.loop import is_out_of_memory

    return is_out_of_memory(error)


def _blame(error: Exception) -> str | None:
    """The sentence for an error in a user's own file, which only a command that loads mechanisms can meet."""
    if "oratory.mechanisms" not in sys.modules:
        return None
    from oratory.mechanisms.plugins import blame

    return blame(error)


def _complain(sentence: str) -> None:
    from rich.console import Console
    from rich.text import Text

    from oratory.tables import printable

    Console(stderr=True, soft_wrap=True).print(Text("oratory: ", style="bold red"), Text(printable(sentence)), sep="")


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"oratory {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass
