"""Texts of strangers on the terminal: shown as they are, never obeyed."""

import io
import json
import re
from contextlib import redirect_stderr
from pathlib import Path

import pytest
import typer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from oratory.cli import _complain, build
from oratory.cli._common import print_json
from oratory.errors import InputError
from oratory.tables import printable
from tests.runs.records import record, write

OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
SEQUENCES = ["\x1b[2J", "\x1b]0;title\x07", "\x9b31m", "\x07", "\x08", "\r", "\x1b[", "\x7f", "\u202e", "\u2066"]
MARKUP = ["[red]", "[/]", "[/red]", "[link=x]", "[bold", ":warning:", "{0}", "%s", "\\", "word", "\U0001f600", " "]
parts = st.sampled_from([*SEQUENCES, *MARKUP]) | st.characters(exclude_categories=["Cs"], exclude_characters="\0")
texts = st.lists(parts, min_size=1, max_size=8).map("".join)


def said(*arguments: str | Path) -> str:
    """What a command shows, or what `oratory` says of bad input."""
    done = CliRunner().invoke(build(), [str(argument) for argument in arguments], env={"TERM": "dumb"})
    if isinstance(done.exception, InputError):
        with redirect_stderr(io.StringIO()) as stream:
            _complain(str(done.exception))
        return stream.getvalue()
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.output


@settings(max_examples=25)
@given(text=texts, label=texts, name=texts)
def test_a_corpus(tmp_path_factory: pytest.TempPathFactory, text: str, label: str, name: str) -> None:
    folder = tmp_path_factory.mktemp("corpus")
    rows = [{"text": f"a {text} {at % 2}", "label": f"{label}{at % 2}", name: 1} for at in range(8)]
    (folder / "train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows[:2]))
    for words in (["data", "show"], ["data", "show", "--json"], ["audit"], ["tokenize"]):
        assert not OBEYED.search(said(*words, folder))
    (folder / "train.jsonl").write_text(json.dumps({name: 1, "label": text}) + "\n")
    assert not OBEYED.search(said("data", "show", folder))


@settings(max_examples=25)
@given(name=texts, label=texts)
def test_records(tmp_path_factory: pytest.TempPathFactory, name: str, label: str) -> None:
    folder = tmp_path_factory.mktemp("runs")
    corpus = {"name": name, "fingerprint": label, "source": None}
    result = record()["result"]
    result[label] = result["test"]
    run = write(folder, corpus=corpus, labels=[label, "1"], result=result, message=name, given={"position": label})
    shown = (["list"], ["list", "--group"], ["show", run.id], ["show", run.id, "--json"], ["list", f"corpus={name}"])
    unknown = (["show", name], ["rm", name, "--yes"], ["verify", name], ["list", name])
    for words in (*shown, *unknown):
        assert not OBEYED.search(said("runs", *words, "--runs", folder))


def test_markup_is_text(tmp_path: Path) -> None:
    label = "[red]x[/red] :warning: [/]"
    rows = [f"{label} {at % 2}\ttext {at}\n" for at in range(6)]
    (tmp_path / "train_CLS.tsv").write_text("".join(rows))
    assert f"{label} 0" in said("data", "show", tmp_path)


@given(st.text())
def test_json_stays_the_same_document(text: str) -> None:
    app = typer.Typer()
    app.command()(lambda: print_json({text: [text]}))
    output = CliRunner().invoke(app).stdout
    assert json.loads(output) == {text: [text]}
    assert not OBEYED.search(output)


def test_what_is_shown_in_place_of_a_control_character() -> None:
    assert printable("a\x1b[2Jb\u202ec\n\t\ud800") == "a\\u001b[2Jb\\u202ec\n\t\\ud800"


REFUSED = (
    ("atlas", "--data"),
    ("atlas", "--only"),
    ("attend",),
    ("audit",),
    ("baselines",),
    ("bench",),
    ("calibrate", "--like"),
    ("check",),
    ("compare",),
    ("compare", "--seeds"),
    ("ensemble",),
    ("ensemble", "x", "--metric"),
    ("export", "x", "--to"),
    ("generate",),
    ("mechanisms",),
    ("predict",),
    ("report",),
    ("reproduce",),
    ("runs", "note"),
    ("runs", "show"),
    ("scale", "--data"),
    ("scale", "--sizes"),
    ("score",),
    ("search",),
    ("serve", "--data"),
    ("settings",),
    ("solve", "--keys"),
    ("tokenize", "sotu", "--text", "x"),
    ("train", "lm"),
    ("train",),
    ("finetune", "--data"),
)
"""Commands, and the words before one that is hostile."""


def test_every_command_is_tried() -> None:
    known = {command.name for command in build().registered_commands} | {"runs", "data"}
    assert {words[0] for words in REFUSED} | {"demo", "data"} == known


@pytest.mark.parametrize("words", REFUSED, ids=" ".join)
@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sequence=st.sampled_from(SEQUENCES), text=texts)
def test_words_that_are_refused(words: tuple[str, ...], sequence: str, text: str, tmp_path: Path) -> None:
    hostile = f"no{sequence}{text}"
    found = said(*words, hostile, *(["x"] if words in (("score",), ("predict",), ("attend",)) else []))
    assert not OBEYED.search(found)
