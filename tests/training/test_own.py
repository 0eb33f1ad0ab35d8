"""A model that starts from a run of one's own: what it takes over, what is new, and what is refused."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from oratory.api import ensemble, load_run, train
from oratory.errors import InputError
from oratory.execution.resume import resume
from oratory.mechanisms import written_as
from oratory.records import read_record, write_record
from oratory.runs import Run, Store
from oratory.runs.given import as_given
from oratory.runs.record import MODEL, RECORD, TOKENIZER
from oratory.text import Corpus, load_corpus
from oratory.text.sources.folder import Folder
from oratory.training.origins import origin_of, prepare
from oratory.training.origins.own.prepared import PreparedOwn
from oratory.training.tasks import task_of, tasks
from tests.execution.training import LM, MLM, write_corpus

QUICK = {"train.iterations": "3", "train.eval_every": "3", "train.batch": "5", "train.threads": "1"}
SHORT = {"train.epochs": "1", "train.batch": "5", "train.threads": "1"}
HELD = "The harvest was rich, and the barns were full of it, they say."
"""A test text that train has not."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("own")
    write_corpus(folder / "corpus")
    write_corpus(folder / "other")
    with (folder / "other" / "test_CLS.tsv").open("a") as file:
        file.write(f"0\t{HELD}\n")
    return folder


@pytest.fixture(scope="module")
def corpus(home: Path) -> Corpus:
    return load_corpus(home / "corpus")


@pytest.fixture(scope="module")
def mlm(home: Path, corpus: Corpus) -> Run:
    return train("mlm", corpus, MLM | QUICK, runs=home / "runs")


@pytest.fixture(scope="module")
def lm(home: Path, corpus: Corpus) -> Run:
    return train("lm", corpus, LM | QUICK | {"tied": "on", "position": "rope"}, runs=home / "runs")


@pytest.fixture(scope="module")
def tuned(home: Path, mlm: Run) -> Run:
    return train("classifier", home / "other", {"model": mlm.id, **SHORT}, seed=4, runs=home / "runs")


def of(run: Run, **settings: str) -> dict[str, str]:
    return {"model": f"run:{run.folder}", **{name.replace("__", "."): value for name, value in settings.items()}}


def ready(task: str, corpus: Corpus, run: Run, seed: int = 0, **settings: str) -> PreparedOwn:
    made = prepare(task, corpus, of(run, **settings), seed)
    assert isinstance(made, PreparedOwn)
    return made


# --- what is taken over


def test_a_classifier_starts_from_the_weights_of_a_masked_model(corpus: Corpus, mlm: Run) -> None:
    made = ready("classifier", corpus, mlm, seed=1)
    assert (made.config.width, made.config.layers, made.config.dropout) == (8, 1, 0.1)
    assert made.tokenizer.fingerprint == mlm.tokenizer.fingerprint
    before, now = mlm.model.state_dict(), made.build().state_dict()
    shared = [name for name in now if not name.startswith("head.")]
    assert len(shared) > 5
    assert all(now[name].equal(before[name]) for name in shared)
    other = ready("classifier", corpus, mlm, seed=2).build().state_dict()
    assert all(now[name].equal(other[name]) for name in shared)
    assert not now["head.0.weight"].equal(other["head.0.weight"])
    assert "The head begins anew, from the seed." in made.remarks


def test_a_classifier_may_have_a_head_of_its_own(home: Path, corpus: Corpus) -> None:
    reserving = train("lm", corpus, LM | QUICK | {"head": "good-turing", "tied": "on"}, runs=home / "runs")
    assert written_as(ready("classifier", corpus, reserving).config.head) == "linear"
    made = ready("classifier", corpus, reserving, head="hybrid-ngrams(rows=64)")
    assert made.config.head.hybrid
    before, now = reserving.model.state_dict(), made.build().state_dict()
    assert now["tokens.weight"].equal(before["tokens.weight"])
    assert not now["head.ngrams"].any()


def test_a_language_model_with_another_head_keeps_the_table_that_is_tied(corpus: Corpus, lm: Run) -> None:
    made = ready("lm", corpus, lm, head="good-turing")
    assert not made.keeps_head
    assert made.build().head.weight.equal(lm.model.tokens.weight)


def test_a_language_model_keeps_its_head(corpus: Corpus, lm: Run) -> None:
    made = ready("lm", corpus, lm, seed=1)
    before, now = lm.model.state_dict(), made.build().state_dict()
    assert before.keys() == now.keys()
    assert all(now[name].equal(before[name]) for name in now)
    assert made.keeps_head


def test_a_classifier_from_a_causal_model_stays_causal(home: Path, corpus: Corpus, lm: Run) -> None:
    run = train("classifier", corpus, of(lm, pool="last") | SHORT, runs=home / "runs")
    assert run.config.causal
    assert run.settings["causal"] is True
    assert not run.config.tied
    assert Run.read(run.folder).model.config.causal
    assert run.score("We will go on.")[0].label in ("0", "1")


def test_the_head_of_a_classifier_is_kept_for_the_same_labels_and_form(home: Path, corpus: Corpus, tuned: Run) -> None:
    assert ready("classifier", corpus, tuned).keeps_head
    assert not ready("classifier", corpus, tuned, pool="max").keeps_head
    renamed = write_corpus(home / "renamed", ["yes\tWe can.", "no\tWe will not.", "yes\tGo on.", "no\tStop."])
    (renamed / "test_CLS.tsv").unlink()
    assert not ready("classifier", load_corpus(renamed), tuned).keeps_head


def test_learned_positions_are_cut_and_never_made(corpus: Corpus, mlm: Run, lm: Run) -> None:
    shorter = ready("classifier", corpus, mlm, context="5").build().state_dict()["position.table.weight"]
    assert shorter.equal(mlm.model.state_dict()["position.table.weight"][:5])
    with pytest.raises(InputError, match=f"context=9 is too long: the positions of {mlm.id} end at 8"):
        ready("classifier", corpus, mlm, context="9")
    assert ready("classifier", corpus, lm, context="20").config.context == 20


def test_frozen_layers_and_layer_wise_rates(corpus: Corpus, mlm: Run) -> None:
    made = ready("classifier", corpus, mlm, freeze="all", layer_decay="0.5")
    learned = {name for name, parameter in made.build().named_parameters() if parameter.requires_grad}
    assert {name.partition(".")[0] for name in learned} == {"norm", "head"}
    assert made.factors()["tokens.weight"] == 0.25
    assert made.factors()["head.0.weight"] == 1
    assert "parameters are trained" in made.remarks[-1]
    with pytest.raises(InputError, match="freeze=5: the model has 1 layers"):
        ready("classifier", corpus, mlm, freeze="5")


# --- the record


def test_the_record_names_the_earlier_run_and_no_path(home: Path, mlm: Run, tuned: Run) -> None:
    assert tuned.settings["model"] == f"run:{mlm.id}"
    assert mlm.record.files[MODEL].startswith(tuned.settings["weights"])
    assert str(home) not in json.dumps(tuned.settings)
    assert tuned.record.given["model"] == f"run:{mlm.folder.resolve()}"
    (ancestor,) = tuned.record.provenance
    assert (ancestor.run, ancestor.corpus.fingerprint) == (mlm.id, mlm.fingerprint)
    assert (ancestor.tests, ancestor.shared) == (4, 0)
    assert Run.read(tuned.folder).record == tuned.record
    assert ancestor.sentence in str(tuned.tables()[-1].rows)
    assert tuned.to_dict()["provenance"][0]["run"] == mlm.id


def test_a_trained_run_needs_the_earlier_one_only_for_its_beginning(home: Path, tuned: Run, mlm: Run) -> None:
    store = home / "moved"
    shutil.copytree(home / "runs", store)
    values = read_record(store / tuned.id / RECORD)
    values["given"]["model"] = f"run:{store / mlm.id}"
    write_record(store / tuned.id / RECORD, values)
    run = load_run(tuned.id, store)
    begun = run.initial_model()
    assert begun.tokens.weight.equal(mlm.model.tokens.weight)
    assert not begun.training
    shutil.rmtree(store / mlm.id)
    assert all(value.equal(tuned.model.state_dict()[name]) for name, value in run.model.state_dict().items())
    with pytest.raises(InputError, match=r"is not the folder of a run: it has no run\.json"):
        run.initial_model()


def test_the_weights_must_be_those_of_then(home: Path, tuned: Run, lm: Run) -> None:
    changed = Run(tuned.folder, tuned.record.changed(given={"model": f"run:{lm.folder}"}))
    with pytest.raises(InputError, match=f"no longer holds the weights that the run {tuned.id} started from"):
        changed.initial_model()


def test_the_same_call_finds_the_same_run_and_resume_agrees(home: Path, mlm: Run, tuned: Run) -> None:
    again = train("classifier", home / "other", {"model": mlm.id[:9], **SHORT}, seed=4, runs=home / "runs")
    assert again.id == tuned.id
    assert resume(tuned.id, runs=home / "runs").id == tuned.id
    with pytest.raises(InputError, match="cannot continue like this: in it, freeze is none, not all"):
        resume(tuned.id, runs=home / "runs", settings={"freeze": "all"})


def test_the_command_makes_it_again(mlm: Run, lm: Run) -> None:
    from oratory.reports.command import command_of

    own = origin_of(of(mlm))
    words = own.command(task_of("lm"), of(lm, dropout="0.2"))
    assert words == ["oratory", "finetune", f"run:{lm.folder}", "--task", "lm", "dropout=0.2"]
    assert own.option(of(mlm, dropout="0.2")) == (["--model", f"run:{mlm.folder}"], {"dropout": "0.2"})
    assert command_of(mlm).startswith("oratory train mlm")


def test_a_chain_of_runs_is_audited_to_its_beginning(home: Path, corpus: Corpus, mlm: Run, tuned: Run) -> None:
    made = ready("classifier", corpus, tuned)
    assert [ancestor.run for ancestor in made.provenance] == [tuned.id, mlm.id]


# --- names


def test_names_of_runs_and_of_published_models(home: Path, mlm: Run, tuned: Run) -> None:
    store = Store(home / "runs")
    for name in (mlm.id, mlm.id[:7], f"run:{mlm.folder}"):
        assert as_given({"model": name}, store)["model"] == f"run:{mlm.folder.resolve()}"
    assert as_given({"model": "minilm"}, store) == {"model": "minilm"}
    assert as_given({"layers": 2}, store) == {"layers": "2"}
    assert as_given({"model": "last"}, store)["model"].startswith("run:")
    with pytest.raises(InputError, match=r"There is no run in .* yet"):
        as_given({"model": "last"}, Store(home / "none"))
    assert not (home / "none").exists()


# --- what is refused


def test_a_corpus_that_holds_the_test_is_refused_unless_it_is_left_out(home: Path) -> None:
    larger = write_corpus(home / "larger")
    with (larger / "train_LM.txt").open("a") as file:
        file.write(f"{HELD.upper()}\nA line of its own.\n")
    holds = train("mlm", larger, MLM | QUICK, runs=home / "runs")
    with pytest.raises(InputError, match=r"has learned from the test of other: 'The harvest was rich.* --without"):
        ready("classifier", load_corpus(home / "other"), holds)
    ready("classifier", load_corpus(home / "corpus"), holds)
    source = Folder(str(larger), without=(str(home / "other"),))
    clean = train("mlm", source, MLM | QUICK, runs=home / "runs")  # type: ignore[arg-type]
    (ancestor,) = ready("classifier", load_corpus(home / "other"), clean).provenance
    assert ancestor.shared == 0
    assert "without other" in ancestor.sentence


def test_a_corpus_that_is_gone_leaves_the_audit_open(home: Path, corpus: Corpus) -> None:
    gone = write_corpus(home / "gone")
    run = train("mlm", gone, MLM | QUICK | {"width": "4"}, runs=home / "runs")
    shutil.rmtree(gone)
    (ancestor,) = ready("classifier", corpus, run).provenance
    assert ancestor.shared is None
    assert "is not known" in ancestor.sentence


@pytest.mark.parametrize(
    ("task", "settings", "message"),
    [
        ("lm", {}, "A language model can start from a language model, and the run mlm-.* is a masked language model"),
        (
            "classifier",
            {"width": "16"},
            "width is that of the run that a model starts from",
        ),
        (
            "classifier",
            {"tokenizer": "char"},
            "tokenizer is that of the run.* cannot be chosen: leave it out",
        ),
        ("classifier", {"pool": "cls"}, "pool=cls needs the token <CLS>, and this tokenizer has none"),
        ("classifier", {"layer_decay": "2"}, "layer_decay=2.0: it must be above 0 and at most 1"),
        ("classifier", {"train.mask": "0.2"}, "train.mask is for masked language models; the task is classifier"),
    ],
)
def test_what_does_not_fit(corpus: Corpus, mlm: Run, task: str, settings: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        prepare(task, corpus, of(mlm) | settings)


def changed_run(home: Path, run: Run, name: str, **changes: Any) -> Run:
    """A copy of a run with another record."""
    folder = home / "changed" / name
    shutil.copytree(run.folder, folder)
    write_record(folder / RECORD, read_record(folder / RECORD) | changes)
    return Run(folder, run.record)


def test_damaged_and_unfinished_runs(home: Path, corpus: Corpus, mlm: Run) -> None:
    for name, changes, message in (
        ("running", {"status": "running"}, "is not finished .running., so no other can start from it"),
        ("newer", {"format": 99}, "is not the record of a run that this version"),
        ("lacking", {"files": {}}, "is damaged: files does not have model.safetensors"),
        ("wrong", {"settings": 3}, "is damaged: settings must be an object"),
    ):
        with pytest.raises(InputError, match=message):
            ready("classifier", corpus, changed_run(home, mlm, name, **changes))
    for file in (MODEL, TOKENIZER):
        run = changed_run(home, mlm, f"of-{file}")
        (run.folder / file).write_bytes(b"x")
        with pytest.raises(InputError, match="was changed or damaged: its checksum"):
            ready("classifier", corpus, run)
    run = changed_run(home, mlm, "edited")
    (run.folder / RECORD).write_text((run.folder / RECORD).read_text().replace('"seed": 0', '"seed": 1'))
    with pytest.raises(InputError, match="does not have the checksum that it says"):
        ready("classifier", corpus, run)
    other = changed_run(home, mlm, "wider", settings=dict(mlm.settings) | {"width": 16})
    with pytest.raises(InputError, match=r"needs .* values, and the run mlm-.* has .* there"):
        ready("classifier", corpus, other)


def test_a_plugin_must_be_loaded_and_be_that_of_then(home: Path, corpus: Corpus, mlm: Run) -> None:
    plugin = {"name": "drift.py", "sha256": "0" * 64, "path": None}
    run = changed_run(home, mlm, "plugged", settings=dict(mlm.settings) | {"position": "drift"}, plugins=[plugin])
    with pytest.raises(InputError, match=r"There is no position 'drift'.* It was trained with --plugin drift\.py"):
        ready("classifier", corpus, run)
    other = changed_run(home, mlm, "other-plugin", plugins=[plugin])
    with pytest.raises(InputError, match=r"was trained with drift\.py as it was then"):
        ready("classifier", corpus, other)


def test_a_published_model_is_not_continued(home: Path, corpus: Corpus, mlm: Run) -> None:
    run = changed_run(home, mlm, "published", settings=dict(mlm.settings) | {"model": "minilm"})
    with pytest.raises(InputError, match="is a published model that was fine-tuned, and no other run can start from"):
        ready("classifier", corpus, run)


def test_who_can_start_from_whom() -> None:
    can = {(one.name, other.name) for one in tasks().values() for other in tasks().values() if one.starts_from(other)}
    assert can == {("classifier", name) for name in tasks()} | {("lm", "lm"), ("mlm", "mlm")}


def test_it_learns_what_the_same_weights_learn(home: Path, tuned: Run) -> None:
    """The file of the run holds what was trained: something has moved since the beginning."""
    kept, begun = load_file(tuned.folder / MODEL), tuned.initial_model().state_dict()
    assert kept.keys() == begun.keys()
    assert any(not torch.equal(kept[name], begun[name]) for name in kept)


def test_an_ensemble_names_the_run_that_its_members_started_from_by_its_id(home: Path, mlm: Run) -> None:
    members = [
        train("classifier", home / "other", {"model": mlm.id, **SHORT}, seed=seed, runs=home / "runs")
        for seed in (4, 5)
    ]
    found = ensemble(*(run.id for run in members), runs=home / "runs")
    assert list(found.members) == [f"model={mlm.id} train.epochs=1 train.batch=5 train.threads=1"]
