"""Scoring, generation and lengths beyond training, with models that were trained."""

import math
import shutil
from pathlib import Path

import numpy as np
import pytest

from oratory.errors import InputError
from oratory.execution.train import train
from oratory.runs import Run
from oratory.runs.samples import SAMPLES
from oratory.text import load_corpus
from oratory.tokens.unknown import named
from oratory.training.tasks.classifier.use import TextClass
from oratory.training.tasks.lm.use import TextSurprisal
from tests.execution.training import CLASSIFIER, LM, write_corpus

LINES = LM | {"train.items": "lines", "context": "16", "train.iterations": "30", "train.eval_every": "30"}


def trained(place: Path, task: str, settings: dict[str, str]) -> Run:
    return train(task, place / "corpus", settings | {"train.save_every": "600"}, runs=place / "runs")


@pytest.fixture(scope="module")
def lines(place: Path) -> Run:
    return trained(place, "lm", LINES)


@pytest.fixture(scope="module")
def windows(place: Path) -> Run:
    return trained(place, "lm", LM)


@pytest.fixture(scope="module")
def classifier(place: Path) -> Run:
    return trained(place, "classifier", CLASSIFIER)


def surprisal(run: Run, text: str) -> TextSurprisal:
    (found,) = run.score(text)
    assert isinstance(found, TextSurprisal)
    return found


def classes(run: Run, text: str) -> TextClass:
    (found,) = run.score(text)
    assert isinstance(found, TextClass)
    return found


@pytest.mark.parametrize("tokenizer", ["word", "char"])
def test_a_test_line_has_the_nats_of_the_record(tokenizer: str, place: Path) -> None:
    run = trained(place, "lm", LINES | {"tokenizer": tokenizer})
    rows = run.items().to_pydict()
    for text in ("a", "b"):
        for number, line in enumerate((place / "corpus" / f"test_LM_{text}.txt").read_text().splitlines()):
            found = surprisal(run, line)
            here = [
                i for i, (t, n) in enumerate(zip(rows["text"], rows["line"], strict=True)) if (t, n) == (text, number)
            ]
            assert tuple(named(run.tokenizer, [rows["token"][i] for i in here], line)) == found.tokens
            assert ("<unk:zounds>" in found.tokens) == (tokenizer == "word" and line == "zounds")
            assert found.surprisal == pytest.approx([rows["nats"][i] for i in here], abs=1e-4)


def test_figures_of_a_text_agree(lines: Run, windows: Run) -> None:
    for run in (lines, windows):
        found = surprisal(run, "We will go on, and on.")
        assert len(found.tokens) == len(found.surprisal)
        assert all(value > 0 for value in found.surprisal)
        assert found.perplexity == pytest.approx(math.exp(np.mean(found.surprisal)))
        size = len("We will go on, and on.\n")
        assert found.bits_per_byte == pytest.approx(sum(found.surprisal) / math.log(2) / size, rel=0.1)
        assert found.to_dict()["perplexity"] == found.perplexity
        assert found.unknown == 0
        assert "Perplexity" in str(found.tables()[0].note)


def test_probabilities_are_those_of_the_record(classifier: Run, place: Path) -> None:
    rows = classifier.items().to_pydict()
    expected = [row for row, split in zip(rows["probabilities"], rows["split"], strict=True) if split == "test"]
    texts = [line.split("\t")[1] for line in (place / "corpus" / "test_CLS.tsv").read_text().splitlines()]
    assert len(texts) == len(expected)
    for text, row in zip(texts, expected, strict=True):
        found = classes(classifier, text)
        assert sum(found.probabilities.values()) == pytest.approx(1, abs=1e-5)
        assert list(found.probabilities.values()) == pytest.approx(row, abs=1e-5)
        assert found.label == classifier.labels[int(np.argmax(row))]


def test_texts_are_scored_each_by_itself(lines: Run, classifier: Run) -> None:
    for run in (lines, classifier):
        texts = ["Thank you all.", "We can, we will, we must.", "Go"]
        assert [found.to_dict() for found in run.score(texts)] == [run.score(text)[0].to_dict() for text in texts]


@pytest.mark.parametrize("texts", ["", "   ", [], ["fine", ""], "\n\t"])
def test_nothing_to_score(texts: str | list[str], lines: Run, classifier: Run) -> None:
    for run in (lines, classifier):
        with pytest.raises(InputError, match="There is nothing to score: a text is empty"):
            run.score(texts)


def test_unknown_words_only(lines: Run, classifier: Run) -> None:
    found = surprisal(lines, "zyzzyva qwrtp")
    assert found.unknown == 2
    assert all(math.isfinite(value) for value in found.surprisal)
    assert "2 of " in str(found.tables()[0].note)
    assert sum(classes(classifier, "zyzzyva qwrtp").probabilities.values()) == pytest.approx(1, abs=1e-5)


def test_text_beyond_the_context(lines: Run, classifier: Run) -> None:
    long = "we will go on " * 20
    assert len(surprisal(lines, long).tokens) >= 80
    found = classes(classifier, long)
    assert found.cut == 80 - 8
    assert len(found.tokens) == 8
    assert "beyond the context" in str(found.tables()[0].note)
    # What was cut is not used.
    assert found.probabilities == pytest.approx(classes(classifier, "we will go on we will go on").probabilities)


def test_samples(lines: Run) -> None:
    found = lines.score(list(SAMPLES.values()))
    assert [entry.text for entry in found] == list(SAMPLES.values())
    assert set(SAMPLES) == {"normal", "weird", "long"}


def test_generation(lines: Run, windows: Run, classifier: Run) -> None:
    for run in (lines, windows):
        drawn = [run.generate("We will", 6, seed=seed) for seed in range(6)]
        assert drawn == [run.generate("We will", 6, seed=seed) for seed in range(6)]
        assert len(set(drawn)) > 1
        assert all(text.lower().startswith("we will") for text in drawn)
        assert run.generate(tokens=5, seed=1) == run.generate("  ", 5, seed=1)
        assert run.generate("We", 5, greedy=True, seed=1) == run.generate("We", 5, greedy=True, seed=2)
        assert run.generate("We will", 0).lower() == "we will"
    with pytest.raises(InputError, match="cannot continue a text"):
        classifier.generate()


@pytest.mark.parametrize("position", ["rope", "alibi", "sinusoidal"])
def test_lengths_beyond_training(position: str, place: Path) -> None:
    run = trained(place, "lm", LM | {"position": position, "context": "4"})
    corpus = load_corpus(str(place / "corpus"))
    found = run.extrapolate(corpus)
    assert list(found.perplexity) == ["a", "b"]
    for name, by_size in found.perplexity.items():
        assert list(by_size) == [4, 8, 16, 32]
        assert all(math.isfinite(value) for value in by_size.values())
        # At the training context it is the figure of the run, whose stride is half of the context too.
        assert by_size[4] == pytest.approx(run.result[name]["perplexity"], rel=1e-5)
    assert found.perplexity["a"][4] != found.perplexity["a"][32]
    assert "1x (4)" in found.tables()[0].columns


def test_lengths_that_positions_do_not_have(windows: Run, classifier: Run, place: Path) -> None:
    corpus = load_corpus(str(place / "corpus"))
    with pytest.raises(InputError, match=r"end at 8 tokens; lengths beyond training need positions that have no end"):
        windows.extrapolate(corpus)
    with pytest.raises(InputError, match="longer than its context"):
        classifier.extrapolate(corpus)


def test_lengths_on_another_corpus(windows: Run, tmp_path: Path) -> None:
    other = write_corpus(tmp_path / "other")
    (other / "test_LM_a.txt").write_text("Something else.\n")
    with pytest.raises(InputError, match="This corpus is not the one of the run"):
        windows.extrapolate(load_corpus(str(other)))


def test_a_run_that_is_not_finished(lines: Run) -> None:
    with pytest.raises(InputError, match="is not finished"):
        Run(lines.folder, lines.record.changed(status="interrupted")).score("We")


def test_weights_that_are_damaged(lines: Run, tmp_path: Path) -> None:
    shutil.copytree(lines.folder, tmp_path / lines.id)
    weights = tmp_path / lines.id / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-50])
    with pytest.raises(InputError, match="was changed or damaged: its checksum"):
        Run.read(tmp_path / lines.id).score("We")
