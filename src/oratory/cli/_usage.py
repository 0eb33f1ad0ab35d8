"""What is said where the words of a command are wrong, and how its help looks: the frame that typer draws around us."""

import re
from typing import Any

import typer

from oratory.errors import did_you_mean

UsageError: Any = typer.BadParameter.__mro__[1]
"""What typer raises for words that it cannot read; the module that it is in differs between versions."""

NAMES = {"int": "NUMBER", "float": "NUMBER", "Path": "PATH", "str": "TEXT"}
"""What the value of an option is called in the help, by its type."""

_NEEDED = {
    "valid integer": "a whole number is needed",
    "valid number": "a number is needed",
    r"(?:greater than or equal to|x>=) ?(\d+)": r"at least \1 is needed",
    r"(?:less than or equal to|x<=) ?(\d+)": r"at most \1 is possible",
}
"""What typer says of a value, as its versions say it, and what we say."""


def usage_sentence(error: Any) -> str:
    """An error of usage as one sentence, and where to read more."""
    said = str(error.format_message()).strip()
    wrong = getattr(error, "option_name", None)
    ctx = getattr(error, "ctx", None)
    if wrong and said.startswith("No such option"):
        alone = _alone(wrong, ctx)
        said = f"There is no option {wrong}{alone}.{'' if alone else did_you_mean(wrong, error.possibilities or ())}"
    said = said.replace("No such command", "There is no command", 1)
    named = getattr(error, "param", None)
    needed = next((found.expand(words) for start, words in _NEEDED.items() if (found := re.search(start, said))), None)
    if needed and named is not None:
        said = f"{named.opts[0]}: {needed}."
    return said if ctx is None else f"{said.rstrip('.')}. See: {ctx.command_path} -h".replace("?.", "?")


def _alone(option: str, ctx: Any) -> str:
    """What to write, where the command takes a value of that name without an option."""
    taken = [param for param in ctx.command.params if param.param_type_name == "argument"] if ctx else []
    names = [param.name for param in taken]
    if option.lstrip("-") not in names:
        return ""
    words = [param.metavar for param in taken[: names.index(option.lstrip("-")) + 1]]
    return f"; write the value alone, as in {ctx.command_path} {' '.join(words)}"


def tidy(command: Any, parent: Any = None) -> None:
    """Give the help of a command, and of those below it, plain names for values, and paragraphs that wrap."""
    context = command.context_class(command, parent=parent, **command.context_settings)
    for param in (*command.params, command.get_help_option(context)):
        if param.param_type_name == "argument":
            _tidy_argument(param)
        elif getattr(param, "is_bool_flag", False):
            param.metavar = ""
        elif param.metavar is None:
            shown = param.display_type(context) if hasattr(param, "display_type") else ""
            param.metavar = next((name for kind, name in NAMES.items() if kind.lower() in shown.lower()), None)
    if command.help:  # Line ends of a docstring are those of the source, not of the screen.
        command.help = "\n\n".join(" ".join(paragraph.split()) for paragraph in command.help.split("\n\n"))
    for each in getattr(command, "commands", {}).values():
        tidy(each, context)


def _tidy_argument(param: Any) -> None:
    """An argument is called by its name in capital letters; that it is a text goes without saying."""
    if param.metavar is None:
        param.metavar = param.name.upper()
    several = "..." if param.nargs != 1 else ""
    usage = f"{param.metavar}{several}" if param.required else f"[{param.metavar}]{several}"
    param.display_type_rich = lambda ctx: None
    param._usage_display_name = lambda: usage
