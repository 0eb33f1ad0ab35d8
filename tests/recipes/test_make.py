"""Recipes that are run, small: ours beside the reference, intervals that can be worked out by hand, and the report."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from oratory.errors import InputError
from oratory.recipes import Reproduction, Row, load_recipe, load_reproduction, make
from oratory.recipes import recipe as recipes
from oratory.recipes.document import reproduction_document
from oratory.recipes.estimate import Wanted, duration, estimate, wanted
from oratory.recipes.facts import place
from oratory.recipes.quantity import Ours, Quantity, prediction
from oratory.report import write
from oratory.runs import Store
from oratory.text import Corpus, load_corpus
from tests.comparison.workers import here
from tests.runs.training import write_corpus

TINY = {"layers": "1", "width": "8", "heads": "1"}
LM = TINY | {"context": "8", "train.iterations": "4", "train.eval_every": "2", "train.stride": "8"}
CLASSIFIER = TINY | {"context": "8", "train.epochs": "2"}
LINES = TINY | {"context": "128", "train.truncate": "64", "train.iterations": "3"}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_corpus(tmp_path_factory.mktemp("corpus"))
    (folder / "test_LM_a.txt").rename(folder / "test_LM_obama.txt")
    return folder


@pytest.fixture(scope="module")
def corpus(small: Path) -> Corpus:
    return load_corpus(small)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store(tmp_path_factory.mktemp("runs"))


def run(name: str, settings: dict[str, str], corpus: Corpus, store: Store, seeds: int = 3) -> Reproduction:
    recipe = load_recipe(name).changed(settings)
    return make(recipe, corpus, range(seeds), store, here)


@pytest.fixture(scope="module")
def language(corpus: Corpus, store: Store) -> Reproduction:
    return run("r2-window", LM, corpus, store)


@pytest.fixture(scope="module")
def classifier(corpus: Corpus, store: Store) -> Reproduction:
    return run("r2-classifier", CLASSIFIER, corpus, store)


def row(made: Reproduction, figure: str, at: float | None = None, variant: str = "base") -> Row:
    [found] = [r for r in made.rows if (str(r.quantity), r.at, r.variant) == (figure, at, variant)]
    return found


def test_perplexity_beside_the_reference(language: Reproduction, store: Store) -> None:
    found = row(language, "perplexity: obama").ours
    assert found is not None
    nats = [math.log(store.open(run).result["obama"]["perplexity"]) for run in language.runs["base"]]
    assert np.log(found.seeds) == pytest.approx(nats, rel=1e-6)
    assert found.mean == pytest.approx(math.exp(np.mean(nats)), rel=1e-6)
    assert found.over == "seeds and items"
    assert found.spread == pytest.approx(np.std(nats, ddof=1), rel=1e-4)
    reach = stats.t.ppf(0.975, 2) * np.std(nats, ddof=1) * math.sqrt(4 / 3)
    assert found.prediction is not None
    assert np.log(found.prediction) == pytest.approx([np.mean(nats) - reach, np.mean(nats) + reach], rel=1e-5)
    train = row(language, "perplexity: train").ours
    assert train is not None
    assert train.over == "seeds"
    assert row(language, "perplexity: wbush").ours is None, "this corpus has no such text"


def test_other_data_is_not_comparable(language: Reproduction) -> None:
    for found in language.rows:
        assert found.of_mean == found.of_seed == "not comparable"
        assert found.reason == "other data (" + language.corpus + ")"
    assert "57 reference figures are not comparable" in " ".join(language.sentences())
    assert "(1) Not comparable: other data" in language.tables()[0].note


def test_figures_that_can_be_compared(corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recipes, "FINGERPRINT", corpus.fingerprint)
    recipe = replace(load_recipe("r2-window").changed(LM), changes=None)
    made = make(recipe, corpus, range(3), Store(tmp_path), here)
    found = row(made, "perplexity: obama")
    assert found.ours is not None
    assert found.ours.interval is not None
    expected = "below" if found.reference < found.ours.interval[0] else "above"
    assert found.of_mean == expected
    assert row(made, "parameters").of_mean.startswith("ours -")
    assert row(made, "perplexity: train", 1).of_seed == "not comparable"
    assert any(sentence.startswith("Of 1 counts of parameters, 0 equal") for sentence in made.sentences())


def test_where_a_value_lies() -> None:
    assert [place(value, (1.0, 2.0)) for value in (0.5, 1.0, 1.5, 2.0, 2.5)] == [
        "below",
        "inside",
        "inside",
        "inside",
        "above",
    ]
    assert place(1.0, None) == "–"
    counted = Row("R9", "base", Quantity("parameters"), None, 100, Ours((100.0,), 100.0))
    assert counted.of_mean == "equal"
    assert replace(counted, reference=90).of_mean == "ours +10"
    inside = Row("R9", "base", Quantity("test accuracy"), None, 50, Ours((49.0, 51.0), 50.0, (49, 51), (40, 60)))
    assert (inside.of_mean, inside.of_seed) == ("inside", "inside")
    outside = replace(inside, reference=55.0)
    assert (outside.of_mean, outside.of_seed) == ("above", "inside")


def test_a_new_seed_lies_inside_19_times_in_20() -> None:
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(2000):
        *values, new = rng.normal(10, 3, 6)
        found = prediction(values)
        assert found is not None
        hits += found[0] <= new <= found[1]
    assert 0.93 < hits / 2000 < 0.97
    assert prediction([1.0]) is None


def test_a_classifier_along_training(classifier: Reproduction, store: Store) -> None:
    assert classifier.comparison is None
    history = [store.open(run).history() for run in classifier.runs["base"]]
    found = row(classifier, "test accuracy", 1).ours
    assert found is not None
    assert found.mean == pytest.approx(100 * np.mean([entries[1]["test_accuracy"] for entries in history]))
    assert found.over == "seeds"
    assert row(classifier, "test accuracy", 15).ours is None
    loss = row(classifier, "train loss", 1).ours
    assert loss is not None
    assert loss.mean == pytest.approx(np.mean([entries[1]["train_loss"] for entries in history]))
    assert row(classifier, "seconds", 1).ours is not None
    counted = float(classifier.parameters["base"]["total"])
    assert row(classifier, "parameters").ours == Ours((counted,), counted)


@pytest.mark.parametrize("kind", ["language", "classifier"])
def test_the_report(kind: str, request: pytest.FixtureRequest, store: Store, tmp_path: Path) -> None:
    made: Reproduction = request.getfixturevalue(kind)
    document = reproduction_document(made, store)
    [path] = write(document, tmp_path / "report.html")
    page = path.read_text()
    assert f"oratory reproduce {made.recipe.name} --seeds 0,1,2" in page
    assert "Along training" in page
    drawn = {figure.name for figure in document.figures}
    assert (
        {"along-test-accuracy", "along-train-loss"} <= drawn
        if kind == "classifier"
        else "along-perplexity-obama" in drawn
    )


def test_it_can_be_opened_again(language: Reproduction, classifier: Reproduction, store: Store) -> None:
    for made in (language, classifier):
        assert load_reproduction(made.recipe.name, store).to_dict() == made.to_dict()
    path = store.folder / "reproductions" / f"{language.recipe.name}.json"
    kept = json.loads(path.read_text())
    path.write_text(json.dumps(kept | {"corpus": kept["corpus"] | {"source": {"data": language.source}}}))  # As it was.
    assert load_reproduction(language.recipe.name, store).to_dict() == language.to_dict()
    with pytest.raises(InputError, match="oratory reproduce cls does that"):
        load_reproduction("cls", store)


def test_why_reweighting_explodes(corpus: Corpus, store: Store) -> None:
    made = run("r3-reweight", LINES | {"heads": "2", "train.lr": "0.01"}, corpus, store, seeds=2)
    explained = made.explained
    assert explained is not None
    base, token = explained.of("base", "alone"), explained.of("reweight-per-token", "alone")
    for found in (base, token):
        among = explained.of(found.model, "among others")
        for text, nats in found.nats.items():
            assert nats == pytest.approx(among.nats[text], abs=1e-4), "a sentence's company must not matter"
    alone, among = explained.of("reweight", "alone"), explained.of("reweight", "among others")
    assert all(2 < there / here < 12 for here, there in zip(alone.weight, among.weight, strict=True))
    assert alone.nats["held out"] != pytest.approx(among.nats["held out"], abs=1e-4)
    assert explained.of("reweight", "alone, off at inference").weight == (1.0, 1.0)
    assert explained.leaks["base"] == pytest.approx((0.0, 0.0), abs=1e-6)
    assert explained.leaks["reweight-per-token"] == pytest.approx((0.0, 0.0), abs=1e-6)
    assert min(explained.leaks["reweight"]) > 1e-5
    assert len(explained.sentences()) == 5
    assert row(made, "line perplexity: normal", variant="reweight").ours is not None


def test_the_estimate_uses_what_the_store_has(language: Reproduction, store: Store, tmp_path: Path) -> None:
    recipe = language.recipe
    jobs = wanted(recipe, language.fingerprint, range(5))
    found = estimate([*jobs, *jobs], store, workers=2)
    assert (found.runs, found.had, found.recorded, found.probe) == (4, 6, 4, None)
    assert "recorded seconds" in found.sentence()
    recorded = [store.open(run).record["seconds"] for runs in language.runs.values() for run in runs]
    assert found.seconds == pytest.approx(4 * np.mean(recorded) / 2, rel=0.5)
    nothing = estimate(wanted(recipe, language.fingerprint, range(3)), store)
    assert nothing.sentence() == "All 6 runs are in the store."
    fresh = estimate(wanted(load_recipe("r2-window"), "", range(2)), Store(tmp_path / "none"), workers=1)
    assert fresh.probe is not None
    assert fresh.seconds == pytest.approx(4 * load_recipe("r2-window").work * fresh.probe)
    assert not (tmp_path / "none").exists()


def test_shorter_training_is_less_work() -> None:
    recipe = load_recipe("r2-window")
    [whole, *_], [part, *_] = wanted(recipe, "", [0]), wanted(recipe.changed({"train.iterations": "50"}), "", [0])
    assert isinstance(whole, Wanted)
    assert part.work == pytest.approx(whole.work / 10)


def test_durations() -> None:
    assert [duration(seconds) for seconds in (0.2, 42, 600, 9000)] == ["1 s", "42 s", "10 min", "2.5 h"]
