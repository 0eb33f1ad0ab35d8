"""Distillation: the loss by hand, a run that records its teachers, and teachers that cannot teach."""

from pathlib import Path

import numpy as np
import pytest
import torch

from oratory.api import distill, ensemble, train
from oratory.errors import InputError
from oratory.runs import Run, Store
from oratory.training.origins import prepare
from oratory.training.teachers import Teachers
from tests.execution.training import quick, write_corpus

TINY = {"layers": "1", "width": "8", "context": "8", "tokenizer": "char"}
LENGTH = {"classifier": {"train.epochs": "1"}, "lm": {"train.iterations": "3", "train.eval_every": "3"}}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = quick(tmp_path_factory.mktemp("teachers"))
    write_corpus(folder / "corpus")
    return folder


def runs_of(place: Path, task: str, **changes: str) -> list[Run]:
    settings = TINY | LENGTH[task] | changes
    return [train(task, place / "corpus", settings, seed, runs=place / "runs") for seed in (0, 1)]


@pytest.mark.parametrize("task", LENGTH)
def test_one_model_learns_the_mean_probabilities(place: Path, task: str) -> None:
    members = runs_of(place, task)
    run = distill(ensemble(*(member.id for member in members), runs=place / "runs"))
    assert run.seed == 2
    assert run.settings["train.teachers"] == "+".join(member.id for member in members)
    made = prepare(run.task.name, run.load_corpus(), run.given, 2)
    learning, model = made.task.learning(made), made.build()
    batch = learning.items.batch(np.arange(3))
    with torch.no_grad():
        mean = sum(member.model(batch.ids, batch.mask).logits.softmax(-1) for member in members) / 2
        by_hand = -(mean * model(batch.ids, batch.mask).logits.log_softmax(-1)).sum() / 7
        assert float(learning.loss(model, batch, 7, 0.0)) == pytest.approx(float(by_hand), rel=1e-5)
    again = distill(ensemble(*(member.id for member in members), runs=place / "runs"))
    assert again.id == run.id


def test_teachers_are_named_by_their_ids(place: Path) -> None:
    first, second = runs_of(place, "lm")
    given = TINY | LENGTH["lm"] | {"train.teachers": f"{first.id}+{second.id}"}
    run = train("lm", place / "corpus", given, 2, runs=place / "runs")
    assert run.settings["train.teachers"] == f"{first.id}+{second.id}"
    assert Store(place / "runs").folder.name in run.given["train.teachers"]


@pytest.mark.parametrize(
    ("task", "changes", "sentence"),
    [
        ("classifier", {}, "is not a language model"),
        ("lm", {"tokenizer": "word"}, "has another vocabulary"),
        ("lm", {"head": "hybrid-kneser-ney"}, "holds Kneser-Ney n-grams of train besides its network"),
    ],
)
def test_a_teacher_that_cannot_teach_is_refused(place: Path, task: str, changes: dict[str, str], sentence: str) -> None:
    teacher = runs_of(place, task, **changes)[0]
    given = TINY | LENGTH["lm"] | {"train.teachers": str(teacher.folder)}
    with pytest.raises(InputError, match=sentence):
        Teachers.of(prepare("lm", teacher.load_corpus(), given, 0))
    with pytest.raises(InputError, match="has no use where"):
        prepare("lm", teacher.load_corpus(), given | {"train.smoothing": "0.1"}, 0)
    with pytest.raises(InputError, match="takes each token to predict out of its counts"):
        Teachers.of(prepare("lm", teacher.load_corpus(), given | {"head": "hybrid-kneser-ney"}, 0))
