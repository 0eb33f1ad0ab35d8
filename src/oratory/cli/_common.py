"""What the commands share: options, how settings and data are read, and how results are printed."""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from oratory.errors import InputError
from oratory.files import check_folder, exists
from oratory.training.tasks import task_names

if TYPE_CHECKING:
    from oratory.runs import Run
    from oratory.tables import Table, Tabled
    from oratory.text import Corpus

_DATA = (
    "sotu, a folder, one table such as reviews.csv, hub:NAME, or a source with parameters such as "
    "sotu(presidents=all); see oratory data list."
)
Data = Annotated[str, typer.Argument(help=_DATA)]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document to stdout and nothing else.")]
Settings = Annotated[list[str] | None, typer.Argument(metavar="KEY=VALUE", help="Settings, such as tokenizer=bpe.")]
RunName = Annotated[str, typer.Argument(metavar="RUN", help="A run: its id or the beginning of it, its name, or last.")]
RunsFolder = Annotated[
    Path | None, typer.Option("--runs", help="The folder of the runs; ORATORY_RUNS or ./runs unless given.")
]
Plugins = Annotated[
    list[Path] | None, typer.Option("--plugin", help="A file with mechanisms of your own; may be repeated.")
]

Task = Annotated[str, typer.Option(help=f"What to train: {task_names()}.")]
_MODEL = (
    "a run of the store (its id, the beginning of it, or last), or else a published encoder: minilm, a folder, or a "
    "name on the hub."
)
Model = Annotated[str | None, typer.Option("--model", help=f"Fine-tune {_MODEL}")]
ModelArgument = Annotated[
    str | None, typer.Argument(metavar="RUN|MODEL", help=f"{_MODEL[0].upper()}{_MODEL[1:]} The default is minilm.")
]
DataOption = Annotated[str, typer.Option(help=_DATA)]
SetAll = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="A setting of all runs; may be repeated.")
]
On = Annotated[str, typer.Option(help="Where to train: local, ray, or ray://HOST:PORT.")]
Workers = Annotated[int | None, typer.Option(help="Runs at once; as many as there are processors.")]
Report = Annotated[
    Path | None, typer.Option(help="Write a report: .html, .pdf, .md, .tex, .csv, or a folder for all of them.")
]
TrainData = Annotated[str | None, typer.Option(help=f"{_DATA} The default is sotu.")]
Without = Annotated[
    list[str] | None,
    typer.Option(
        metavar="DATA",
        help="Leave out of train every line that shares 8 words in a row with dev or test of DATA; may be repeated.",
    ),
]
Seed = Annotated[int | None, typer.Option(help="Decides everything that is random; 0 unless given.")]
Resume = Annotated[
    str | None, typer.Option(help="Continue a run: its id, or last for the newest that is not finished.")
]
Track = Annotated[
    list[str] | None, typer.Option(help="Show the run in wandb, tensorboard or mlflow too; may be repeated.")
]
PredictionsFile = Annotated[
    Path | None, typer.Option(help="Write a row for each text: a file that ends in .csv or .parquet.")
]
Seeds = Annotated[str, typer.Option(help="How many seeds, or a list such as 0,1,2.")]
Metric = Annotated[
    str | None, typer.Option(help="Judge by this metric, such as accuracy, perplexity or bits-per-byte.")
]
Tune = Annotated[
    list[str] | None,
    typer.Option(
        metavar="KEY=VALUES",
        help="Search values for each variant on dev, as in train.lr=1e-4,1e-3, all with the same trials; "
        "may be repeated.",
    ),
]
TuneTrials = Annotated[
    int | None, typer.Option(help="Points to try for each variant; 8, or the whole grid, unless given.")
]
TuneSeeds = Annotated[int, typer.Option(help="Seeds for each point; they differ from those that are compared.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the configuration and stop.")]


def load_plugins(paths: list[Path] | None) -> None:
    """Add the mechanisms of users' own files."""
    if paths:
        from oratory.execution.jobs import load_plugins

        load_plugins(paths)


def load_run(name: str, runs: Path | None) -> "Run":
    """A run to be used; a remark says which one `last` is."""
    from oratory.runs.store import Store

    store = Store(runs)  # Not through `oratory.api`: a name that no run has is refused before torch is loaded.
    found = store.open(store.usable() if name == "last" else name)
    newest = store.find("last") if name == "last" else found.id
    if name == "last":
        note(f"last is {found.id}" + (f"; {newest} is newer, and not finished." if newest != found.id else "."))
    found = store.current(found)
    if found.unfinished:
        note(found.unfinished)
    return found


def with_state(run: "Run", facts: dict[str, Any]) -> dict[str, Any]:
    """Facts that a run's model gives, for JSON; for a run that is not finished, they say so."""
    return facts | ({"unfinished": run.unfinished} if run.unfinished else {})


def shared_settings(words: list[str] | None, model: str | None = None, runs: Path | None = None) -> dict[str, str]:
    """The settings of all runs: those of --set, and the model that is fine-tuned, if any."""
    from oratory.settings import parse_words
    from oratory.training.origins import all_settings

    if model is None:
        return parse_words(words or [], list(all_settings()))
    return model_settings(model, words or [], runs)


def model_settings(model: str, words: list[str], runs: Path | None) -> dict[str, str]:
    """The model that is fine-tuned, and the settings that come with it."""
    from oratory.runs.given import as_given
    from oratory.runs.store import Store
    from oratory.settings import parse_words
    from oratory.training.origins import all_settings, origin_of

    named = as_given({"model": model}, Store(runs))
    # What only other models choose is refused later, with a sentence of its own; it is never proposed.
    given = {word.partition("=")[0] for word in words}
    own = origin_of(named).known()
    known = [name for name in all_settings() if name not in named and (name in own or name in given)]
    return {**named, **parse_words(words, known)}


def check_words(task: str, settings: dict[str, str]) -> None:
    """Refuse a task, a setting or a name that is not there. That takes no torch, so the answer comes at once."""
    from oratory.training.origins import origin_of
    from oratory.training.tasks import task_of

    origin_of(settings).check_words(task_of(task), settings)


def load(data: str) -> "Corpus":
    """The corpus that a user names."""
    from oratory.text import load_corpus

    if re.match(r"[\w.]+=", data) and not exists(Path(data)):
        raise InputError(f"{data!r} is a setting; the data comes first, then settings, as in: sotu {data}")
    return load_corpus(data)


def corpus_of(run: "Run", data: str | None = None) -> "Corpus":
    """The corpus of a run: from where its record says, or from where the user says."""
    from oratory.text import load_corpus

    return run.load_corpus() if data is None else load_corpus(data)


def print_json(facts: dict[str, Any]) -> None:
    """One JSON document on stdout."""
    say(json.dumps(facts, indent=2, ensure_ascii=False, allow_nan=False))


def show(facts: "Tabled", heading: str = "") -> None:
    """The tables of some facts on stdout."""
    show_tables(facts.tables(), heading)


def show_tables(tables: "list[Table]", heading: str = "") -> None:
    """Tables on stdout."""
    from oratory.reports.terminal import print_tables

    print_tables(tables, heading)


def check_report(path: Path | None) -> None:
    """Refuse a report that could not be written before hours of training, not after them."""
    if path is None:
        return
    if path.suffix:
        from oratory.reports.output import kind_of

        kind_of(path)
        if path.is_dir():
            raise InputError(f"The report {path} cannot be written: it is a folder.")
    check_folder(path.parent if path.suffix else path)


def write_report(result: Any, path: Path | None) -> None:
    """Write a report if one was asked for, and say which files there are."""
    from oratory.api import report

    for written in report(result, path) if path is not None else ():
        note(f"Written: {written}")


def finish(result: Any, report: Path | None, json: bool) -> None:
    """Write the report that was asked for and show the result; exit with 1 where a run failed."""
    write_report(result, report)
    show_or_print(result, json, result.id)
    if result.problems:
        raise typer.Exit(1)


def show_sentences(sentences: Iterable[str]) -> None:
    """Sentences on stdout, a line each; on a terminal they wrap between words."""
    from oratory.reports.terminal import point

    for sentence in sentences:
        say(point(sentence))


def show_or_print(facts: "Tabled", json: bool, heading: str = "") -> None:
    """Tables, or one JSON document where that was asked for."""
    if json:
        print_json(facts.to_dict())  # type: ignore[attr-defined]
    else:
        show(facts, heading)


def say(text: str = "", err: bool = False) -> None:
    """A text on stdout, or on stderr. In a JSON document it stays the same text."""
    from oratory.tables import printable

    typer.echo(printable(text), err=err)


def note(text: str) -> None:
    """A remark on stderr."""
    say(text, err=True)
